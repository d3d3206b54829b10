#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "protocols/observation/port_incident.hpp"
#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Writes down what fails at ports, what is lost to it and what senders notice. Each list is
/// written by the logical process of its port or sender alone. What is rare is out of line, since
/// the packet path asks for it.
class IncidentLog {
 public:
  using Kind = PortIncident::Kind;

  explicit IncidentLog(NetworkState& state) : s_(state) {}

  void begin(const PortState& port, const PortIncident& incident) {
    s_.incidents[port.index].push_back(incident);
  }
  void end(const PortState& port, Kind kind, ClassId c, Picoseconds now) {
    if (PortIncident* open = last(port, kind, c); open != nullptr) open->end = now;
  }
  /// A failure took a packet at `port`: of a kind that is counted among `fault_drops`.
  [[gnu::noinline]] void lose_to_fault(const Here& here, PortState& port, const Packet& packet,
                                       Kind kind) {
    ++port.fault_drops;
    if (s_.incidents.empty()) return;  // routes lacked a next hop from the start
    PortIncident* incident = last(port, kind, {});
    if (incident == nullptr) {
      begin(port, {.kind = kind, .begin = here.now, .noticed = here.now});
      incident = &s_.incidents[port.index].back();
    }
    note(here, *incident, packet);
  }
  /// Errors of a fault corrupted a packet; those that a link always has are no incident.
  [[gnu::noinline]] void lose_to_errors(const Here& here, const PortState& port,
                                        const Packet& packet) {
    if (s_.incidents.empty()) return;
    PortIncident* incident = last(port, Kind::kErrors, {});
    if (incident != nullptr && incident->end == PortIncident::kLasting) {
      note(here, *incident, packet);
    }
  }
  [[gnu::noinline]] void lose_to_storm(const Here& here, const PortState& port,
                                       const Packet& packet) {
    note(here, *last(port, Kind::kStorm, class_of(packet)), packet);
  }

  /// The retry of the link that leaves `port` gives up, for the first time or again: one incident
  /// of the port lasts from the first time until the last restart.
  void give_up_retry(const PortState& port, Picoseconds now) {
    if (s_.incidents.empty()) return;
    PortIncident* incident = last(port, Kind::kGivenUp, {});
    if (incident == nullptr) {
      begin(port, {.kind = Kind::kGivenUp, .begin = now, .noticed = now});
    } else {
      incident->end = PortIncident::kLasting;
    }
  }
  /// The two ends of the link have restarted.
  void end_given_up(const PortState& port, Picoseconds now) {
    if (s_.incidents.empty()) return;
    PortIncident* incident = last(port, Kind::kGivenUp, {});
    if (incident != nullptr) incident->end = std::min(incident->end, now);
  }
  [[gnu::noinline]] void lose_to_retry(const Here& here, const PortState& port,
                                       const Packet& packet) {
    if (s_.incidents.empty()) return;
    if (PortIncident* incident = last(port, Kind::kGivenUp, {})) note(here, *incident, packet);
  }

  /// A queue pair sends again. Of what follows the beginning of a fault the first one is kept.
  void note_repeat(QueuePairId qp, Picoseconds now) {
    if (!s_.notices.empty()) [[unlikely]]
      note_repeat_after_fault(qp, now);
  }
  [[gnu::noinline]] void note_repeat_after_fault(QueuePairId qp, Picoseconds now) {
    const auto later = std::ranges::upper_bound(s_.fault_times, now);
    if (later == s_.fault_times.begin()) return;
    std::vector<Picoseconds>& repeats = s_.notices[qp].repeats;
    if (repeats.empty() || repeats.back() < *(later - 1)) repeats.push_back(now);
  }
  /// `receiver` said that it has lost a plane.
  void note_told(QueuePairId qp, HostId receiver, Picoseconds now) {
    if (s_.notices.empty()) return;
    s_.notices[qp].receiver = receiver;
    s_.notices[qp].told.push_back(now);
  }

 private:
  [[nodiscard]] PortIncident* last(const PortState& port, Kind kind, ClassId c) {
    std::vector<PortIncident>& all = s_.incidents[port.index];
    for (std::size_t i = all.size(); i-- > 0;) {
      if (all[i].kind == kind && all[i].traffic_class == c) return &all[i];
    }
    return nullptr;
  }
  void note(const Here& here, PortIncident& incident, const Packet& packet) {
    const bool is_data =
        kind_of(packet) == PacketKind::kData && (packet.flow & kInNetworkFlow) == 0;
    incident.lose(here.now, packet.wire_size());
    if (is_data && queue_pair_of(packet) < s_.senders.first_added_up()) {
      incident.losers.add(queue_pair_of(packet));
    }
  }

  NetworkState& s_;
};

}  // namespace weft::protocols
