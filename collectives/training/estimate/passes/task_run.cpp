#include "collectives/training/estimate/passes/task_run.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "simcore/base/check.hpp"

namespace weft::collectives {

TaskRun::Waits TaskRun::add(Stream stream, const Cost& cost, const Waits& after) {
  tasks_[static_cast<std::size_t>(stream)].push_back({cost, after});
  return last_of(stream);
}

TaskRun::Waits TaskRun::last_of(Stream stream) const {
  Waits waits;
  const auto s = static_cast<std::size_t>(stream);
  waits.counts_[s] = static_cast<std::uint32_t>(tasks_[s].size());
  return waits;
}

TaskRun::Outcome TaskRun::run() const {
  constexpr auto kCompute = static_cast<std::size_t>(Stream::kCompute);
  Outcome outcome;
  Waits done;
  std::array<Cost, kStreams> left{};  // of the task at the head of each stream
  std::array<bool, kStreams> runs{};
  const auto begin_ready = [&] {
    bool any = false;
    for (std::size_t s = 0; s < kStreams; ++s) {
      if (!runs[s] && done.counts_[s] < tasks_[s].size()) {
        const Task& task = tasks_[s][done.counts_[s]];
        runs[s] = std::ranges::equal(task.after.counts_, done.counts_, std::less_equal{});
        if (runs[s]) left[s] = task.cost;
      }
      any = any || runs[s];
    }
    return any;
  };
  /// How much longer everything on these links takes.
  const auto slowness_of = [&](std::uint32_t links) {
    double needed = 0;
    for (std::size_t s = 0; s < kStreams; ++s) {
      if (runs[s] && left[s].links == links) needed += left[s].share;
    }
    return links == 0 ? 1.0 : std::max(1.0, needed);
  };
  while (begin_ready()) {
    std::array<double, kStreams> slowness{};
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < kStreams; ++s) {
      if (!runs[s]) continue;
      slowness[s] = slowness_of(left[s].links);
      step = std::min(step, left[s].seconds * slowness[s]);
    }
    const bool is_tail = done.counts_[kCompute] == tasks_[kCompute].size();
    (is_tail ? outcome.tail : outcome.computed) += step;
    const auto running = static_cast<double>(std::ranges::count(runs, true));
    const double share = runs[kCompute] || is_tail ? 0 : step / running;
    for (std::size_t s = 0; s < kStreams; ++s) {
      if (!runs[s]) continue;
      outcome.exposed[s] += share;
      const bool is_over = left[s].seconds * slowness[s] <= step;
      left[s].seconds -= step / slowness[s];
      if (!is_over) continue;
      runs[s] = false;
      ++done.counts_[s];
      outcome.last = static_cast<Stream>(s);
    }
  }
  for (std::size_t s = 0; s < kStreams; ++s) {
    WEFT_CHECK(done.counts_[s] == tasks_[s].size(), "no task waits for itself");
  }
  return outcome;
}

}  // namespace weft::collectives
