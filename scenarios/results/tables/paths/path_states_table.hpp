#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/path_selection/path_history.hpp"
#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// Values of entropy by which a host's queue pairs sent, of one plane: `path_selection: ev-states`.
struct PathStateResult {
  std::string host;  ///< empty: all hosts of the plane
  std::uint64_t hosts = 1;
  std::uint32_t plane = 0;
  std::uint64_t queue_pairs = 0;
  protocols::path_selection::PathStateCounts states;    ///< at the end
  protocols::path_selection::PathChangeCounts changes;  ///< since the measurement began
  std::optional<Picoseconds> first_failure;
  std::optional<Picoseconds> last_failure;

  PathStateResult& operator+=(const PathStateResult& other);
};

/// path_states.csv
struct PathStatesTable {
  std::vector<PathStateResult> path_states;  ///< by host and plane

  [[nodiscard]] static const Table<PathStateResult>& declaration();
};

/// By plane: all its hosts together.
[[nodiscard]] std::vector<PathStateResult> sums_by_plane(const std::vector<PathStateResult>& hosts);

}  // namespace weft::scenarios
