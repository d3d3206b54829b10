#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/state/network_state.hpp"
#include "simcore/base/hash.hpp"

namespace weft::protocols {

/// By which of a host's ports the next packet of a queue pair leaves, where several lead to its
/// destination.
class PortSelection {
 public:
  explicit PortSelection(NetworkState& state) : s_(state) {}

  /// Whether each packet of the queue pair may leave by another port than the one before.
  [[nodiscard]] static bool is_spread(const SendingEnd& s) {
    return s.spreading != PortSpreading::kFlow;
  }

  /// Whether several ports lead to where its packets go, or may do so.
  [[nodiscard]] static bool has_choice(const SendingEnd& s) {
    return s.is_added_up() || s.whole().port_count > 1;
  }

  /// The port that the next packet of an idle queue pair waits at. True: it tries a plane that was
  /// given up.
  bool choose(SendingEnd& end, Picoseconds now) {
    if (end.is_added_up()) {  // by a link that is down, too: its sum must meet at one scale-up
                              // switch
      end.local_port = end.first_local_port[s_.reduction_of(end).link_of(end.next)];
      return false;
    }
    SenderState& s = end.whole();
    const auto n = std::uint32_t{s.port_count};
    std::uint32_t choice = 0;
    switch (s.spreading) {
      case PortSpreading::kPlanes:
        return choose_plane(s, now);
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
        if (s_.planes.is_used() && s_.constants.transports[s.transport].selects_planes()) {
          if (const auto is_trial = keep_plane(s, choice, now)) return *is_trial;
        }
        break;
    }
    // A port whose link is down is passed over, unless all are. But scale-up switches have no other
    // way.
    for (std::uint32_t i = 0; i < n; ++i) {
      s.local_port = s.first_local_port[(choice + i) % n];
      if (!s_.ports[s.port()].is_down || s.is_in_network()) return false;
    }
    return false;
  }

  /// By which packets of the queue pair reach its receiver in this plane; null: none.
  [[nodiscard]] PortState* port_of_plane(const SenderState& s, std::uint32_t plane) {
    const std::uint16_t* local = port_in(s, plane);
    return local == nullptr ? nullptr : &s_.ports[s.first_port + *local];
  }

  /// Whether the next packet may leave by some plane: one that leads to the receiver has room, or
  /// none is known to lead there.
  [[nodiscard]] bool has_plane_with_room(const SenderState& s, Picoseconds now) {
    const PlaneSender& known = s_.planes[s_.senders.queue_pair_of(s)];
    bool leads = false;
    bool has_room = false;
    for (const std::uint16_t local : s.local_ports()) {
      const std::uint32_t port = s.first_port + local;
      const std::uint32_t plane = s_.planes.plane_of(port);
      const bool is_usable = !s_.ports[port].is_down && known.may_use(plane, now);
      if (is_usable && known.has_room(plane)) return true;
      leads = leads || is_usable;
      has_room = has_room || known.has_room(plane);
    }
    return !leads && has_room;
  }

  /// A packet of the queue pair leaves by its port: the next one goes by another plane.
  void note_sent(SenderState& s) const {
    if (s.spreading != PortSpreading::kPlanes) return;
    const auto size = static_cast<std::uint32_t>(s_.planes.rotation(s.transport).size());
    s.turn = static_cast<std::uint16_t>((s.turn + 1U) % size);
  }

 private:
  /// How well a plane suits the next packet.
  enum class Fitness : std::uint8_t { kUnconnected, kDown, kUp, kLeadsThere, kHasRoom };
  [[nodiscard]] Fitness fitness_of(const SenderState& s, const PlaneSender& known,
                                   std::uint32_t plane, Picoseconds now) const {
    const std::uint16_t* local = port_in(s, plane);
    if (local == nullptr) return Fitness::kUnconnected;
    if (s_.ports[s.first_port + *local].is_down) return Fitness::kDown;
    if (!known.may_use(plane, now)) return Fitness::kUp;
    return known.has_room(plane) ? Fitness::kHasRoom : Fitness::kLeadsThere;
  }

  /// The next plane of the rotation whose port is up, that leads to the receiver, as far as known,
  /// and has room; else the next one that leads there; else whose port is up; else the next one.
  bool choose_plane(SenderState& s, Picoseconds now) {
    const std::vector<std::uint8_t>& rotation = s_.planes.rotation(s.transport);
    const auto size = static_cast<std::uint32_t>(rotation.size());
    const PlaneSender& known = s_.planes[s_.senders.queue_pair_of(s)];
    std::uint32_t found = size;
    Fitness best = Fitness::kUnconnected;
    for (std::uint32_t i = 0; i < size && best != Fitness::kHasRoom; ++i) {
      const std::uint32_t at = (s.turn + i) % size;
      const Fitness fitness = fitness_of(s, known, rotation[at], now);
      if (fitness <= best) continue;
      best = fitness;
      found = at;
    }
    if (found == size) return false;  // no port leads there
    s.turn = static_cast<std::uint16_t>(found);
    return take(s, *port_in(s, rotation[found]), now);
  }
  /// The port by hash, or the next one whose plane leads to the receiver; none if none is known to.
  std::optional<bool> keep_plane(SenderState& s, std::uint32_t choice, Picoseconds now) {
    const PlaneSender& known = s_.planes[s_.senders.queue_pair_of(s)];
    for (std::uint32_t i = 0; i < s.port_count; ++i) {
      const std::uint16_t local = s.first_local_port[(choice + i) % s.port_count];
      const std::uint32_t port = s.first_port + local;
      if (s_.ports[port].is_down || !known.may_use(s_.planes.plane_of(port), now)) continue;
      return take(s, local, now);
    }
    return std::nullopt;
  }
  /// Whether the plane of that port had been given up.
  bool take(SenderState& s, std::uint16_t local, Picoseconds now) {
    s.local_port = local;
    const TransportConstants& t = s_.constants.transports[s.transport];
    const std::uint32_t plane = s_.planes.plane_of(s.port());
    return s_.planes[s_.senders.queue_pair_of(s)].note_use(plane, now, t.plane_retry);
  }
  /// Null: none leads to the receiver.
  [[nodiscard]] const std::uint16_t* port_in(const SenderState& s, std::uint32_t plane) const {
    for (const std::uint16_t& local : s.local_ports()) {
      if (s_.planes.plane_of(s.first_port + local) == plane) return &local;
    }
    return nullptr;
  }

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

  NetworkState& s_;
};

}  // namespace weft::protocols
