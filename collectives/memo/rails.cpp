#include "collectives/memo/rails.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/tasks/task_program.hpp"

namespace weft::collectives {
namespace {

std::vector<PortId> ports_out_of_domain(const Fabric& fabric, HostId host) {
  const Node& node = fabric.host(host);
  std::vector<PortId> ports;
  for (std::uint32_t p = 0; p < node.port_count; ++p) {
    const PortId port(node.first_port.value() + p);
    if (fabric.network_of(port) == NetworkKind::kScaleOut) ports.push_back(port);
  }
  return ports;
}

class RailFinder {
 public:
  RailFinder(const Workload& workload, const Fabric& fabric)
      : workload_(workload), fabric_(fabric) {}

  GpuSets find() {
    GpuSets none;
    none.of_process.assign(workload_.process_hosts().size(), GpuSets::kNone);
    none.rank_of_process = none.of_process;
    GpuSets rails = none;
    std::string reason = check_connections();
    if (reason.empty() && !job_) return none;
    if (reason.empty()) {
      make(rails);
      reason = check_links(rails);
    }
    if (reason.empty()) return rails;
    none.refusals.push_back({reason, gpus_});
    return none;
  }

 private:
  [[nodiscard]] HostId host_of(ProcessId process) const {
    return workload_.process_hosts()[process.value()];
  }
  [[nodiscard]] const TaskProgram& program() const {
    return dynamic_cast<const TaskProgram&>(*workload_.jobs()[*job_].program);
  }

  /// Finds the job that sends between domains, and by which communicators. Returns why its calls
  /// cannot be looked at for themselves.
  std::string check_connections() {
    const auto& connections = workload_.connections();
    std::set<std::uint32_t> inside;
    std::set<ProcessId> senders;
    std::string reason;
    for (std::uint32_t i = 0; i < connections.size(); ++i) {
      const Connection& c = connections[i];
      const bool leaves = fabric_.network_between(host_of(c.source), host_of(c.destination)) ==
                          NetworkKind::kScaleOut;
      if (leaves) senders.insert(c.source);
      if (!reason.empty()) continue;
      const std::uint32_t job = workload_.job_of(c.source);
      const auto* parts = dynamic_cast<const TaskProgram*>(workload_.jobs()[job].program.get());
      std::optional<std::uint32_t> communicator;
      if (parts != nullptr) communicator = communicator_of(workload_, *parts, ConnectionId(i));
      if (!leaves) {
        if (communicator) inside.insert(*communicator);
        continue;
      }
      if (job_ && *job_ != job) reason = "two jobs send between servers";
      job_ = job;
      if (workload_.relay_of(ConnectionId(i)) != Workload::kNoRelay) {
        reason = "GPUs forward what others of their server send";
      } else if (!communicator) {
        reason = "other messages take the same links";
      } else {
        used_.insert(*communicator);
      }
    }
    gpus_ = static_cast<std::uint32_t>(senders.size());
    if (!reason.empty()) return reason;
    const bool are_apart = std::ranges::none_of(
        inside, [&](std::uint32_t communicator) { return used_.contains(communicator); });
    return are_apart ? reason : "their calls take links inside servers as well";
  }

  void make(GpuSets& rails) const {
    const auto communicators = program().task_set().communicators();
    const JobPlan& plan = workload_.jobs()[*job_];
    std::vector<bool> sends(plan.ranks);
    for (const std::uint32_t c : used_) {
      for (const std::uint32_t rank : communicators[c].ranks) sends[rank] = true;
    }
    // All on one switch are one rail, even if not all of them send to one another.
    std::map<NodeId, std::uint32_t> rail_of_switch;
    for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
      if (!sends[rank]) continue;
      const std::vector<PortId> ports = ports_out_of_domain(fabric_, host_of(plan.process(rank)));
      const NodeId at = ports.empty() ? NodeId() : fabric_.peer_node(ports.front());
      const auto [it, is_new] =
          rail_of_switch.emplace(at, static_cast<std::uint32_t>(rails.all.size()));
      if (is_new) {
        rails.all.push_back({.job = *job_, .domain = -1, .ranks = {}, .communicators = {}});
      }
      GpuSet& rail = rails.all[it->second];
      rails.of_process[plan.process(rank).value()] = it->second;
      rails.rank_of_process[plan.process(rank).value()] =
          static_cast<std::uint32_t>(rail.ranks.size());
      rail.ranks.push_back(rank);
    }
    for (const std::uint32_t c : used_) {
      const ProcessId first = plan.process(communicators[c].ranks.front());
      rails.all[rails.of_process[first.value()]].communicators.push_back(c);
    }
  }

  /// Why what crosses the switches cannot be told apart.
  std::string check_links(GpuSets& rails) const {
    const JobPlan& plan = workload_.jobs()[*job_];
    for (std::uint32_t r = 0; r < rails.all.size(); ++r) {
      GpuSet& rail = rails.all[r];
      for (const std::uint32_t rank : rail.ranks) {
        const auto ports = ports_out_of_domain(fabric_, host_of(plan.process(rank)));
        if (ports.size() != 1) return "GPUs have several links between servers";
      }
      const RailLink first = link_of(rail.ranks.front());
      for (const std::uint32_t rank : rail.ranks) {
        const RailLink link = link_of(rank);
        if (!are_alike(first.out, link.out) || !are_alike(first.in, link.in)) {
          return "links of a switch differ";
        }
      }
      for (const std::uint32_t c : rail.communicators) {
        for (const std::uint32_t rank : program().task_set().communicators()[c].ranks) {
          if (rails.of_process[plan.process(rank).value()] != r) {
            return "calls cross several switches";
          }
        }
      }
      find_kind(rails, r);
    }
    return {};
  }

  void find_kind(GpuSets& rails, std::uint32_t number) const {
    GpuSet& rail = rails.all[number];
    const RailLink link = link_of(rail.ranks.front());
    for (std::uint32_t kind = 0; kind < rails.of_kind.size(); ++kind) {
      const RailLink other = link_of(rails.all[rails.of_kind[kind]].ranks.front());
      const Node& a = fabric_.node(fabric_.port(link.in).node);
      const Node& b = fabric_.node(fabric_.port(other.in).node);
      const bool is_alike = are_alike(link.out, other.out) && are_alike(link.in, other.in) &&
                            a.tier == b.tier && a.buffer == b.buffer && a.cell == b.cell;
      if (!is_alike) continue;
      rail.kind = kind;
      return;
    }
    rail.kind = static_cast<std::uint32_t>(rails.of_kind.size());
    rails.of_kind.push_back(number);
  }

  [[nodiscard]] RailLink link_of(std::uint32_t rank) const {
    return rail_link(fabric_, host_of(workload_.jobs()[*job_].process(rank)));
  }
  [[nodiscard]] bool are_alike(PortId a, PortId b) const {
    const Port& p = fabric_.port(a);
    const Port& q = fabric_.port(b);
    return p.rate == q.rate && p.wire_latency == q.wire_latency &&
           p.edge_latency == q.edge_latency &&
           fabric_.node(fabric_.peer_node(a)).pipeline ==
               fabric_.node(fabric_.peer_node(b)).pipeline;
  }

  const Workload& workload_;
  const Fabric& fabric_;
  std::optional<std::uint32_t> job_;
  std::set<std::uint32_t> used_;  ///< communicators of the job that leave domains
  std::uint32_t gpus_ = 0;        ///< that send between servers
};

}  // namespace

GpuSets find_rails(const Workload& workload, const Fabric& fabric) {
  return RailFinder(workload, fabric).find();
}

RailLink rail_link(const Fabric& fabric, HostId host) {
  const PortId out = ports_out_of_domain(fabric, host).front();
  return {out, fabric.port(out).peer};
}

}  // namespace weft::collectives
