#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/run/task_runner.hpp"

namespace weft::sweep {

struct Limits {
  std::optional<std::chrono::nanoseconds> time;  ///< wall time of a point
  std::optional<std::int64_t> memory;            ///< bytes of private memory of a point
};

/// Runs each point in a process of its own, so that a crash, an endless run or a hunger for memory
/// ends that point and nothing else. The processes are forks: they start in a fraction of a
/// millisecond, with the sweep already read. They die with their parent.
class ProcessPool : public TaskRunner {
 public:
  using Work = std::function<Report(const Task&)>;

  ProcessPool(std::size_t slots, Limits limits, Work work)
      : slots_(slots), limits_(limits), work_(std::move(work)) {}
  ~ProcessPool() override { stop(); }
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  [[nodiscard]] std::size_t free_slots() const override { return slots_ - children_.size(); }
  [[nodiscard]] std::size_t running() const override { return children_.size(); }
  void start(const Task& task) override;
  [[nodiscard]] std::vector<Report> wait(std::chrono::milliseconds timeout) override;
  void stop() override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Child {
    pid_t process = -1;
    int results = -1;   ///< pipe with the report
    int messages = -1;  ///< pipe with what it writes to standard error
    std::int64_t id = 0;
    Clock::time_point begin{};
    bool is_too_slow = false;
    std::string report{};
    std::string errors{};
  };

  [[noreturn]] void run_child(const Task& task, int results, int messages) const;
  [[nodiscard]] std::chrono::milliseconds time_to_deadline() const;
  void enforce_time_limit();
  /// Reads what is there; false at the end.
  static bool drain(int& descriptor, std::string& text, std::size_t keep);
  [[nodiscard]] Report finish(Child& child) const;

  std::size_t slots_;
  Limits limits_;
  Work work_;
  std::vector<Child> children_;
  std::vector<Report> failed_to_start_;
};

}  // namespace weft::sweep
