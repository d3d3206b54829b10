#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/link/egress_gate.hpp"
#include "protocols/link/incident_log.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/link/link_retry.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What an calendar event of a fault means, packed into its value.
struct HealthChange {
  std::uint32_t fault;
  bool at_peer;  ///< the port receives from the faulty one
  bool is_end;

  [[nodiscard]] std::uint32_t pack() const {
    return (fault << 2U) | (at_peer ? 2U : 0U) | (is_end ? 1U : 0U);
  }
  static HealthChange unpack(std::uint32_t packed) {
    return {packed >> 2U, (packed & 2U) != 0, (packed & 1U) != 0};
  }
};

/// Faults of links and NICs, as events of the ports that they concern. `Nodes` takes packets out of
/// a port whose link fails, and sends again when it is back.
template <class Nodes>
class LinkHealth {
 public:
  LinkHealth(NetworkState& state, Nodes& nodes)
      : s_(state), node_(nodes), control_(state), gate_(state), incidents_(state) {}

  /// Files the beginnings and ends of the faults of `port`, both as a sender and as a receiver.
  void schedule_faults(LogicalProcess& lp, const PortState& port) {
    const auto type = static_cast<std::uint32_t>(EventType::kFault);
    const auto file = [&](std::uint32_t fault, bool at_peer, bool is_end, Picoseconds time) {
      const std::uint32_t packed = HealthChange{fault, at_peer, is_end}.pack();
      schedule(lp,
               {.time = time,
                .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index, packed),
                .type = type,
                .target = port.index,
                .value = packed});
    };
    for (std::uint32_t i = 0; i < s_.faults.size(); ++i) {
      const Fault& fault = s_.faults[i];
      const bool is_peer = fault.port == port.peer;
      if (fault.port != port.id && !is_peer) continue;
      if (fault.kind == Fault::Kind::kNicPause && is_peer) continue;
      file(i, is_peer, false, fault.at);
      if (fault.until != Fault::kForever) file(i, is_peer, true, fault.until);
    }
  }

  /// Files the changes of the routes of the node whose first port is `port`.
  void schedule_routes(LogicalProcess& lp, const PortState& port) {
    // Each node once; hosts with one port have no choice.
    const Node& node = s_.fabric.node(s_.fabric.port(port.id).node);
    if (node.first_port != port.id || (port.owner_is_host && node.port_count == 1)) return;
    const auto type = static_cast<std::uint32_t>(EventType::kRoutes);
    for (std::uint32_t i = 0; i < s_.route_changes.size(); ++i) {
      schedule(lp, {.time = s_.route_changes[i].at,
                    .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index, i),
                    .type = type,
                    .target = port.index,
                    .value = i});
    }
  }

  /// A fault begins or ends, as `what` says.
  void change(const Here& here, PortState& port, std::uint32_t what) {
    const HealthChange change = HealthChange::unpack(what);
    const Fault& fault = s_.faults[change.fault];
    switch (fault.kind) {
      case Fault::Kind::kNicPause:
        hold_peer(here, port, fault.classes, !change.is_end);
        break;
      case Fault::Kind::kLinkRate: {
        const PortState& from = change.at_peer ? s_.ports[port.peer.value()] : port;
        const BitsPerSecond rate = change.is_end ? from.nominal_rate : fault.rate;
        if (change.at_peer) {
          port.ingress_rate = rate;
        } else {
          port.set_rate(rate);
        }
        break;
      }
      case Fault::Kind::kLinkLatency: {
        const Picoseconds latency = change.is_end ? Picoseconds() : fault.latency;
        AddedLatency& added = s_.added_latency[port.index];
        (change.at_peer ? added.ending : added.leaving) = latency;
        break;
      }
      case Fault::Kind::kLinkErrors:
        change_errors(here, port, change, fault);
        break;
      case Fault::Kind::kLinkDown:
        // Both ends of the cable, once each.
        if (change.is_end) {
          bring_up(here, port);
        } else {
          take_down(here, port);
        }
        break;
    }
  }

  /// Whether link control that was sent at `sent` met a link that is down, or was until then.
  [[nodiscard]] bool was_lost(const PortState& port, Picoseconds sent) const {
    if (!s_.constants.has_faults) return false;
    return sent - added_to(port) < port.ingress_up_since;
  }
  /// Whether errors of its link have corrupted a packet that comes in by `port`.
  [[nodiscard, gnu::always_inline]] bool was_spoilt(const PortState& port, const Packet& packet) {
    return s_.constants.has_losses &&
           s_.losses[port.index].corrupts(packet.wire_size(), s_.constants.seed, port.index);
  }
  /// What a corrupted packet held of the buffer of a credit class is granted again, as FCCL and
  /// FCTBS make it (InfiniBand), or when CBFC's next CC_Update comes.
  void grant_spoilt(const Here& here, PortState& port, const Packet& packet) {
    const ClassId c = class_of(packet);
    const ClassConstants& constants = s_.constants.of_class[c];
    if (!constants.is_credit) return;
    const std::int32_t blocks = constants.blocks(packet.wire_size());
    if ((s_.constants.cbfc & class_bit(c)) != 0) {
      control_.lose(here, port, c, blocks);
    } else {
      control_.grant(here, port, c, blocks);
    }
  }
  /// Whether an outage of its link took a packet: its first bit left before the end of the last
  /// one.
  [[nodiscard, gnu::always_inline]] bool was_broken(const PortState& port, const Packet& packet,
                                                    Picoseconds now) const {
    return port.ingress_up_since != Picoseconds() && left_too_early(port, packet, now);
  }

 private:
  static constexpr Picoseconds kDown = Picoseconds::max();

  [[nodiscard, gnu::noinline]] bool left_too_early(const PortState& port, const Packet& packet,
                                                   Picoseconds now) const {
    const PortState& from = s_.ports[port.peer.value()];
    const bool cuts = s_.constants.cut_through && !port.owner_is_host;
    const Bytes bytes =
        cuts ? std::min(packet.wire_size(), s_.constants.cut_through_after) : packet.wire_size();
    return now - from.data_latency - added_to(port) -
               PortState::transmission_at(bytes, port.ingress_rate) <
           port.ingress_up_since;
  }

  /// What a fault adds to the latency of the link that ends at `port`, as of now.
  [[nodiscard]] Picoseconds added_to(const PortState& port) const {
    return s_.constants.has_added_latency ? s_.added_latency[port.index].ending : Picoseconds();
  }
  /// Errors are drawn where a link ends; with retry where it begins, for the same end.
  void change_errors(const Here& here, const PortState& port, const HealthChange& change,
                     const Fault& fault) {
    change_control_errors(port, change, fault);
    if (change.at_peer && change.is_end) {
      incidents_.end(port, PortIncident::Kind::kErrors, {}, here.now);
    } else if (change.at_peer) {
      incidents_.begin(
          port, {.kind = PortIncident::Kind::kErrors, .begin = here.now, .noticed = here.now});
    }
    if (change.at_peer == port.has_retry) return;
    const PortId end = port.has_retry ? port.peer : port.id;
    const LinkErrors& usual = s_.fabric.port(s_.fabric.port(end).peer).errors;
    s_.losses[end.value()].change(change.is_end ? usual : fault.errors, s_.constants.seed,
                                  end.value());
  }
  /// Of what CBFC sends: updates are drawn where they leave, CC_Updates where they come in.
  void change_control_errors(const PortState& port, const HealthChange& change,
                             const Fault& fault) {
    const PortId end = change.at_peer ? port.id : port.peer;
    const LinkErrors& errors =
        change.is_end ? s_.fabric.port(s_.fabric.port(end).peer).errors : fault.errors;
    for (const ClassId c : s_.classes_of(port)) {
      if ((s_.constants.cbfc & class_bit(c)) == 0) continue;
      CbfcState& state = s_.cbfc_at(port, c);
      if (change.at_peer) {
        state.repair_losses.change(errors, s_.constants.seed, repair_stream(s_, c, end.value()));
      } else {
        state.update_losses.change(errors, s_.constants.seed, update_stream(s_, c, end.value()));
      }
    }
  }
  void hold_peer(const Here& here, PortState& port, std::uint8_t classes, bool begins) {
    for (const ClassId c : s_.classes_of(port)) {
      if ((classes & class_bit(c)) == 0 || !s_.class_at(port, c).is_pfc) continue;
      const bool was_pausing = control_.is_pausing(port, c);
      if (begins) {
        port.forced_pauses |= class_bit(c);
      } else {
        port.forced_pauses &= static_cast<std::uint8_t>(~class_bit(c));
      }
      if (control_.is_pausing(port, c) != was_pausing) {
        control_.send_pause(here, port, c);
      }
    }
  }

  void take_down(const Here& here, PortState& port) {
    port.is_down = true;
    incidents_.begin(port, {.begin = here.now, .noticed = here.now});
    port.ingress_up_since = kDown;
    port.pending_control = port.pauses_to_send = port.credits_to_send = 0;
    if (port.has_retry) LinkRetry(s_).take_down(here, port);
    gate_.forget(here, port);
    for (const ClassId c : s_.classes_of(port)) {
      s_.account(port, c).freed_blocks = 0;
      if ((s_.constants.cbfc & class_bit(c)) != 0) {
        CbfcState& state = s_.cbfc_at(port, c);
        state.lost = 0;
        ++state.outages;
      }
      if (!s_.watchdogs.empty()) s_.watchdog_at(port, c).is_told_to_pause = false;
    }
    port.update_blocked();
    node_.flush(here, port);
  }

  void bring_up(const Here& here, PortState& port) {
    port.is_down = false;
    incidents_.end(port, PortIncident::Kind::kOutage, {}, here.now);
    if (port.has_retry) {
      LinkRetry(s_).bring_up(port);
      incidents_.end_given_up(port, here.now);
    }
    port.ingress_up_since = here.now;
    port.update_blocked();
    for (const ClassId c : s_.classes_of(port)) {
      const ClassConstants& constants = s_.class_at(port, c);
      if (constants.is_pfc && control_.is_pausing(port, c)) {
        control_.send_pause(here, port, c);
      }
      if (constants.is_credit) {
        const std::int64_t held = s_.account(port, c).bytes / constants.block;
        control_.grant(here, port, c, static_cast<std::int32_t>(constants.credit_blocks - held));
      }
    }
    node_.restore(here, port);
  }

  NetworkState& s_;
  Nodes& node_;
  LinkControl control_;
  EgressGate gate_;
  IncidentLog incidents_;
};

}  // namespace weft::protocols
