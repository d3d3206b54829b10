#pragma once

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/simulation.hpp"
#include "simcore/base/histogram.hpp"
#include "tools/live/display.hpp"

namespace weft::live {

/// What a run shows of itself: progress, steps, the hottest ports, tails.
class RunView {
 public:
  /// `unit`: what progress counts, such as `packet-hops`. The experiment must outlive it.
  RunView(const scenarios::Experiment& experiment, std::string unit);

  /// A message that is over.
  void add(const scenarios::MessageResult& message);
  void show(Display& display, const scenarios::Progress& progress, bool is_last = false);

 private:
  using Clock = std::chrono::steady_clock;
  /// Slowdowns in millionths.
  struct Tail {
    Histogram slowdowns;
    void add(const scenarios::MessageResult& message);
  };
  /// What is shown, taken at one moment.
  struct Snapshot {
    scenarios::RunState state;
    std::vector<Tail> tails;  ///< by job
    double seconds = 0;       ///< of wall time since the begin
    double rate = 0;          ///< of what is counted, per second since the last snapshot
  };

  [[nodiscard]] Snapshot snapshot(const scenarios::Progress& progress, std::size_t ports);
  [[nodiscard]] std::vector<Line> picture(const scenarios::Progress& progress, std::size_t columns,
                                          std::size_t rows);
  [[nodiscard]] std::string sentence(const scenarios::Progress& progress);
  void add_head(const scenarios::Progress& progress, const Snapshot& snapshot, std::size_t columns,
                std::vector<Line>& lines) const;
  /// `max` of them; what has no room in these columns is left out.
  void add_jobs(const Snapshot& snapshot, std::size_t columns, std::size_t max,
                std::vector<Line>& lines) const;
  void add_ports(const Snapshot& snapshot, std::size_t columns, std::vector<Line>& lines) const;
  /// Those that run first, then those that wait, then those that are over.
  [[nodiscard]] std::vector<std::size_t> order_of_jobs(const Snapshot& snapshot) const;

  const scenarios::Experiment& e_;
  std::string unit_;
  std::vector<Tail> tails_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point words_checked_ = begin_;
  std::uint64_t count_ = 0;  ///< at the last snapshot
};

}  // namespace weft::live
