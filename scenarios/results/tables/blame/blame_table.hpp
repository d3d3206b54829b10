#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult;

/// Part of the time of an iteration of a job, or of a job without iterations: what passed along its
/// critical path for one cause at one place.
struct BlameResult {
  std::uint32_t job = 0;
  std::uint32_t iteration = 0;
  std::string cause;
  std::string culprit_kind;
  std::string culprit;
  std::string port;  ///< where on the fabric; empty: at no port
  Picoseconds time;
};

struct BlameRow {
  const JobResult& job;
  const BlameResult& blame;
};

/// blame.csv
struct BlameTable {
  std::vector<BlameResult> blame;  ///< by job, iteration and falling time
  bool has_blame = false;          ///< it was asked for

  [[nodiscard]] static const Table<BlameRow>& declaration();
};

}  // namespace weft::scenarios
