#include "collectives/algorithms/schedule_plan.hpp"

#include <algorithm>

namespace weft::collectives {

SchedulePlan plan_of(const CollectiveSpec& spec, std::uint32_t ranks, const RankLayout& layout) {
  SchedulePlan plan(ranks, layout);
  plan.operation = spec.operation;
  plan.size = spec.operation == Operation::kBarrier ? 1 : spec.size.count();
  plan.root = spec.root;
  plan.channels = std::max(1U, spec.execution.channels);
  plan.has_a_tree_per_channel =
      spec.execution.preset == Execution::Preset::kNccl && plan.channels % 2 == 0;
  plan.chunk = spec.execution.chunk.count();
  plan.slices = std::max(1U, spec.execution.slices);
  plan.matrix = spec.matrix;
  return plan;
}

std::int64_t SchedulePlan::block_size(std::uint32_t source, std::uint32_t destination) const {
  switch (operation) {
    case Operation::kAllToAllV:
      return matrix[std::size_t{source} * ranks() + destination];
    case Operation::kSendReceive:
      return destination == (source + 1) % ranks() ? size : 0;
    default:
      return size;
  }
}

std::vector<std::uint32_t> SchedulePlan::block_peers(std::uint32_t rank) const {
  std::vector<std::uint32_t> peers;
  for (std::uint32_t to = 0; to < ranks(); ++to) {
    if (to != rank && block_size(rank, to) > 0) peers.push_back(to);
  }
  return peers;
}

}  // namespace weft::collectives
