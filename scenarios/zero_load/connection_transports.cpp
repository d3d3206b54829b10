#include "scenarios/zero_load/connection_transports.hpp"

#include <algorithm>

#include "protocols/config/response_class.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {
namespace {

/// By traffic class, of the transport of this number.
IdVector<ClassId, ConnectionTransport> scale_out_transports(const Scenario& scenario,
                                                            std::size_t number) {
  const protocols::TransportTraits traits = protocols::traits_of(scenario.transport_of(number));
  ConnectionTransport transport;
  transport.framing = framing_of(scenario, number);
  transport.is_acknowledged = traits.is_acknowledged;
  transport.queue_pairs = traits.queue_pairs;
  transport.is_split = traits.splits_messages;
  transport.queue_pair_use = traits.queue_pair_use;
  transport.is_per_message = traits.queue_pair_life == protocols::QueuePairLife::kMessage;

  IdVector<ClassId, ConnectionTransport> of_classes;
  for (const ClassId c : scenario.switches.all_classes()) {
    transport.traffic_class = c;
    transport.is_sprayed = scenario.sprays(c, number);
    transport.spreads_over_ports = scenario.spreads_over_ports(c, number);
    transport.keeps_path = scenario.keeps_path(c, number);
    const protocols::LoadBalancing& balancing = scenario.switches.balancing(c);
    transport.framing.is_round_robin = balancing.type == protocols::LoadBalancing::kRoundRobin;
    transport.ack_class = protocols::response_class(scenario.switches, traits.ack_class, c);
    transport.acks_keep_path = scenario.keeps_path(transport.ack_class, number);
    of_classes.push_back(transport);
  }
  return of_classes;
}

}  // namespace

ConnectionTransports::ConnectionTransports(const Scenario& scenario, const Fabric& fabric,
                                           const Routes& routes,
                                           const collectives::Workload& workload)
    : scenario_(scenario),
      fabric_(fabric),
      routes_(routes),
      workload_(workload),
      kind_of_domain_(scale_up_kinds(scenario, fabric)) {
  for (std::size_t i = 0; i <= scenario.more_transports.size(); ++i) {
    scale_out_.push_back(scale_out_transports(scenario, i));
  }
  for (const protocols::ScaleUpConfig& config : scenario.scale_up) {
    scale_up_.push_back(scale_up_framing(config));
  }
}

HostId ConnectionTransports::source_of(ConnectionId connection) const {
  const Connection& c = workload_.connections()[connection.value()];
  return workload_.process_hosts()[c.source.value()];
}

HostId ConnectionTransports::destination_of(ConnectionId connection) const {
  const Connection& c = workload_.connections()[connection.value()];
  return workload_.process_hosts()[c.destination.value()];
}

bool ConnectionTransports::is_scale_up(ConnectionId connection) const {
  const NetworkKind network =
      fabric_.network_between(source_of(connection), destination_of(connection));
  return network == NetworkKind::kScaleUp && !scenario_.scale_up.empty();
}

std::uint32_t ConnectionTransports::queue_pairs_of(ConnectionId connection) const {
  if (is_scale_up(connection)) return ConnectionTransport().queue_pairs;
  const Connection& c = workload_.connections()[connection.value()];
  return c.queue_pairs > 0 ? c.queue_pairs : scale_out_[c.transport][c.traffic_class].queue_pairs;
}

ConnectionTransport ConnectionTransports::of(ConnectionId connection) const {
  const HostId from = source_of(connection);
  const HostId to = destination_of(connection);
  const Connection& c = workload_.connections()[connection.value()];
  if (!is_scale_up(connection)) {
    ConnectionTransport transport = scale_out_[c.transport][c.traffic_class];
    transport.queue_pairs = queue_pairs_of(connection);
    transport.is_split = transport.is_split && transport.queue_pairs > 1;
    return transport;
  }
  const auto domain = static_cast<std::size_t>(fabric_.host(from).domain);
  const std::uint8_t kind = kind_of_domain_[domain];
  const protocols::ScaleUpConfig& config = scenario_.scale_up[kind];
  ConnectionTransport transport;
  transport.is_scale_up = true;
  transport.traffic_class = config.traffic_class;
  transport.keeps_path = scenario_.switches.balancing(c.traffic_class).keeps_path();
  transport.acks_keep_path = scenario_.switches.balancing(transport.ack_class).keeps_path();
  transport.framing = scale_up_[kind];
  transport.framing.cut_through = scale_out_.front().front().framing.cut_through;
  // What scale-up switches work on takes links in turn, whatever else does.
  const bool is_in_network = c.kind != Connection::Kind::kUnicast;
  transport.is_acknowledged = !is_in_network;
  if (is_in_network) transport.framing.header = config.reduction_header;
  if (is_in_network || config.spreading != protocols::PortSpreading::kFlow) {
    transport.parallel_links = static_cast<std::uint32_t>(routes_.host_ports(from, to).size());
  }
  return transport;
}

Framing scale_up_framing(const protocols::ScaleUpConfig& config) {
  const protocols::TransportTraits traits = config.traits();
  return {.payload = traits.format.payload,
          .header = traits.format.header,
          .ack_size = traits.ack_size,
          .ack_every = traits.ack_every};
}

std::vector<std::uint8_t> scale_up_kinds(const Scenario& scenario, const Fabric& fabric) {
  std::size_t domains = fabric.group_of_domain.size();
  for (const NodeId host : fabric.hosts) {
    domains = std::max(domains, static_cast<std::size_t>(fabric.node(host).domain + 1));
  }
  std::vector<std::uint8_t> kinds(domains, 0);
  for (std::size_t d = 0; d < fabric.group_of_domain.size(); ++d) {
    const std::uint32_t group = fabric.group_of_domain[d];
    if (group < scenario.scale_up_of_group.size()) kinds[d] = scenario.scale_up_of_group[group];
  }
  return kinds;
}

}  // namespace weft::scenarios
