#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "tools/sweep/run/mpi_link.hpp"
#include "tools/sweep/run/process_pool.hpp"
#include "tools/sweep/run/task_runner.hpp"

namespace weft::sweep {

/// The coordinator's side of an MPI job: rank 0 hands points to the other ranks, one at a time.
class MpiRunner : public TaskRunner {
 public:
  explicit MpiRunner(MessageLink& link);
  ~MpiRunner() override { stop(); }
  MpiRunner(const MpiRunner&) = delete;
  MpiRunner& operator=(const MpiRunner&) = delete;

  [[nodiscard]] std::size_t free_slots() const override { return idle_.size(); }
  [[nodiscard]] std::size_t running() const override { return running_; }
  void start(const Task& task) override;
  [[nodiscard]] std::vector<Report> wait(std::chrono::milliseconds timeout) override;
  void stop() override;

 private:
  MessageLink& link_;
  std::deque<int> idle_;
  std::size_t running_ = 0;
  bool is_stopped_ = false;
};

/// The other side: runs points, each in a process of its own, until the coordinator says stop.
void serve(MessageLink& link, ProcessPool& pool);

/// Tells every worker to end, before any point has run.
void dismiss(MessageLink& link);

}  // namespace weft::sweep
