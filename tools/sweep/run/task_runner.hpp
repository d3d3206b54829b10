#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/sweep/store/report.hpp"

namespace weft::sweep {

/// Runs points somewhere else: in processes of this machine, or on MPI workers.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  /// How many more points it would start at once.
  [[nodiscard]] virtual std::size_t free_slots() const = 0;
  [[nodiscard]] virtual std::size_t running() const = 0;
  virtual void start(const Task& task) = 0;
  /// What has ended, waiting at most so long for something.
  [[nodiscard]] virtual std::vector<Report> wait(std::chrono::milliseconds timeout) = 0;
  /// Gives up what is running.
  virtual void stop() = 0;
};

}  // namespace weft::sweep
