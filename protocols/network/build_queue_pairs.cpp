#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/sender.hpp"
#include "simcore/base/check.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/zero_load.hpp"

namespace weft::protocols {
namespace {

/// The local port that a queue pair starts at, and stays at if its packets are not spread.
std::uint16_t first_choice(const NetworkState& s, const SenderState& sender) {
  const auto n = std::uint32_t{sender.port_count};
  if (n == 0) return 0;  // there is no path to the destination
  return sender.local_ports()[s.choose_host_port(sender.host, sender.entropy, n)];
}

/// Where a host is in its scale-up domain: its index, and of how many. Others are by themselves.
struct Place {
  std::uint32_t number = 0;
  std::uint32_t of = 1;
};

/// By host.
IdVector<HostId, Place> places_in_domains(const Fabric& fabric) {
  std::vector<std::uint32_t> sizes;
  const auto size_of = [&](NodeId host) -> std::uint32_t* {
    const std::int32_t domain = fabric.node(host).domain;
    if (domain < 0) return nullptr;
    const auto number = static_cast<std::size_t>(domain);
    if (sizes.size() <= number) sizes.resize(number + 1);
    return &sizes[number];
  };
  IdVector<HostId, Place> places(fabric.hosts.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (std::uint32_t* size = size_of(fabric.hosts[i])) places[HostId(i)].number = (*size)++;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (const std::uint32_t* size = size_of(fabric.hosts[i])) places[HostId(i)].of = *size;
  }
  return places;
}

/// Which of its ports a queue pair that takes them in turn begins with: anywhere, so that hosts do
/// not go in step. Inside a domain that follows from places in it, so that domains behave alike.
/// Those whose data scale-up switches work on go back to where they come from; of one label they
/// begin at equal distances, or one link further each where GPUs are more than links, so that all
/// links have as much to do: drawn, some scale-up switches would have sums of more GPUs than others
/// from beginning to end, and the rate would depend on the draw.
///
/// `number`: as flow_entropy takes it.
std::uint16_t first_turn_of(HostId from, HostId to, std::uint32_t number, std::size_t ports,
                            bool is_inside, const IdVector<HostId, Place>& places) {
  if (ports == 0) return 0;
  const auto n = static_cast<std::uint32_t>(ports);
  std::uint64_t key = flow_entropy(from, to, number);
  if (is_inside && from == to) {
    const Place& own = places[from];
    key = std::uint64_t{number} + std::uint64_t{own.number} * n / std::min(own.of, n);
  } else if (is_inside) {
    const std::uint64_t way = std::uint64_t{places[from].number} << 32U;
    key = mix64(way | places[to].number, number);
  }
  return static_cast<std::uint16_t>(key % n);
}

/// The port of a host in a plane by which it reaches another one; absent: none is.
std::optional<PortId> port_in_plane(const NetworkState& s, HostId from, HostId to,
                                    std::uint32_t plane) {
  const std::uint32_t first = s.fabric.host(from).first_port.value();
  for (const std::uint16_t local : s.routes.host_ports(from, to)) {
    if (s.planes.plane_of(first + local) == plane) return PortId(first + local);
  }
  return std::nullopt;
}

/// Base RTT and hops of a queue pair's data, with ACKs that take the same way back. `plane`: of
/// what takes this one; absent: the one that its hash gives.
void describe_path(const NetworkState& s, const SenderState& sender, const TransportConstants& t,
                   congestion::FlowStart& start, std::optional<std::uint32_t> plane = {}) {
  const HostId from = sender.host;
  const HostId to = sender.destination;
  const auto hops_between = [&](HostId a, HostId b) {
    const std::optional<PortId> first =
        plane ? port_in_plane(s, a, b, *plane) : std::optional<PortId>();
    const auto path =
        first ? flow_path_from(s.fabric, s.routes, s.constants.seed, *first, b, sender.entropy)
              : flow_path(s.fabric, s.routes, s.constants.seed, a, b, sender.entropy);
    std::vector<PathHop> hops = hops_of(s.fabric, path);
    if (s.constants.receive_rate != BitsPerSecond() && !hops.empty() &&
        s.fabric.network_between(a, b) == NetworkKind::kScaleOut) {
      hops.push_back({.rate = s.constants.receive_rate, .latency = {}, .takes_whole = true});
    }
    return hops;
  };
  const std::vector<PathHop> there = hops_between(from, to);
  const std::vector<PathHop> back = hops_between(to, from);
  if (there.empty() || back.empty()) return;  // there is no path, and nothing will be sent
  const Framing framing{
      .payload = t.payload,
      .header = t.header,
      .ack_size = Bytes(t.ack_size),
      .cut_through = s.constants.cut_through ? s.constants.cut_through_after : Bytes()};
  start.base_rtt = zero_load(framing.payload, framing, there, back).completed;
  // Switches; a NIC that takes packets in is none.
  start.hops =
      static_cast<std::uint32_t>(std::ranges::count(there, false, &PathHop::takes_whole) - 1);
}

/// The first context to a destination, of each host, class and transport.
using SharedContexts = std::map<std::tuple<HostId, HostId, ClassId, std::uint8_t>, QueuePairId>;

/// What a control that counts bytes learns of its packets and its class.
void describe_class(const NetworkState& s, const SenderState& sender, const TransportConstants& t,
                    congestion::FlowStart& start) {
  const ClassConstants& c = s.constants.of_class[sender.traffic_class];
  start.packet = t.payload + t.delivery.counted_header;
  start.trims = c.trims && t.uses_trimming;
  start.drop_limit = c.egress_limit;
}

/// 15 us and what six full queues of the class take to drain, or 1 ms where these have no limit.
Picoseconds timeout_by_queue(const NetworkState& s, const SenderState& sender) {
  const Bytes queue = s.constants.of_class[sender.traffic_class].egress_limit;
  if (queue == Bytes()) return 1_ms;
  return 15_us + 6 * transmission_time(queue, s.line_rate(sender));
}

/// Gives a queue pair the state of a packet delivery context, and makes it share the congestion
/// context of others to its destination.
void start_context(NetworkState& s, SharedContexts& contexts, QueuePairId qp,
                   const std::optional<congestion::RcccConfig>& credit,
                   congestion::FlowStart start) {
  SenderState& sender = s.senders.whole(qp);
  const TransportConstants& t = s.constants.transports[sender.transport];
  UecSender& u = s.uec.add(qp);
  u.timeout = t.delivery.timeout;
  if (u.timeout == PacketDelivery::kByQueue) u.timeout = timeout_by_queue(s, sender);
  UecReceiver& r = s.uec.receiver(receiver_of(qp));
  if (t.has_window_per_plane) s.uec.add_planes(r, s.planes.count());
  u.next_in_context = u.first_in_context = qp;
  r.first_in_context = receiver_of(qp);
  sender.control_slot = congestion::ControlStates::kNoSlot;
  sender.window = kNoIndex;
  sender.asks_ack = true;
  const auto key =
      std::tuple(sender.host, sender.destination, sender.traffic_class, sender.transport);
  const auto [first, is_new] = contexts.try_emplace(key, qp);
  if (is_new) {
    start.packet = t.full_size();
    if (credit) u.credit_slot = r.credit_slot = s.uec.add_credit(*credit, start);
    return;
  }
  UecSender& other = s.uec.sender(first->second);
  u.first_in_context = first->second;
  r.first_in_context = receiver_of(first->second);
  u.credit_slot = r.credit_slot = other.credit_slot;
  u.next_in_context = std::exchange(other.next_in_context, qp);
  sender.control_slot = s.senders.whole(first->second).control_slot;
}

void start_entropy(NetworkState& s, QueuePairId qp) {
  const SenderState& sender = s.senders.whole(qp);
  const path_selection::ChoiceRef choice = s.constants.transports[sender.transport].entropy;
  if (choice.is_fixed()) return;
  static_assert(path_selection::EvStates::kMaxPlanes >= kMaxPlanes);
  s.entropies.start(choice, qp, sender.entropy, s.planes_of(qp));
  s.entropies.at_prober(choice, qp, [&](const auto& paths, const auto& /*p*/) {
    if (s.planes.is_used()) s.planes[qp].pathless = paths.planes_without_values();
    s.path_histories.resize(s.hosts.size() * s.path_planes());
  });
}

/// The state of a congestion control, or one after the other those of all planes; returns the slot
/// of the first.
std::uint32_t start_windows(NetworkState& s, const SenderState& sender, const TransportConstants& t,
                            congestion::FlowStart start) {
  if (!s.has_window_per_plane(sender)) {
    return s.controls.start(t.control, start, t.is_per_message);
  }
  std::uint32_t first = congestion::ControlStates::kNoSlot;
  for (std::uint32_t plane = 0; plane < s.planes.count(); ++plane) {
    const std::optional<PortId> port = port_in_plane(s, sender.host, sender.destination, plane);
    if (port) {
      start.line_rate = s.ports[port->value()].nominal_rate;
      describe_path(s, sender, t, start, plane);
    }
    first = std::min(first, s.controls.start(t.control, start));
  }
  return first;
}

/// Gives a queue pair the state of its transport's congestion control and of its selective repeat,
/// if that has them.
void start_control(NetworkState& s, SharedContexts& contexts, QueuePairId qp,
                   const std::optional<congestion::RcccConfig>& credit) {
  SenderState& sender = s.senders.whole(qp);
  const TransportConstants& t = s.constants.transports[sender.transport];
  sender.window = t.window;
  congestion::FlowStart start{
      .line_rate = s.line_rate(sender), .packet = t.payload + t.header, .payload = t.payload};
  if (t.has_contexts) describe_class(s, sender, t, start);
  if (t.control.needs.path || t.is_selective || t.has_grants()) {
    describe_path(s, sender, t, start);
  }
  if (t.is_selective) {
    sender.repair = static_cast<std::uint32_t>(s.repairs.size());
    Repair& repair = s.repairs.emplace_back();
    repair.cap = t.cap(congestion::window_of(start.line_rate, start.base_rtt, start.packet));
    repair.limit = t.window;
    repair.set_window(sender);
  }
  if (t.has_contexts) start_context(s, contexts, qp, credit, start);
  if (t.control.is_none()) return;
  if (t.control.needs.contexts && sender.control_slot != congestion::ControlStates::kNoSlot) {
    return;  // that of another one to the same destination
  }
  sender.control_slot = start_windows(s, sender, t, start);
  Sender(s).set_window(sender, t.limited(s.controls.window(t.control, sender.control_slot)));
}

/// What packets of a transport have records for.
Telemetry::Use use_of_records(const TransportConstants& t) {
  if (t.control.needs.telemetry) return Telemetry::Use::kReports;
  return t.has_grants() ? Telemetry::Use::kRequests : Telemetry::Use::kNothing;
}

/// Gives a queue pair of TCP the state of an open connection, whose handshake has measured the
/// round trip of an idle network.
void start_tcp(NetworkState& s, QueuePairId qp) {
  SenderState& sender = s.senders.whole(qp);
  const TransportConstants& t = s.constants.transports[sender.transport];
  if (!t.is_stream) return;
  congestion::FlowStart start;
  describe_path(s, sender, t, start);
  if (!s.tcp.is_used()) s.tcp.resize(s.senders.size());
  TcpSender& tcp = s.tcp.add(qp);
  tcp.round_trips.add(start.base_rtt, {.min = t.retransmit_timeout, .max = t.max_timeout});
  tcp.delay = start.base_rtt;
  tcp.window = sender.window;
  sender.first_of_message = false;
}

/// Makes `receiver` the far end of `sender`.
void connect(const NetworkState& s, ReceiverState& receiver, const SendingEnd& sender,
             const Connection& connection) {
  receiver.host = sender.host;
  receiver.connection = sender.connection;
  receiver.traffic_class = sender.traffic_class;
  receiver.transport = sender.transport;
  receiver.process = connection.destination;
  receiver.latency_group = s.latency_group_of(connection);
}

/// The receiving ends of a multicast, one per member of its group.
void add_multicast(NetworkState& s, SenderState& sender, const Connection& connection) {
  const auto number = static_cast<std::uint32_t>(s.multicasts.size());
  sender.marks = kMulticastFlow | number;
  const auto receivers = static_cast<std::uint32_t>(s.copy_receivers.size());
  s.multicasts.push_back({.first_receiver = ReceiverId(s.first_copy.value() + receivers),
                          .group = connection.group,
                          .connection = sender.connection,
                          .latency_group = s.latency_group_of(connection)});
  s.copy_receivers.resize(receivers + s.members_of(s.multicasts.back()).size());
  for (std::size_t i = receivers; i < s.copy_receivers.size(); ++i) {
    s.copy_receivers[i].multicast = number;
  }
}

void add_group(NetworkState& s, const ProcessGroup& group) {
  ReductionMembers& members = s.groups.emplace_back();
  members.processes = group.members;
  members.hosts.reserve(group.members.size());
  for (const ProcessId member : group.members) {
    members.hosts.push_back(s.processes[member.value()].host);
  }
  members.by_host = members.hosts;
  std::ranges::sort(members.by_host);
}

/// Whether scale-up switches reduce what the connection carries.
bool is_added_up(const Connection& connection) {
  return connection.kind == Connection::Kind::kReduce;
}

/// By what connections to a sum are told from those to others.
auto sum_of(const Connection& c) { return std::tuple(c.group, c.flow_label, c.destination); }

/// What `connection`, of the first member, and others are added up to. All members begin at the
/// same of their links, the one that the owner begins at by itself.
Reduction reduction_of(const NetworkState& s, const Connection& connection,
                       const IdVector<HostId, Place>& places) {
  Reduction reduction;
  const HostId owner = s.processes[connection.destination.value()].host;
  const std::size_t links = s.routes.host_ports(owner, owner).size();
  const std::uint32_t number = queue_pair_number(connection.flow_label, 0);
  reduction.owner = owner;
  reduction.entropy = flow_entropy(owner, owner, number);
  reduction.links = static_cast<std::uint32_t>(links);
  reduction.offset = first_turn_of(owner, owner, number, links, true, places);
  reduction.group = connection.group;
  return reduction;
}

/// Makes the queue pairs whose data scale-up switches reduce contribute to sums: those of one lie
/// side by side.
void join_reductions(NetworkState& s, const std::vector<Connection>& connections) {
  const IdVector<HostId, Place> places = places_in_domains(s.fabric);
  const Connection* before = nullptr;
  for (std::uint32_t i = s.senders.first_added_up().value(); i < s.senders.size(); ++i) {
    SendingEnd& sender = s.senders[QueuePairId(i)];
    const Connection& connection = connections[sender.connection.value()];
    const TransportConstants& transport = s.constants.transports[sender.transport];
    const std::vector<HostId>& members = s.groups[connection.group].by_host;
    if (before == nullptr || sum_of(*before) != sum_of(connection)) {
      Reduction& reduction = s.reductions.emplace_back(reduction_of(s, connection, places));
      reduction.first_queue_pair = QueuePairId(i);
      reduction.window = transport.reduction_window;
      reduction.counts =
          SmallCounts(std::size_t{reduction.links} * reduction.window, members.size());
    }
    before = &connection;
    Reduction& reduction = s.reductions.back();
    sender.marks = kReduceFlow | static_cast<std::uint32_t>(s.reductions.size() - 1);
    const std::uint32_t member = i - reduction.first_queue_pair.value();
    WEFT_CHECK(member < members.size() && sender.host == members[member], "all members contribute");
    WEFT_CHECK(!transport.reliable, "scale-up switches acknowledge nothing");
    WEFT_CHECK(s.routes.host_ports(sender.host, reduction.owner).size() == reduction.links,
               "members are alike");
    if (connection.source != connection.destination) continue;
    reduction.receiver = ReceiverId(s.receivers.size());
    connect(s, s.receivers.emplace_back(), sender, connection);
  }
}

/// Where the first packet does not go by the first link, the links before it are a round ahead.
void start_rounds(NetworkState& s, std::uint32_t max_links, std::uint32_t largest_window) {
  const std::span<const SendingEnd> all = s.senders.all_added_up();
  s.rounds_done = RoundCounts(all.size(), max_links, largest_window);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint32_t offset = s.reduction_of(all[i]).offset;
    for (std::uint32_t link = 0; link < offset; ++link) s.rounds_done.add(i, link);
  }
}

void make_room_for_contexts(NetworkState& s) {
  if (!s.constants.needs().has(Feature::kContexts)) return;
  s.uec.resize(s.senders.size());
  s.uec.resize_hosts(s.fabric.hosts.size());
}

/// What receivers of each transport grant by.
using ReceiverControls = std::vector<std::optional<congestion::RcccConfig>>;

ReceiverControls receiver_controls(const PacketNetwork::Options& options, std::size_t count) {
  ReceiverControls controls{traits_of(options.transport).receiver_control};
  for (const TransportConfig& transport : options.more_transports) {
    controls.push_back(traits_of(transport).receiver_control);
  }
  controls.resize(count);  // inside scale-up domains none
  return controls;
}

/// Queue pairs of one host are contiguous, whatever the order of the connections; after all others
/// those whose data scale-up switches reduce, since a sum has one receiving end, and of one sum
/// together.
std::vector<std::uint32_t> order_of_queue_pairs(const NetworkState& s,
                                                const std::vector<Connection>& connections) {
  std::vector<std::uint32_t> order(connections.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Connection& first = connections[a];
    const Connection& second = connections[b];
    if (is_added_up(first) != is_added_up(second)) return is_added_up(second);
    if (is_added_up(first) && sum_of(first) != sum_of(second)) {
      return sum_of(first) < sum_of(second);
    }
    return s.processes[first.source.value()].host < s.processes[second.source.value()].host;
  });
  return order;
}

/// How each transport uses queue pairs; those inside domains carry data one way.
std::vector<QueuePairUse> uses_of(const PacketNetwork::Options& options, std::uint32_t transports) {
  std::vector<QueuePairUse> uses(transports, QueuePairUse::kOneWay);
  uses[0] = traits_of(options.transport).queue_pair_use;
  for (std::size_t i = 0; i < options.more_transports.size(); ++i) {
    uses[i + 1] = traits_of(options.more_transports[i]).queue_pair_use;
  }
  return uses;
}

/// Whom hosts tell of their ports: of each sender to them one queue pair.
void find_listeners(NetworkState& s) {
  if (!s.planes.is_used()) return;
  std::map<std::pair<HostId, HostId>, ReceiverId> first;  // by host and its peer
  for (const SenderState& sender : s.senders.all_whole()) {
    const TransportConstants& t = s.constants.transports[sender.transport];
    if (t.plane_notice != PlaneConfig::Notice::kPortStatus || sender.is_in_network()) continue;
    first.try_emplace({sender.destination, sender.host},
                      receiver_of(s.senders.queue_pair_of(sender)));
  }
  std::vector<std::pair<HostId, ReceiverId>> listeners;
  listeners.reserve(first.size());
  for (const auto& [pair, receiver] : first) listeners.emplace_back(pair.first, receiver);
  s.planes.set_listeners(listeners);
}

}  // namespace

/// Where some transport selects planes, all have a list, which may be empty. A network of a
/// scale-up domain alone has none to select.
void PacketNetwork::build_planes() {
  NetworkState& s = *state_;
  std::vector<std::vector<std::uint8_t>> rotations(s.constants.transport_count);
  bool is_used = false;
  PlaneMap map;
  for (std::uint32_t i = 0; i < s.constants.scale_out_transports; ++i) {
    if (!s.constants.transports[i].selects_planes()) continue;
    if (!is_used) map = planes_of(s.fabric);
    if (map.planes == 0) continue;
    is_used = true;
    const TransportConfig& transport =
        i == 0 ? options_.transport : options_.more_transports[i - 1];
    std::vector<std::uint32_t> weights = traits_of(transport).planes.weights;
    if (weights.empty()) weights.assign(map.planes, 1);
    WEFT_CHECK(map.problem.empty() && weights.size() == map.planes, "planes can be selected");
    rotations[i] = plane_rotation(weights);
  }
  if (!is_used) return;
  s.planes.start(std::move(map), std::move(rotations), s.senders.size(), s.fabric.hosts.size());
}

std::uint8_t PacketNetwork::transport_of(const Connection& connection) const {
  const Fabric& fabric = state_->fabric;
  const HostId from = state_->processes[connection.source.value()].host;
  const HostId to = state_->processes[connection.destination.value()].host;
  if (options_.scale_up.empty() || fabric.network_between(from, to) == NetworkKind::kScaleOut) {
    return connection.transport;
  }
  const auto domain = static_cast<std::size_t>(fabric.host(from).domain);
  const std::vector<std::uint8_t>& kinds = options_.scale_up_of_domain;
  const std::size_t kind = domain < kinds.size() ? kinds[domain] : 0;
  return static_cast<std::uint8_t>(state_->constants.scale_out_transports + 2 * kind +
                                   (connection.kind == Connection::Kind::kUnicast ? 0 : 1));
}

const ScaleUpConfig* PacketNetwork::domain_of(std::uint8_t transport) const {
  const std::uint32_t first = state_->constants.scale_out_transports;
  return transport < first ? nullptr : &options_.scale_up[(transport - first) / 2];
}

PortSpreading PacketNetwork::spreading_of(const Connection& connection,
                                          std::uint8_t transport) const {
  // What scale-up switches reduce has to meet at one of them.
  if (connection.kind != Connection::Kind::kUnicast) return PortSpreading::kRoundRobin;
  if (const ScaleUpConfig* domain = domain_of(transport)) return domain->spreading;
  switch (state_->constants.transports[transport].plane_choice) {
    case PlaneConfig::Choice::kPacket:
      return PortSpreading::kPlanes;
    case PlaneConfig::Choice::kQueuePair:
      return PortSpreading::kFlow;
    case PlaneConfig::Choice::kBalanced:
      break;
  }
  const LoadBalancing& balancing = options_.switches.balancing(connection.traffic_class);
  switch (balancing.type) {
    case LoadBalancing::kSpray:
      return PortSpreading::kRandom;
    case LoadBalancing::kRoundRobin:
      return PortSpreading::kRoundRobin;
    case LoadBalancing::kAdaptive:
      return PortSpreading::kLeastLoaded;
    case LoadBalancing::kFlow:
    case LoadBalancing::kFlowlet:
    case LoadBalancing::kSourceRoutes:
      return PortSpreading::kFlow;
  }
  return PortSpreading::kFlow;
}

/// Makes room for them; returns how many there are.
std::size_t PacketNetwork::count_queue_pairs(const std::vector<Connection>& connections) {
  NetworkState& s = *state_;
  s.connections.resize(connections.size());
  std::size_t count = 0;
  std::size_t added_up = 0;
  for (std::size_t c = 0; c < connections.size(); ++c) {
    const std::uint8_t transport = transport_of(connections[c]);
    const bool is_set = domain_of(transport) == nullptr && connections[c].queue_pairs > 0;
    s.connections[c].queue_pairs = static_cast<std::uint16_t>(
        is_set ? connections[c].queue_pairs : s.constants.transports[transport].queue_pairs);
    count += s.connections[c].queue_pairs;
    if (is_added_up(connections[c])) added_up += s.connections[c].queue_pairs;
  }
  s.senders = SendingEnds(count, added_up);
  s.receivers.resize(count - added_up);
  const bool splits =
      std::ranges::any_of(s.constants.transports, &TransportConstants::splits_messages);
  if (splits) s.delivered_parts = s.acknowledged_parts = PartCounts(count);
  return count;
}

void PacketNetwork::build_queue_pairs(const std::vector<Connection>& connections) {
  NetworkState& s = *state_;
  const std::size_t count = count_queue_pairs(connections);
  const std::vector<std::uint32_t> order = order_of_queue_pairs(s, connections);
  const std::vector<QueuePairUse> uses = uses_of(options_, s.constants.transport_count);
  IdVector<QueuePairId, Telemetry::Use> carries(s.constants.needs().has(Feature::kTelemetry) ? count
                                                                                             : 0);
  const IdVector<HostId, Place> places = places_in_domains(s.fabric);
  const bool repeats_nacks = std::ranges::any_of(
      s.constants.transports, [](const auto& t) { return t.nack_interval > Picoseconds(); });
  if (repeats_nacks) s.next_nack.resize(s.receivers.size());
  SharedContexts contexts;
  build_planes();
  make_room_for_contexts(s);
  const ReceiverControls credits = receiver_controls(options_, s.constants.transport_count);
  std::uint32_t before = 0;
  for (const std::uint32_t c : order) {
    const Connection& connection = connections[c];
    ConnectionState& state = s.connections[c];
    state.first_queue_pair = QueuePairId(before);
    before += state.queue_pairs;
    const std::uint8_t transport = transport_of(connection);
    const ScaleUpConfig* domain = domain_of(transport);
    const ClassId traffic_class =
        domain == nullptr ? connection.traffic_class : domain->traffic_class;
    const HostId from = s.processes[connection.source.value()].host;
    const HostId to = s.processes[connection.destination.value()].host;
    const std::span<const std::uint16_t> local_ports = s.routes.host_ports(from, to);
    for (std::uint32_t i = 0; i < state.queue_pairs; ++i) {
      const QueuePairId qp = state.queue_pair(i);
      const std::uint32_t number = queue_pair_number(connection.flow_label, i);
      SendingEnd& end = s.senders[qp];
      end.host = from;
      end.connection = ConnectionId(c);
      end.traffic_class = traffic_class;
      end.transport = transport;
      end.first_port = s.fabric.host(from).first_port.value();
      end.first_local_port = local_ports.data();
      if (local_ports.size() > 1) end.spreading = spreading_of(connection, transport);
      if (is_added_up(connection)) continue;
      SenderState& sender = end.whole();
      sender.process = connection.source;
      sender.destination = to;
      sender.entropy = flow_entropy(from, to, number);
      const bool takes_planes = end.spreading == PortSpreading::kPlanes;
      const std::size_t turns =
          takes_planes ? s.planes.rotation(transport).size() : local_ports.size();
      sender.first_turn = first_turn_of(from, to, number, turns, domain != nullptr, places);
      sender.set_local_ports(local_ports);
      sender.local_port = first_choice(s, sender);
      start_control(s, contexts, qp, credits[transport]);
      start_entropy(s, qp);
      start_tcp(s, qp);
      if (!carries.empty()) {
        carries[qp] = use_of_records(s.constants.transports[transport]);
      }
      ReceiverState& receiver = s.receivers[receiver_of(qp)];
      connect(s, receiver, sender, connection);
      receiver.control_slot = sender.control_slot;
      receiver.ack_entropy = s.constants.transports[transport].is_per_message
                                 ? message_response_entropy(from, to, qp, 0)
                                 : response_entropy(from, to, number, uses[transport]);
    }
  }
  find_listeners(s);
  if (carries.empty()) return;
  const bool has_reports = std::ranges::find(carries, Telemetry::Use::kReports) != carries.end();
  WEFT_CHECK(!has_reports || !s.constants.input_queued, "telemetry tells of queues at outputs");
  s.telemetry.start(std::move(carries), s.ports.size());
}

void PacketNetwork::build_in_network(const std::vector<Connection>& connections,
                                     const std::vector<ProcessGroup>& groups) {
  NetworkState& s = *state_;
  for (const ProcessGroup& group : groups) add_group(s, group);
  std::size_t receivers = s.receivers.size();
  std::size_t copies = 0;
  for (const SenderState& sender : s.senders.all_whole()) {
    const Connection& connection = connections[sender.connection.value()];
    if (connection.kind == Connection::Kind::kMulticast) {
      copies += groups[connection.group].members.size();
    }
  }
  for (const SendingEnd& sender : s.senders.all_added_up()) {
    const Connection& connection = connections[sender.connection.value()];
    if (connection.source == connection.destination) ++receivers;
  }
  WEFT_CHECK(std::max(s.senders.size(), receivers + copies) <= kMaxFlowIds, "packets number them");
  s.receivers.reserve(receivers);
  s.copy_receivers.reserve(copies);
  s.first_copy = ReceiverId(receivers);
  for (const SenderState& sender : s.senders.all_whole()) {
    const Connection& connection = connections[sender.connection.value()];
    if (connection.kind == Connection::Kind::kMulticast) {
      add_multicast(s, s.senders.whole(s.senders.queue_pair_of(sender)), connection);
    }
  }
  join_reductions(s, connections);
  if (!s.constants.works_in_network) return;
  WEFT_CHECK(!s.constants.cut_through && !s.constants.input_queued,
             "scale-up switches take whole packets and queue at outputs");
  s.copies.resize(s.switches.size());
  std::uint32_t max_links = 0;
  std::uint32_t largest_window = 0;
  for (const Reduction& reduction : s.reductions) {
    max_links = std::max(max_links, reduction.links);
    largest_window = std::max(largest_window, reduction.window);
  }
  start_rounds(s, max_links, largest_window);
}

}  // namespace weft::protocols
