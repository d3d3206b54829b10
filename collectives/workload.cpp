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
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    for (std::uint32_t lane = 0; lane < plan.lanes; ++lane) {
      const std::vector<std::uint32_t> peers = program->send_peers(rank, lane);
      assert(std::is_sorted(peers.begin(), peers.end()));
      for (const std::uint32_t peer : peers) {
        assert(peer < plan.ranks && peer != rank);
        connections_.push_back(
            {plan.process(rank), plan.process(peer), number * kMaxLanes + lane, traffic_class});
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
      std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> count;  // by peer and size
      const auto source = plan.program->steps(rank, lane);
      for (Step step; source->next(step);) {
        if (step.kind == Step::Kind::kSend)
          ++count[{step.peer, plan.program->wire_size(step.bytes()).count()}];
      }
      for (const auto& [key, n] : count) {
        const ConnectionId connection =
            workload.find(plan.process(rank), plan.process(key.first), lane);
        visit(connection, Bytes(key.second), n);
      }
    }
  }
}

}  // namespace weft::collectives
