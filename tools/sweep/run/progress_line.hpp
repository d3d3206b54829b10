#pragma once

#include <chrono>
#include <cstddef>

#include "tools/sweep/run/coordinator.hpp"

namespace weft::sweep {

/// One line on standard error that says how far a sweep is: only on a terminal, only after two
/// seconds.
class SweepProgressLine {
 public:
  explicit SweepProgressLine(bool is_wanted);
  ~SweepProgressLine();
  SweepProgressLine(const SweepProgressLine&) = delete;
  SweepProgressLine& operator=(const SweepProgressLine&) = delete;
  void update(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_wanted_;
  bool is_shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_at_ = begin_;
};

}  // namespace weft::sweep
