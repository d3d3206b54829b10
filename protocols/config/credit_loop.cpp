#include "protocols/config/credit_loop.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <variant>

#include "protocols/packet/packet_kind.hpp"

namespace weft::protocols {
namespace {

/// What a port has where nothing is known of its switch: four data lanes, as switches of InfiniBand
/// have them, of the 2,048 blocks of 64 B that a credit counter of 12 bits can grant.
constexpr Bytes kUnknownPort = 4 * 128_KiB;
/// Of one class and port; its blocks fit 31 bits.
constexpr Bytes kMaxCredits = Bytes(1'073'741'824);

bool is_by_loop(const TrafficClass& c) {
  return c.is_credit() && c.network == NetworkKind::kScaleOut &&
         c.credit().buffer == kCreditsByLoop;
}

Bytes share_of(Bytes buffer, double part) {
  const double bytes = static_cast<double>(buffer.count()) * part;
  return Bytes(std::llround(std::min(bytes, static_cast<double>(kMaxCredits.count()))));
}

/// What every port of every switch has, at the least.
struct PortMemory {
  Bytes built = kMaxCredits;    ///< as switches are made: their buffers over all of their ports
  Bytes plugged = kMaxCredits;  ///< over the ports that have a cable
};

PortMemory port_memory(const Fabric& fabric, const SwitchConfig& switches) {
  PortMemory memory;
  for (const NodeId id : fabric.switches) {
    const Node& node = fabric.node(id);
    if (node.network != NetworkKind::kScaleOut || node.is_nic || node.port_count == 0) continue;
    const Bytes buffer = switches.buffer_of(node);
    memory.plugged = std::min(memory.plugged, share_of(buffer, 1.0 / node.port_count));
    for (const Port& port : fabric.ports_of(id)) {
      Bytes built = kUnknownPort;
      if (node.capacity > BitsPerSecond(0)) {
        built = share_of(buffer, std::min(1.0, static_cast<double>(port.rate.count()) /
                                                   static_cast<double>(node.capacity.count())));
      }
      memory.built = std::min(memory.built, built);
    }
  }
  return memory;
}

/// Of the longest loop of all cables.
Bytes loop_buffer(const Fabric& fabric, const SwitchConfig& switches, const CreditConfig& credit,
                  const std::vector<TransportConfig>& transports) {
  std::set<std::tuple<BitsPerSecond, Picoseconds, Picoseconds, NodeKind>> seen;
  Bytes max;
  for (std::size_t i = 0; i < fabric.ports.size(); ++i) {
    const PortId id(i);
    if (fabric.network_of(id) != NetworkKind::kScaleOut) continue;
    const Port& port = fabric.port(id);
    const bool is_new =
        seen.insert({port.rate, fabric.data_latency(id), fabric.port(port.peer).wire_latency,
                     fabric.node(fabric.peer_node(id)).kind})
            .second;
    if (!is_new) continue;
    max = std::max(max, credit_loop(fabric, id, switches, credit, transports).buffer(credit));
  }
  return max;
}

Bytes largest_packet_of(const std::vector<TransportConfig>& transports) {
  Bytes packet;
  for (const TransportConfig& transport : transports) {
    packet = std::max(packet, traits_of(transport).full_packet());
  }
  return packet;
}

}  // namespace

std::int64_t CreditLoop::packets_in(Picoseconds time) const {
  const Picoseconds each = transmission_time(packet, rate);
  return (time + each - Picoseconds(1)) / each;
}

Bytes CreditLoop::buffer(const CreditConfig& credit) const {
  return packets_in(longest) * credit.held_by(packet);
}

CreditLoop credit_loop(const Fabric& fabric, PortId from, const SwitchConfig& switches,
                       const CreditConfig& credit, const std::vector<TransportConfig>& transports) {
  const Port& port = fabric.port(from);
  const Port& back = fabric.port(port.peer);
  CreditLoop loop;
  loop.packet = largest_packet_of(transports);
  loop.rate = port.rate;
  const Picoseconds packet = transmission_time(loop.packet, port.rate);
  loop.min = packet + fabric.data_latency(from) + transmission_time(credit.update, back.rate) +
             credit.processing + back.wire_latency +
             transmission_time(credit.update_gap, back.rate);
  // A switch has its buffer back when the packet has left it; a host at once.
  const bool is_stored = switches.forwarding == SwitchConfig::Forwarding::kStoreAndForward &&
                         switches.release == SwitchConfig::Release::kTransmissionEnd;
  if (is_stored && fabric.node(fabric.peer_node(from)).kind == NodeKind::kSwitch) {
    loop.min += packet;
  }
  loop.longest = loop.min;
  if (credit.update > 0_B) loop.longest += transmission_time(loop.packet, back.rate);
  return loop;
}

void fill_credit_buffers(const Fabric& fabric, SwitchConfig& switches,
                         const std::vector<TransportConfig>& transports, std::uint8_t lanes) {
  if (std::none_of(switches.classes.begin(), switches.classes.end(), is_by_loop)) return;
  const auto set = [&](TrafficClass& c, Bytes bytes) {
    CreditConfig& credit = c.credit();
    const Bytes min = credit.held_by(largest_packet_of(transports));
    credit.buffer = std::max(min, std::min(bytes, kMaxCredits) / credit.block * credit.block);
  };
  std::vector<TrafficClass*> data;
  std::vector<TrafficClass*> others;
  Bytes taken;  // of a port, by classes whose buffers are settled
  for (const ClassId id : switches.all_classes()) {
    TrafficClass& c = switches.classes[id];
    if (!c.is_credit() || c.network != NetworkKind::kScaleOut) continue;
    if (!is_by_loop(c)) {
      taken += c.credit().buffer;
    } else {
      ((lanes & class_bit(id)) != 0 ? data : others).push_back(&c);
    }
  }
  const PortMemory memory = port_memory(fabric, switches);
  const auto each = [&](Bytes port, std::size_t classes) {
    return std::max(port - taken, 0_B) / static_cast<std::int64_t>(classes);
  };
  const Bytes fair = each(memory.plugged, data.size() + others.size());
  for (TrafficClass* c : others) {
    set(*c, std::min(loop_buffer(fabric, switches, c->credit(), transports), fair));
    taken += c->credit().buffer;
  }
  if (data.empty()) return;
  const Bytes built = each(memory.built, data.size());
  const Bytes plugged = each(memory.plugged, data.size());
  for (TrafficClass* c : data) {
    const Bytes loop = loop_buffer(fabric, switches, c->credit(), transports);
    set(*c, std::min(std::max(built, loop), plugged));
  }
}

}  // namespace weft::protocols
