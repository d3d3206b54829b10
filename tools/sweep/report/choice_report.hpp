#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/report/table.hpp"

/// What a sweep that chooses by estimates says of each of its points.
namespace weft::sweep {

struct ChoicePoint {
  const Table::Row* row = nullptr;
  std::optional<double> estimate;        ///< none of what is refused
  std::optional<double> slice_estimate;  ///< of what is simulated, where that is a slice
  std::optional<double> simulated;

  /// Simulated to estimated; of the slice, where there is one.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// From the best estimate to the worst; then what needs more memory than there is, by estimate;
/// then what has no estimate, in the order of the points.
[[nodiscard]] std::vector<ChoicePoint> choice_points(const Table& table);

/// `simulated`, `estimated`, `over memory`, `refused` ..., or how a run ended that did not finish.
[[nodiscard]] std::string state_of(const Table::Row& row);

/// Lines for people, and reasons below; more are what `weft export` is for.
inline constexpr std::size_t kMaxChoicePoints = 200;

/// For people: a line per point, `limit` at most, with the reasons below. Empty for other sweeps.
[[nodiscard]] std::string choice_text(const Table& table, std::size_t limit);
/// `, 10 simulated, 49 estimated only, 30 over memory, 2 refused`; empty for other sweeps.
[[nodiscard]] std::string choice_counts_text(const Table& table);
[[nodiscard]] nlohmann::ordered_json choice_json(const Table& table);

}  // namespace weft::sweep
