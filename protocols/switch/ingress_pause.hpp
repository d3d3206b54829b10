#pragma once

#include <cstdint>

#include "protocols/link/link_control.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Priority flow control at a switch's ingress (IEEE 802.1Qbb): who is paused when its account
/// crosses XOFF, which egress is to blame for it, and who may continue below XON.
template <class Path>
class IngressPause {
 public:
  explicit IngressPause(NetworkState& state) : s_(state), control_(state) {}

  /// The account of `in` is above XOFF. `out`: where the packet goes that came last.
  [[gnu::noinline]] void begin(const Here& here, const SwitchState& sw, PortState& in,
                               const PortState& out, ClassId c) {
    IngressAccount& account = s_.account(in, c);
    account.is_pausing = true;
    account.cause = find_cause(sw, in, out, c);
    control_.send_pause(here, in, c);
  }
  /// That of the port with the global number `in` is below XON.
  [[gnu::noinline]] void end(const Here& here, std::uint32_t in, ClassId c) {
    s_.account_at(in, c).is_pausing = false;
    control_.send_pause(here, s_.ports[in], c);
  }

 private:
  /// The egress that holds most of what has come in by `in` in this class: the one to blame for a
  /// pause. The packet that crosses XOFF may be bound for an egress that is idle; mostly it is not,
  /// and then the others are not checked.
  [[nodiscard]] std::uint16_t find_cause(const SwitchState& sw, const PortState& in,
                                         const PortState& out, ClassId c) const {
    std::uint32_t cause = out.index - sw.first_port;
    if (Path::has(Feature::kInputQueues) && s_.constants.input_queued) {
      const PacketQueue& waiting = s_.queue(in, c).packets;
      return static_cast<std::uint16_t>(waiting.empty() ? cause : waiting_port(waiting.front()));
    }
    const std::uint32_t ingress = in.index - sw.first_port;
    Bytes max = waiting_from(ingress, s_.queue(out, c).packets);
    if (2 * max < s_.account(in, c).bytes) {
      for (std::uint32_t p = 0; p < sw.port_count; ++p) {
        const PortState& egress = s_.ports[sw.first_port + p];
        if ((egress.waiting & class_bit(c)) == 0) continue;
        const Bytes bytes = waiting_from(ingress, s_.queue(egress, c).packets);
        if (bytes <= max) continue;
        max = bytes;
        cause = p;
      }
    }
    return static_cast<std::uint16_t>(cause);
  }

  /// About how many of the waiting bytes came in by port number `ingress`: as many as of the bytes
  /// at the head, so that it costs little however long the queue is. Small packets (ACKs that share
  /// the class) count by their bytes, and more of them are checked.
  [[nodiscard]] static Bytes waiting_from(std::uint32_t ingress, const PacketQueue& waiting) {
    if (waiting.empty()) return {};
    constexpr std::uint32_t kSample = 16;
    constexpr std::uint32_t kMaxSmall = 64;
    constexpr std::int64_t kEnough = 16'384;
    std::uint32_t count = 0;
    std::int64_t seen = 0;
    std::int64_t from_here = 0;
    waiting.for_first(kMaxSmall, [&](const Packet& packet) {
      if (count >= kSample && seen >= kEnough) return;
      ++count;
      seen += packet.size;
      from_here += waiting_port(packet) == ingress ? packet.size : 0;
    });
    return waiting.bytes() * from_here / seen;
  }

  NetworkState& s_;
  LinkControl control_;
};

}  // namespace weft::protocols
