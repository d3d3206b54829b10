#include "collectives/tasks/tasks.hpp"

namespace weft::collectives {

CallCounts TaskSet::call_counts(std::uint32_t rank,
                                std::span<const std::uint32_t> communicators) const {
  CallCounts counts;
  for (const std::uint32_t communicator : communicators) {
    TaskStream stream = tasks(rank, StreamOf::communicator(communicator), 0);
    for (Task task; stream.next(task);) ++counts[task.call];
  }
  return counts;
}

}  // namespace weft::collectives
