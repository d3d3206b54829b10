#include "collectives/memo/matching_calls.hpp"

#include <algorithm>
#include <iterator>

namespace weft::collectives {
namespace {

bool do_match(const TaskProgram& program, const GpuSet& a, std::uint32_t in_a, const GpuSet& b,
              std::uint32_t in_b) {
  const auto number = [&](std::uint32_t c) {
    return program.lane_plan().number_of(StreamOf::communicator(c));
  };
  const Communicator& x = program.task_set().communicators()[in_a];
  const Communicator& y = program.task_set().communicators()[in_b];
  if (number(in_a) != number(in_b) || x.ranks.size() != y.ranks.size() || x.kind != y.kind) {
    return false;
  }
  for (std::size_t i = 0; i < x.ranks.size(); ++i) {
    const auto place = [](const GpuSet& c, std::uint32_t rank) {
      return std::distance(c.ranks.begin(), std::ranges::lower_bound(c.ranks, rank));
    };
    if (place(a, x.ranks[i]) != place(b, y.ranks[i])) return false;
  }
  return std::ranges::equal(program.calls_of(in_a), program.calls_of(in_b),
                            [&](std::uint32_t p, std::uint32_t q) {
                              return program.call(p).spec() == program.call(q).spec() &&
                                     program.task_set().calls()[p].is_until_acknowledged ==
                                         program.task_set().calls()[q].is_until_acknowledged;
                            });
}

}  // namespace

std::vector<std::uint32_t> numbers_of_calls(const TaskProgram& program) {
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> next(program.task_set().communicators().size());
  for (const CommunicatorCall& call : program.task_set().calls()) {
    numbers.push_back(next[call.communicator]++);
  }
  return numbers;
}

std::vector<std::vector<bool>> streams_of(const Workload& workload, const GpuSets& gpu_sets) {
  std::vector<std::vector<bool>> streams(workload.process_hosts().size());
  for (const GpuSet& gpu_set : gpu_sets.all) {
    const JobPlan& plan = workload.jobs()[gpu_set.job];
    const auto& program = dynamic_cast<const TaskProgram&>(*plan.program);
    for (const std::uint32_t c : gpu_set.communicators) {
      const std::uint32_t stream = program.lane_plan().number_of(StreamOf::communicator(c));
      for (const std::uint32_t rank : program.task_set().communicators()[c].ranks) {
        std::vector<bool>& of_process = streams[plan.process(rank).value()];
        if (of_process.size() <= stream) of_process.resize(stream + 1);
        of_process[stream] = true;
      }
    }
  }
  return streams;
}

std::optional<std::uint32_t> communicator_of(const Workload& workload, const TaskProgram& program,
                                             ConnectionId connection) {
  const ProcessId source = workload.connections()[connection.value()].source;
  const auto member = program.lane_plan().member(workload.rank_of(source),
                                                 program.stream_of(workload.lane_of(connection)));
  if (!member) return std::nullopt;
  return member->communicator;
}

bool do_calls_match(const TaskProgram& program, const GpuSet& a, const GpuSet& b) {
  if (a.ranks.size() != b.ranks.size()) return false;
  return std::ranges::equal(
      a.communicators, b.communicators,
      [&](std::uint32_t in_a, std::uint32_t in_b) { return do_match(program, a, in_a, b, in_b); });
}

bool waits_for_all(const CollectiveSpec& spec) {
  switch (spec.operation) {
    case Operation::kAllReduce:
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
      return true;
    default:
      return false;
  }
}

}  // namespace weft::collectives
