#include "protocols/network/packet_model.hpp"

#include <bit>

namespace weft::protocols {
namespace {

/// What an agenda event of a fault means, packed into its value.
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

constexpr Picoseconds kDown = Picoseconds::max();

}  // namespace

template <class Path>
void PacketModel<Path>::schedule_faults(Cell& cell, const PortState& port) {
  const auto type = static_cast<std::uint32_t>(EventType::kFault);
  const auto file = [&](std::uint32_t fault, bool at_peer, bool is_end, Picoseconds time) {
    const std::uint32_t packed = HealthChange{fault, at_peer, is_end}.pack();
    schedule(cell, {.time = time,
                    .order = AgendaEvent::make_order(EventRank::kTimer, type, port.index, packed),
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

template <class Path>
void PacketModel<Path>::schedule_routes(Cell& cell, const PortState& port) {
  // Each node once; hosts with one port have no choice.
  const Node& node = s_.fabric.node(s_.fabric.port(port.id).node);
  if (node.first_port != port.id || (port.owner_is_host && node.port_count == 1)) return;
  const auto type = static_cast<std::uint32_t>(EventType::kRoutes);
  for (std::uint32_t i = 0; i < s_.route_changes.size(); ++i) {
    schedule(cell, {.time = s_.route_changes[i].at,
                    .order = AgendaEvent::make_order(EventRank::kTimer, type, port.index, i),
                    .type = type,
                    .target = port.index,
                    .value = i});
  }
}

template <class Path>
void PacketModel<Path>::change_health(const Here& here, PortState& port, std::uint32_t what) {
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

template <class Path>
void PacketModel<Path>::hold_peer(const Here& here, PortState& port, std::uint8_t classes,
                                  bool begins) {
  for (std::uint8_t c = 0; c < s_.constants.classes; ++c) {
    if ((classes & class_bit(c)) == 0 || !s_.constants.of_class[c].is_pfc) continue;
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

template <class Path>
void PacketModel<Path>::take_down(const Here& here, PortState& port) {
  port.is_down = true;
  port.ingress_up_since = kDown;
  port.pending_control = port.pauses_to_send = port.credits_to_send = 0;
  for (std::uint8_t c = 0; c < s_.constants.classes; ++c) {
    ClassQueue& queue = s_.queue(port, c);
    if ((port.paused & class_bit(c)) != 0) end_pause(port, c, here.now);
    if ((port.starved & class_bit(c)) != 0) end_stall(here, port, c);
    queue.credits = 0;
    s_.account(port, c).freed_blocks = 0;
  }
  port.update_blocked();
  if (port.owner_is_host) {
    host_.flush(here, port);
  } else {
    switch_.flush(here, port);
  }
}

template <class Path>
void PacketModel<Path>::bring_up(const Here& here, PortState& port) {
  port.is_down = false;
  port.ingress_up_since = here.now;
  port.update_blocked();
  for (std::uint8_t c = 0; c < s_.constants.classes; ++c) {
    const ClassConstants& constants = s_.constants.of_class[c];
    if (constants.is_pfc && control_.is_pausing(port, c)) {
      control_.send_pause(here, port, c);
    }
    if (constants.is_credit) {
      const std::int64_t held = s_.account(port, c).bytes / constants.block;
      control_.grant(here, port, c, static_cast<std::int32_t>(constants.credit_blocks - held));
    }
  }
  resume(here, port);
}

template class PacketModel<PlainPath>;
template class PacketModel<GeneralPath>;

}  // namespace weft::protocols
