#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "protocols/packet/packet_kind.hpp"

namespace weft::protocols {

struct NetworkState;

/// A window of the engine is no longer than this, so that what arrives in it stays in the caches.
inline constexpr Picoseconds kLongestWindow{std::int64_t{1} << 30U};

/// The send times of packets that have been in flight for long. The send time in a
/// packet wraps after `kWrap`. So that no latency is counted modulo that, the engine scans all
/// packets between two windows, four times per wrap, and notes those that could wrap before the
/// next scan. A scan costs a few nanoseconds per packet in flight and is due every 0.14 s of
/// simulated time, so that the cost per packet-hop does not grow with latency.
class OldPackets {
 public:
  static constexpr Picoseconds kWrap{std::int64_t{1} << kSentBits};
  /// A window may be as long as this.
  static constexpr Picoseconds kCheckedAhead = kWrap / 4;
  static_assert(kLongestWindow <= kCheckedAhead);

  /// Whether a packet could be misread before `end`.
  [[nodiscard]] bool is_check_due(Picoseconds end) const { return end > safe_until_; }
  /// `now` is the end of the last window, `end` that of the next one. `has_packets`: there are any.
  void check(const NetworkState& state, Picoseconds now, Picoseconds end, bool has_packets);

  [[nodiscard]] bool empty() const { return sent_.empty(); }
  /// What a data packet that arrives now has taken.
  [[nodiscard]] Picoseconds elapsed(const Packet& packet, Picoseconds now) const {
    if (!sent_.empty()) [[unlikely]] {
      const auto found = sent_.find(key(packet));
      if (found != sent_.end()) return now - found->second;
    }
    return age(packet, now);
  }

 private:
  /// Copies that scale-up switches make differ in flow and destination, and were sent at the same
  /// time.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  [[nodiscard]] static Key key(const Packet& packet) {
    return {packet.entropy, packet.sequence, sent_stamp(packet)};
  }
  /// Modulo a wrap.
  [[nodiscard]] static Picoseconds age(const Packet& packet, Picoseconds now) {
    const std::uint64_t elapsed = static_cast<std::uint64_t>(now.count()) - sent_stamp(packet);
    return Picoseconds(static_cast<std::int64_t>(elapsed & kSentMask));
  }

  std::map<Key, Picoseconds> sent_;  ///< when
  Picoseconds safe_until_ = kCheckedAhead;
};

}  // namespace weft::protocols
