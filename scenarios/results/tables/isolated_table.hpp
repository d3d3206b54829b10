#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult;

/// What a job takes beside the others, and what alone: on the same ranks, from the same start,
/// with the same random numbers and paths.
struct IsolatedResult {
  struct Times {
    std::optional<Picoseconds> completion;      ///< absent: unfinished
    std::optional<Picoseconds> iteration;       ///< mean; absent: none ended, or it has none
    std::optional<double> message_p99_seconds;  ///< of completed messages; absent: there are none
  };
  std::uint32_t job = 0;
  Times shared;  ///< beside the others
  Times alone;
};

struct IsolatedRow {
  const JobResult& job;
  const IsolatedResult& isolated;
};

/// isolated.csv
struct IsolatedTable {
  std::vector<IsolatedResult> isolated;  ///< by job; empty unless jobs ran alone, too

  [[nodiscard]] static const Table<IsolatedRow>& declaration();
};

/// How many times as long; nothing where one of them is not known, or takes no time.
[[nodiscard]] std::optional<double> slowdown_of(const std::optional<Picoseconds>& shared,
                                                const std::optional<Picoseconds>& alone);
[[nodiscard]] std::optional<double> slowdown_of(const std::optional<double>& shared,
                                                const std::optional<double>& alone);

}  // namespace weft::scenarios
