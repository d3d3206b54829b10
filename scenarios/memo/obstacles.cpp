#include "scenarios/memo/obstacles.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <variant>

#include "collectives/memo/rails.hpp"
#include "protocols/config/transports/list.hpp"
#include "scenarios/checks/limits/traffic.hpp"
#include "scenarios/zero_load/connection_transports.hpp"

namespace weft::scenarios {

using collectives::GpuSet;

namespace {

/// For each of those that send: a ring over 256 hosts has 17 with messages of 4 MiB, in which next
/// to nothing recurs between the end of one message and the end of another; with 8 MiB it has 35,
/// and three quarters are skipped; over 32 hosts with 32 MiB it has 1,152, and 98 % are.
constexpr double kMinHopsPerMessage = 16;
/// Of a run that restarts if less than half was skipped by then: one logical process may take a
/// third longer than several.
constexpr double kTrial = 0.005;
/// Runs of fewer packet-hops, a tenth of a second, are not on trial.
constexpr double kFewHops = 1e6;

/// A packet's path follows from where it goes, or from its flow.
bool have_fixed_paths(const Experiment& e) {
  const auto& classes = e.scenario.switches.classes;
  const bool are_by_flow = std::ranges::all_of(classes, [&](const protocols::TrafficClass& c) {
    return e.scenario.switches.balancing(c).type == protocols::LoadBalancing::kFlow;
  });
  if (are_by_flow) return true;
  for (std::uint32_t sw = 0; sw < e.fabric.switches.size(); ++sw) {
    if (e.fabric.node(e.fabric.switches[sw]).network == NetworkKind::kScaleUp) continue;
    for (std::uint32_t host = 0; host < e.fabric.hosts.size(); ++host) {
      if (e.routes.next_hops(SwitchId(sw), HostId(host)).size() > 1) return false;
    }
  }
  return true;
}

}  // namespace

bool has_calls(const collectives::Workload& workload) {
  return std::ranges::any_of(workload.jobs(), [](const collectives::JobPlan& job) {
    return job.program->task_streams().streams() > 0;
  });
}

std::string obstacle_to_reuse(const Experiment& e) {
  const Scenario& s = e.scenario;
  if (e.timeline) return "a timeline shows messages";
  if (s.observe.credits) return "waits for credits are written down wherever they are";
  if (s.observe.rates) return "rates are sampled as long as anything happens anywhere";
  if (s.switches.queueing == protocols::SwitchConfig::Queueing::kInput) {
    return "arbiters of switches remember whose turn it was";
  }
  for (const protocols::ScaleUpConfig& domain : s.scale_up) {
    const bool is_in_turn = domain.spreading == protocols::PortSpreading::kRoundRobin ||
                            domain.spreading == protocols::PortSpreading::kLeastLoaded;
    if (!is_in_turn) return "which link a packet takes inside a domain depends on names of hosts";
  }
  return {};
}

std::string obstacle_to_rails(const Experiment& e) {
  if (e.scenario.switches.by_port.any()) return "ports have settings of their own";
  if (e.fabric.has_shared_links()) return "GPUs of several rails take turns on host links";
  if (e.scenario.switches.link_retry.enabled) return "link-level retry has timers of its own";
  const auto& classes = e.scenario.switches.classes;
  if (std::ranges::any_of(classes, [](const auto& c) { return c.is_cbfc(); })) {
    return "credits of CBFC come back at times that depend on those before";
  }
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  for (std::uint32_t i = 0; i < e.workload.connections().size(); ++i) {
    const ConnectionTransport t = transports.of(ConnectionId(i));
    if (t.is_scale_up) continue;
    const protocols::TrafficClass& of_data = e.scenario.switches.classes[t.traffic_class];
    if (!of_data.is_credit()) return "messages to different hosts share buffers";
    if (of_data.ecn.enabled) return "packets are marked";
    if (t.ack_class != t.traffic_class) return "ACKs and data take turns";
    break;  // all of one job are alike
  }
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    const auto* roce = std::get_if<protocols::RoceConfig>(&transport);
    if (roce == nullptr) return "their transport is not RoCE";
    if (std::holds_alternative<protocols::path_selection::EvStatesConfig>(roce->path_selection)) {
      return "states of paths are counted";
    }
    const bool is_plain =
        std::holds_alternative<protocols::congestion::NoControlConfig>(roce->congestion_control) &&
        roce->queue_pair_use == QueuePairUse::kOneWay &&
        roce->queue_pair_life == protocols::QueuePairLife::kConnection;
    if (!is_plain) return "congestion control remembers what was before";
  }
  return {};
}

std::optional<std::uint64_t> trial_of_skips(const Experiment& e) {
  const bool is_seen = e.observation.any() || e.timeline || !e.faults.empty();
  if (is_seen || !obstacle_to_rails(e).empty() || !have_fixed_paths(e)) return std::nullopt;
  const Traffic traffic = count_traffic(e.scenario, e.fabric, e.routes, e.workload);
  const auto senders = static_cast<double>(e.workload.process_hosts().size());
  if (traffic.packet_hops < kMinHopsPerMessage * senders * traffic.messages) return std::nullopt;
  if (traffic.packet_hops < kFewHops) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(traffic.packet_hops * kTrial);
}

Disturbances::Disturbances(const Experiment& e)
    : e_(e), of_domain_(e.fabric.group_of_domain.size()), of_port_(e.fabric.ports.size()) {
  for (std::uint32_t p = 0; p < e.fabric.ports.size(); ++p) {
    if (e.fabric.ports[p].errors.any()) disturb(PortId(p), "their links corrupt frames");
  }
  for (const protocols::Fault& fault : e.faults) {
    disturb(fault.port, "a fault concerns their links");
  }
  for (const PortId port : e.observation.queue_ports) {
    disturb(port, "what waits for their links is written down");
  }
  for (const PortId port : e.observation.mark_ports) {
    disturb(port, "what their links mark is written down");
  }
  for (const ConnectionId flow : e.observation.packet_flows) follow_packets(flow);
}

void Disturbances::disturb(PortId port, const char* reason) {
  // One end is as good as the other: what befalls a direction of a cable shows at both.
  for (const PortId end : {port, e_.fabric.port(port).peer}) {
    if (e_.fabric.network_of(end) == NetworkKind::kScaleOut) {
      of_port_[end.value()] = reason;
      continue;
    }
    const std::int32_t domain = e_.fabric.node(e_.fabric.port(end).node).domain;
    of_domain_[static_cast<std::size_t>(domain)] = reason;
  }
}

void Disturbances::follow_packets(ConnectionId flow) {
  const Connection& c = e_.workload.connections()[flow.value()];
  const HostId from = e_.workload.process_hosts()[c.source.value()];
  const HostId to = e_.workload.process_hosts()[c.destination.value()];
  const NetworkKind network = e_.fabric.network_between(from, to);
  for (const HostId host : {from, to}) {
    const Node& node = e_.fabric.host(host);
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      const PortId port(node.first_port.value() + p);
      if (e_.fabric.network_of(port) == network) disturb(port, "their packets are written down");
    }
  }
}

std::string Disturbances::at(const GpuSet& gpu_set) const {
  const char* reason =
      gpu_set.domain >= 0 ? of_domain_[static_cast<std::size_t>(gpu_set.domain)] : at_rail(gpu_set);
  if (reason != nullptr) return reason;
  return have_paths_changed(gpu_set) ? "faults change their paths" : "";
}

const char* Disturbances::at_rail(const GpuSet& rail) const {
  for (const HostId host : hosts_of(rail)) {
    const collectives::RailLink link = collectives::rail_link(e_.fabric, host);
    for (const PortId port : {link.out, link.in}) {
      if (of_port_[port.value()] != nullptr) return of_port_[port.value()];
    }
  }
  return nullptr;
}

bool Disturbances::have_paths_changed(const GpuSet& gpu_set) const {
  if (e_.route_changes.tables.empty()) return false;
  const std::vector<HostId> hosts = hosts_of(gpu_set);
  const std::vector<SwitchId> switches = switches_of(gpu_set);
  const auto differ = [](std::span<const std::uint16_t> a, std::span<const std::uint16_t> b) {
    return !std::ranges::equal(a, b);
  };
  for (const Routes& changed : e_.route_changes.tables) {
    for (const HostId to : hosts) {
      for (const HostId from : hosts) {
        if (from == to) continue;
        if (differ(e_.routes.host_ports(from, to), changed.host_ports(from, to))) return true;
      }
      for (const SwitchId at : switches) {
        if (differ(e_.routes.next_hops(at, to), changed.next_hops(at, to))) return true;
      }
    }
  }
  return false;
}

std::vector<HostId> Disturbances::hosts_of(const GpuSet& gpu_set) const {
  const collectives::JobPlan& plan = e_.workload.jobs()[gpu_set.job];
  std::vector<HostId> hosts;
  for (const std::uint32_t rank : gpu_set.ranks) {
    hosts.push_back(e_.workload.process_hosts()[plan.process(rank).value()]);
  }
  return hosts;
}

std::vector<SwitchId> Disturbances::switches_of(const GpuSet& gpu_set) const {
  std::vector<SwitchId> switches;
  for (const HostId host : hosts_of(gpu_set)) {
    for (const Port& port : e_.fabric.ports_of(e_.fabric.hosts[host.value()])) {
      const Node& at = e_.fabric.node(e_.fabric.port(port.peer).node);
      const bool is_inside = at.network == NetworkKind::kScaleUp;
      if (at.kind == NodeKind::kSwitch && is_inside == (gpu_set.domain >= 0)) {
        switches.emplace_back(at.index);
      }
    }
  }
  std::ranges::sort(switches);
  switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
  return switches;
}

}  // namespace weft::scenarios
