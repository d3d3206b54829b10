#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/live/display.hpp"
#include "tools/sweep/language/sweep.hpp"
#include "tools/sweep/run/coordinator.hpp"

namespace weft::sweep {

/// What a sweep shows of itself while it runs: how far it is, the best of each objective so far,
/// the points that ended last.
class SweepView {
 public:
  /// The sweep must outlive it.
  explicit SweepView(const Sweep& sweep);

  void show(live::Display& display, const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  struct Best {
    double value = 0;
    std::string point;
    double worst = 0;                             ///< of all points
    std::string worst_point;                      ///< that has it
    std::size_t count = 0;                        ///< of points that have a value
    std::vector<std::optional<double>> values{};  ///< of the best point, by objective
  };
  struct Last {
    std::string point;
    std::string outcome;
    bool has_failed = false;
    std::vector<std::optional<double>> values;  ///< by objective
  };

  /// By what is no choice, such as sizes: the best of what is chosen.
  using BestByCondition = std::map<std::string, Best>;

  void note(const Ended& ended);
  void note_value(std::size_t objective, const Ended& ended, const Last& last);
  [[nodiscard]] std::string best_text(std::size_t objective) const;
  [[nodiscard]] std::string winner_text(std::size_t objective) const;
  [[nodiscard]] std::string by_condition_text(std::size_t objective) const;
  [[nodiscard]] std::string price_text(std::size_t objective) const;
  [[nodiscard]] std::vector<live::Line> picture(const Progress& progress, std::size_t columns,
                                                std::size_t rows) const;
  void add_bests(std::size_t columns, std::vector<live::Line>& lines) const;
  void add_last(std::size_t columns, std::size_t max, std::vector<live::Line>& lines) const;
  [[nodiscard]] std::string progress_text(const Progress& progress) const;
  [[nodiscard]] std::string sentence(const Progress& progress) const;

  const Sweep& sweep_;
  std::size_t value_columns_;
  std::vector<std::size_t> conditions_{};   ///< parameters that vary and are no choice
  std::vector<std::size_t> choices_{};      ///< the others that vary
  std::vector<std::optional<Best>> bests_;  ///< by objective
  std::vector<BestByCondition> by_condition_;
  std::deque<Last> last_;  ///< the latest first
  Clock::time_point begin_ = Clock::now();
  std::size_t noted_ = 0;  ///< points that ended since the call began
  bool is_over_ = false;
};

}  // namespace weft::sweep
