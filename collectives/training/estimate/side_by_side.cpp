#include "collectives/training/estimate/side_by_side.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::collectives {

SideBySide::SideBySide(Sequence first, Sequence second) {
  std::array<Sequence, 2> tasks{std::move(first), std::move(second)};
  double now = 0;
  const auto at_hand = [&](std::size_t s) -> Task* {
    const std::size_t done = ends_[s].size();
    if (done == tasks[s].size()) return nullptr;
    Task& task = tasks[s][done];
    return task.after <= ends_[1 - s].size() ? &task : nullptr;
  };
  while (ends_[0].size() + ends_[1].size() < tasks[0].size() + tasks[1].size()) {
    const std::array<Task*, 2> running{at_hand(0), at_hand(1)};
    WEFT_CHECK(running[0] != nullptr || running[1] != nullptr, "no task waits for itself");
    const bool share = running[0] != nullptr && running[1] != nullptr && running[0]->links != 0 &&
                       running[0]->links == running[1]->links;
    const double slowness = share ? 2 : 1;
    double shortest = std::numeric_limits<double>::infinity();
    for (const Task* task : running) {
      if (task != nullptr) shortest = std::min(shortest, task->seconds);
    }
    now += shortest * slowness;
    for (std::size_t s = 0; s < 2; ++s) {
      if (running[s] == nullptr) continue;
      const bool is_over = running[s]->seconds <= shortest;
      running[s]->seconds -= shortest;
      if (is_over) ends_[s].push_back(now);
    }
  }
}

}  // namespace weft::collectives
