#include "collectives/workload.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace weft::collectives {

Errors Workload::add_job(std::string name, Picoseconds start, std::span<const HostId> hosts,
                         std::unique_ptr<const JobProgram> program, bool has_acknowledgements,
                         std::uint8_t traffic_class, std::optional<AlgorithmChoice> choice) {
  if (program->needs_acknowledgements() && !has_acknowledgements) {
    return {Error{
        "job '" + name + "' waits for acknowledgements, which the transport does not give", {}}};
  }
  const auto number = static_cast<std::uint32_t>(jobs_.size());
  JobPlan plan;
  plan.name = std::move(name);
  plan.start = start;
  plan.first_process = static_cast<std::uint32_t>(hosts_.size());
  plan.ranks = static_cast<std::uint32_t>(hosts.size());
  plan.lanes = program->lanes();
  plan.first_lane = lane_count();
  assert(plan.lanes >= 1 && plan.lanes <= kMaxLanes);
  hosts_.insert(hosts_.end(), hosts.begin(), hosts.end());
  job_of_process_.insert(job_of_process_.end(), hosts.size(), number);
  if (program->works_in_network()) {
    ProcessGroup& group = groups_.emplace_back();
    for (std::uint32_t r = 0; r < plan.ranks; ++r) group.members.push_back(plan.process(r));
  }
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    for (std::uint32_t lane = 0; lane < plan.lanes; ++lane) {
      if (program->works_in_network()) {
        add_in_network(plan, rank, number * kMaxLanes + lane);
        lane_of_connection_.resize(connections_.size(), static_cast<std::uint8_t>(lane));
      }
      const std::vector<std::uint32_t> peers = program->send_peers(rank, lane);
      assert(std::is_sorted(peers.begin(), peers.end()));
      for (const std::uint32_t peer : peers) {
        assert(peer < plan.ranks && peer != rank);
        connections_.push_back({.source = plan.process(rank),
                                .destination = plan.process(peer),
                                .flow_label = number * kMaxLanes + lane,
                                .traffic_class = traffic_class});
        lane_of_connection_.push_back(static_cast<std::uint8_t>(lane));
      }
      first_connection_.push_back(static_cast<std::uint32_t>(connections_.size()));
    }
  }
  plan.program = std::move(program);
  plan.choice = std::move(choice);
  jobs_.push_back(std::move(plan));
  return {};
}

void Workload::add_in_network(const JobPlan& plan, std::uint32_t rank, std::uint32_t label) {
  Connection connection;
  connection.source = plan.process(rank);
  connection.flow_label = label;
  connection.group = static_cast<std::uint32_t>(groups_.size() - 1);
  connection.kind = Connection::Kind::kReduce;
  for (std::uint32_t owner = 0; owner < plan.ranks; ++owner) {
    connection.destination = plan.process(owner);
    connections_.push_back(connection);
  }
  connection.kind = Connection::Kind::kMulticast;
  connection.destination = connection.source;
  connections_.push_back(connection);
}

ConnectionId Workload::find(ProcessId source, ProcessId destination, std::uint32_t lane) const {
  const auto [first, end] = sends_of(lane_index(source, lane));
  const auto found = std::lower_bound(
      connections_.begin() + first, connections_.begin() + end, destination,
      [](const Connection& c, ProcessId wanted) { return c.destination < wanted; });
  if (found == connections_.begin() + end || found->destination != destination) return {};
  return ConnectionId(static_cast<std::size_t>(found - connections_.begin()));
}

void for_each_transfer(
    const Workload& workload, std::uint32_t job,
    const std::function<void(ConnectionId connection, Bytes size, std::int64_t count)>& visit) {
  const JobPlan& plan = workload.jobs()[job];
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    for (std::uint32_t lane = 0; lane < plan.lanes; ++lane) {
      std::map<std::pair<ConnectionId, std::int64_t>, std::int64_t> count;  // and size
      const ProcessId self = plan.process(rank);
      const auto source = plan.program->steps(rank, lane);
      for (Step step; source->next(step);) {
        ConnectionId connection;
        if (step.kind == Step::Kind::kSend) {
          connection = workload.find(self, plan.process(step.peer), lane);
        } else if (step.kind == Step::Kind::kContribute) {
          connection = workload.reduction(self, step.peer, lane);
        } else if (step.kind == Step::Kind::kMulticast) {
          connection = workload.multicast(self, lane);
        } else {
          continue;
        }
        ++count[{connection, plan.program->wire_size(step.bytes()).count()}];
      }
      for (const auto& [key, n] : count) visit(key.first, Bytes(key.second), n);
    }
  }
}

}  // namespace weft::collectives
