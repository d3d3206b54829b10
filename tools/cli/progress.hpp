#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::cli {

/// Ends runs on Ctrl-C, SIGTERM and SIGHUP after the window at hand, so that finished work is
/// written. A second Ctrl-C kills the program.
void stop_on_interrupt();
[[nodiscard]] bool is_interrupted();

/// One line on standard error that keeps itself up to date: simulated time, rate, time left,
/// packets in flight, who is blocked while nothing is delivered; before and after the simulation
/// what is done, and that time passes. Only on a terminal, only after two seconds.
class ProgressLine {
 public:
  /// `unit`: what is counted, such as `packet-hops`. `title`: what runs; empty: all there is.
  ProgressLine(bool is_wanted, const char* unit, std::string title = {});
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void update(const scenarios::Progress& progress);
  /// From now on this is done, until the next update.
  void enter(const std::string& stage);

 private:
  using Clock = std::chrono::steady_clock;

  void tick(const std::stop_token& stop);
  void show(const std::string& line, Clock::time_point now);

  std::mutex mutex_;  ///< of all that follows: the ticker shows lines, too
  bool is_wanted_;
  const char* unit_;
  std::string title_;
  bool is_shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_at_ = begin_;
  std::uint64_t count_ = 0;  ///< when last shown
  std::string stage_;        ///< empty: updates come
  std::condition_variable_any wake_;
  std::jthread ticker_;  ///< ends first
};

}  // namespace weft::cli
