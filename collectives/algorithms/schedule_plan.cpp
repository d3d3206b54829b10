#include "collectives/algorithms/schedule_plan.hpp"

#include <algorithm>

namespace weft::collectives {

SchedulePlan plan_of(const CollectiveSpec& spec, std::uint32_t ranks, const RankLayout& layout) {
  SchedulePlan plan(ranks, layout);
  plan.operation = spec.operation;
  plan.size = spec.operation == Operation::kBarrier ? 1 : spec.size.count();
  plan.root = spec.root;
  plan.channels = std::max(1U, spec.execution.channels);
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

}  // namespace weft::collectives
