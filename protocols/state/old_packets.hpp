#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "protocols/packet/packet_kind.hpp"

namespace weft::protocols {

struct NetworkState;

/// When packets were sent that have been under way for long. The time of sending in a packet wraps
/// after `kWrap`; so that no latency is counted modulo that, whoever runs the network looks through
/// it between windows, several times per wrap, and notes the packets that could wrap before the
/// next look. Nothing changes during a window.
class OldPackets {
 public:
  static constexpr Picoseconds kWrap{std::int64_t{1} << 32U};
  /// A window may be as long as this.
  static constexpr Picoseconds kLookAhead = kWrap / 4;

  /// Whether a packet could be misread before `end`.
  [[nodiscard]] bool is_look_due(Picoseconds end) const { return end > safe_until_; }
  /// `now` is the end of the last window, `end` that of the next one. `has_packets`: there are any.
  void look(const NetworkState& state, Picoseconds now, Picoseconds end, bool has_packets);

  [[nodiscard]] bool empty() const { return sent_.empty(); }
  /// What a data packet that arrives now has taken.
  [[nodiscard]] Picoseconds elapsed(const Packet& packet, Picoseconds now) const {
    if (!sent_.empty()) [[unlikely]] {
      const auto found = sent_.find(key(packet));
      if (found != sent_.end()) return now - found->second;
    }
    return Picoseconds(std::int64_t{stamp_of(now) - packet.word});
  }

 private:
  /// Copies that chips make differ in flow and destination, and were sent at the same time.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  [[nodiscard]] static Key key(const Packet& packet) {
    return {packet.entropy, packet.sequence, packet.word};
  }

  std::map<Key, Picoseconds> sent_;  ///< when
  Picoseconds safe_until_ = kLookAhead;
};

}  // namespace weft::protocols
