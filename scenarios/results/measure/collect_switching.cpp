#include "scenarios/results/measure/collect_switching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "scenarios/zero_load/connection_transports.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::scenarios {
namespace {

using protocols::FlowActivity;

/// By port: the least time from crossing XOFF at its peer until it obeys the pause. That a pause
/// frame may wait for the end of a packet comes on top.
std::vector<Picoseconds> reaction_times(const Experiment& e) {
  const protocols::PauseConfig& pause = e.scenario.switches.pause;
  std::vector<Picoseconds> times;
  times.reserve(e.fabric.ports.size());
  for (const Port& port : e.fabric.ports) {
    const Port& peer = e.fabric.port(port.peer);
    Picoseconds time = pause.response_at(peer.rate);
    if (pause.propagates) time += peer.wire_latency;
    times.push_back(time + transmission_time(pause.wire_bytes(), peer.rate));
  }
  return times;
}

/// The roots of storms that sprayed packets may cross between NICs: those among all next hops.
class Spread {
 public:
  Spread(const Experiment& e, const protocols::PauseAnalysis& analysis)
      : e_(e), is_root_(e.fabric.ports.size(), false), seen_by_(e.fabric.nodes.size(), 0) {
    for (const protocols::PauseStorm& storm : analysis.storms) {
      for (const PortId port : storm.ports) is_root_[port.value()] = true;
    }
  }

  [[nodiscard]] std::span<const PortId> between(HostId source, HostId destination) {
    std::vector<NodeId> edges;
    for (const std::uint16_t local : e_.routes.host_ports(source, destination)) {
      edges.push_back(
          e_.fabric.peer_node(PortId(e_.fabric.host(source).first_port.value() + local)));
    }
    // Hosts of one edge switch share what is found.
    const NodeId start = edges.size() == 1 ? edges.front() : e_.fabric.hosts[source.value()];
    const auto [it, is_new] = ports_.try_emplace({start, destination});
    if (is_new) it->second = find(std::move(edges), destination);
    return it->second;
  }

 private:
  [[nodiscard]] std::vector<PortId> find(std::vector<NodeId> pending, HostId destination) {
    std::vector<PortId> roots;
    ++search_;
    for (const NodeId node : pending) seen_by_[node.value()] = search_;
    while (!pending.empty()) {
      const Node& node = e_.fabric.node(pending.back());
      pending.pop_back();
      if (node.kind == NodeKind::kHost) continue;
      for (const std::uint16_t local : e_.routes.next_hops(SwitchId(node.index), destination)) {
        const PortId port(node.first_port.value() + local);
        if (is_root_[port.value()]) roots.push_back(port);
        const NodeId next = e_.fabric.peer_node(port);
        if (std::exchange(seen_by_[next.value()], search_) != search_) pending.push_back(next);
      }
    }
    return roots;
  }

  const Experiment& e_;
  std::vector<bool> is_root_;
  std::vector<std::uint32_t> seen_by_;  ///< by node: the last search that came by
  std::uint32_t search_ = 0;
  std::map<std::pair<NodeId, HostId>, std::vector<PortId>> ports_;
};

HostId host_of(const Experiment& e, ProcessId process) {
  return e.workload.process_hosts()[process.value()];
}

/// The place of an ECMP key among the queue pairs of its connection.
std::uint32_t queue_pair_index(const Experiment& e, const ConnectionTransports& transports,
                               const FlowActivities::Flow& flow) {
  const std::uint32_t count = transports.of(flow.connection).queue_pairs;
  const Connection& c = e.workload.connections()[flow.connection.value()];
  std::uint32_t index = 0;
  while (index + 1 < count &&
         flow_entropy(host_of(e, c.source), host_of(e, c.destination),
                      queue_pair_number(c.flow_label, index)) != flow.entropy) {
    ++index;
  }
  return index;
}

VictimResult victim_result(const Experiment& e, const ConnectionTransports& transports,
                           const FlowActivities::Flow& flow, protocols::VictimFlow victim) {
  const Connection& c = e.workload.connections()[flow.connection.value()];
  return {.job = e.workload.job_of(c.source),
          .source_rank = e.workload.rank_of(c.source),
          .destination_rank = e.workload.rank_of(c.destination),
          .source = host_of(e, c.source),
          .destination = host_of(e, c.destination),
          .queue_pair = queue_pair_index(e, transports, flow),
          .traffic_class = c.traffic_class,
          .active = victim.active,
          .lost = victim.lost,
          .losses = std::move(victim.losses)};
}

}  // namespace

PauseReport report_pauses(const Experiment& e, std::vector<protocols::PauseInterval> pauses,
                          FlowActivities& flow_activities) {
  PauseReport report;
  const auto& classes = e.scenario.switches.classes;
  report.is_nic_only = std::ranges::any_of(classes,
                                           [&](const protocols::TrafficClass& c) {
                                             return !e.scenario.switches.balancing(c).keeps_path();
                                           }) ||
                       std::ranges::any_of(e.scenario.transports(), [](const auto& transport) {
                         return !protocols::traits_of(transport).has_fixed_entropy();
                       });
  const std::vector<Picoseconds> reaction = reaction_times(e);
  report.analysis =
      analyse_pauses(e.fabric, pauses, {.reaction = reaction, .from = e.scenario.run.warmup});
  report.pauses = std::move(pauses);
  if (report.analysis.storms.empty()) return report;

  report.flows = flow_activities.count();
  std::vector<FlowActivities::Flow> flows = flow_activities.take();
  std::vector<FlowActivity> activities;
  Spread spread(e, report.analysis);
  for (FlowActivities::Flow& flow : flows) {
    const Connection& c = e.workload.connections()[flow.connection.value()];
    const HostId from = host_of(e, c.source);
    const HostId to = host_of(e, c.destination);
    FlowActivity activity;
    activity.traffic_class = c.traffic_class;
    activity.before = flow.before;
    activity.active = std::move(flow.active);
    if (from == to) {
      // Stays inside its host.
    } else if (report.is_nic_only) {
      activity.path = {e.fabric.host(from).first_port};
      activity.spread = spread.between(from, to);
    } else {
      activity.path = flow_path(e.fabric, e.routes, e.scenario.seed, from, to, flow.entropy);
    }
    activities.push_back(std::move(activity));
  }
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  for (protocols::VictimFlow& victim :
       find_victims(e.fabric, report.pauses, report.analysis, activities)) {
    const std::uint32_t flow = victim.flow;
    report.victims.push_back(victim_result(e, transports, flows[flow], std::move(victim)));
  }
  return report;
}

void collect_pauses(const Experiment& e, const protocols::PacketNetwork& network,
                    FlowActivities& activities, Results& results) {
  std::vector<protocols::PauseInterval> pauses = network.pauses();
  if (!pauses.empty()) {
    results.pauses = report_pauses(e, std::move(pauses), activities);
  }
  results.pauses.lost = network.pauses_lost();
  for (const NodeId host : e.fabric.hosts) results.host_names.push_back(e.fabric.node(host).name);
}

void collect_deadlock(const protocols::PacketNetwork& network, Results& results) {
  results.deadlock = network.deadlock();
  if (results.deadlock.empty()) return;
  if (results.outcome != Outcome::kInterrupted) results.outcome = Outcome::kDeadlocked;
  results.explanation.push_back(describe_deadlock(results));
}

std::string describe_deadlock(const Results& results) {
  const std::vector<protocols::BlockedPort>& circle = results.deadlock;
  const auto name = [&results](const protocols::BlockedPort& blocked) {
    std::string text = results.port_name(blocked.port);
    if (results.class_names.size() > 1) {
      text += " (" + results.class_names[blocked.traffic_class] + ")";
    }
    return text;
  };
  std::string text = "deadlock: ";
  for (std::size_t i = 0; i < circle.size(); ++i) {
    if (i > 0) text += ", ";
    text += name(circle[i]) + " waits for " + name(circle[(i + 1) % circle.size()]);
  }
  return text;
}

}  // namespace weft::scenarios
