#pragma once

#include <cstdint>

#include "protocols/state/network_state.hpp"
#include "simcore/base/hash.hpp"

namespace weft::protocols {

/// By which of a host's ports the next packet of a queue pair leaves, where several lead to its
/// destination.
class PortSelection {
 public:
  explicit PortSelection(const NetworkState& state) : s_(state) {}

  /// Whether each packet of the queue pair may leave by another port than the one before.
  [[nodiscard]] static bool is_spread(const SendingEnd& s) {
    return s.spreading != PortSpreading::kFlow;
  }

  /// Whether several ports lead to where its packets go, or may do so.
  [[nodiscard]] static bool has_choice(const SendingEnd& s) {
    return s.is_added_up() || s.whole().port_count > 1;
  }

  /// The port that the next packet of an idle queue pair waits at.
  void choose(SendingEnd& end) const {
    if (end.is_added_up()) {  // by a link that is down, too: its sum must meet at one scale-up
                              // switch
      end.local_port = end.first_local_port[s_.reduction_of(end).link_of(end.next)];
      return;
    }
    SenderState& s = end.whole();
    const auto n = std::uint32_t{s.port_count};
    std::uint32_t choice = 0;
    switch (s.spreading) {
      case PortSpreading::kRoundRobin:
        choice = in_turn(s, n);
        break;
      case PortSpreading::kLeastLoaded:
        choice = least_loaded(s, in_turn(s, n));
        break;
      case PortSpreading::kRandom:
        choice = choose_by_packet(s_.constants.seed, s.entropy, s.next, s.sent_end, n);
        break;
      case PortSpreading::kFlow:
        choice = s_.choose_host_port(s.host, s.entropy, n);
        break;
    }
    // A port whose link is down is passed over, unless all are. But scale-up switches have no other
    // way.
    for (std::uint32_t i = 0; i < n; ++i) {
      s.local_port = s.first_local_port[(choice + i) % n];
      if (!s_.ports[s.port()].is_down || s.is_in_network()) return;
    }
  }

 private:
  [[nodiscard]] static std::uint32_t in_turn(const SenderState& s, std::uint32_t n) {
    return (s.next + s.turn) % n;
  }

  /// The port with the fewest bytes that wait or are being sent; among equals the first one from
  /// `first` on.
  [[nodiscard]] std::uint32_t least_loaded(const SenderState& s, std::uint32_t first) const {
    const auto n = std::uint32_t{s.port_count};
    std::uint32_t best = first;
    Bytes min = Bytes::max();
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t at = (first + i) % n;
      const PortState& port = s_.ports[s.first_port + s.first_local_port[at]];
      const Bytes load = port.backlog + Bytes(port.is_transmitting ? port.service_bytes : 0);
      if (port.is_down || load >= min) continue;
      min = load;
      best = at;
    }
    return best;
  }

  const NetworkState& s_;
};

}  // namespace weft::protocols
