#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/report/table.hpp"

/// What `summarize` and `plot` compute from the points of a sweep. Points that have no result, or
/// whose jobs did not finish, are left out: the messages that they completed say little.
namespace weft::sweep {

/// A mean with its confidence interval.
struct Estimate {
  std::size_t count = 0;
  double mean = 0;
  /// Half the width of the 95 % interval of the mean by Student's t; nothing for a single value.
  std::optional<double> half_width;
  /// What the percentiles are of together, if some are of runs that were cut off.
  std::optional<scenarios::Coverage> cut_off = {};
};
[[nodiscard]] Estimate estimate(const std::vector<double>& values);
/// Half the width of that interval over the standard error of the mean, of at least two values.
[[nodiscard]] double student_factor(std::size_t count);

/// Whether a point counts in statistics.
[[nodiscard]] bool is_usable(const Table::Row& row);
/// What a metric of a point counts in statistics: estimates do if the point could be run.
[[nodiscard]] std::optional<double> usable_metric(const Table::Row& row, const std::string& metric);
/// What of it is compared with other points: no percentile of a run that was cut off, for what
/// takes longest is not in it, unless the table says so.
[[nodiscard]] std::optional<double> ranked_metric(const Table& table, const Table::Row& row,
                                                  const std::string& metric);
/// The mean over rows, with what they are of.
[[nodiscard]] Estimate estimate(const std::vector<const Table::Row*>& rows,
                                const std::string& metric);

/// One combination of parameters, over its seeds.
struct Configuration {
  std::int64_t number = 0;
  const Table::Row* first = nullptr;  ///< one of its points
  Estimate result;
};
/// From best to worst; equal ones by number. None of which a run was cut off before all was over,
/// where that matters to the objective, unless the table says so.
[[nodiscard]] std::vector<Configuration> ranking(const Table& table, const Objective& objective);
/// Those that have the result and are not ranked, by number.
[[nodiscard]] std::vector<Configuration> unranked(const Table& table, const Objective& objective);

/// The mean over points at one value of a parameter.
struct Level {
  std::string label;
  std::optional<double> number;
  Estimate result;
};
struct Effect {
  std::size_t parameter = 0;
  std::vector<Level> levels;  ///< by value; quarters of the points where there are too many values
  double range = 0;           ///< between the largest and the smallest mean
  /// Values of the other parameters at which all levels have a point, and how many there are.
  /// Levels are compared at these alone; where there are none, over whatever each of them has.
  std::size_t common = 0;
  std::size_t others = 0;
  /// Parameters that change with this one, and with nothing else: those of a zip. The effect is
  /// that of all of them.
  std::vector<std::size_t> together;

  /// Whether the difference between levels can come from the other parameters as well.
  [[nodiscard]] bool is_unequal() const { return common == 0; }
};
/// Main effects of all parameters but the seed, the largest first.
[[nodiscard]] std::vector<Effect> main_effects(const Table& table, const Objective& objective);

/// Configurations that no other one beats in both objectives, by the first.
struct ParetoPoint {
  const Table::Row* first = nullptr;
  double a = 0;
  double b = 0;
  std::optional<scenarios::Coverage> cut_off_a = {};
  std::optional<scenarios::Coverage> cut_off_b = {};
};
[[nodiscard]] std::vector<ParetoPoint> pareto_front(const Table& table, const Objective& a,
                                                    const Objective& b);

/// What a bisection found.
struct Threshold {
  const Table::Row* first = nullptr;  ///< one of its points, for the other parameters
  std::optional<Value> fails_at;      ///< the largest value for which the condition fails
  std::optional<Value> holds_at;      ///< the smallest for which it holds
  bool has_failures = false;          ///< some run failed, so that the search ended early
  /// What percentiles in the condition are of at these values, if runs were cut off there.
  std::optional<scenarios::Coverage> cut_off_fails = {};
  std::optional<scenarios::Coverage> cut_off_holds = {};
  std::size_t runs = 0;
};
[[nodiscard]] std::vector<Threshold> thresholds(const Table& table);

/// The distinct values of a parameter in rows that count for this metric: numbers ascending, then
/// texts as they come.
[[nodiscard]] std::vector<Value> distinct_values(const Table& table, std::size_t parameter,
                                                 const std::string& metric);

}  // namespace weft::sweep
