#pragma once

#include <cstdint>
#include <vector>

#include "protocols/path_selection/path_history.hpp"
#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What became of the paths of a plane in an interval, all hosts together.
struct PathChangeResult {
  std::uint32_t plane = 0;
  Picoseconds begin;
  Picoseconds end;
  protocols::path_selection::PathChangeCounts changes;
  std::uint64_t assumed_bad = 0;  ///< values, at the end of the interval
};

/// path_changes.csv
struct PathChangesTable {
  /// By plane and time; at most PathHistory::kIntervals of each plane.
  std::vector<PathChangeResult> path_changes;

  [[nodiscard]] static const Table<PathChangeResult>& declaration();
};

}  // namespace weft::scenarios
