#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/tasks/tasks.hpp"
#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult;

/// One iteration of a job that computes and has several communicators. Times but for start and end
/// are means over ranks; computing, bubble and what is exposed add up to the iteration of the mean
/// rank.
struct IterationResult {
  using ByKind = std::array<Picoseconds, collectives::Communicator::kKinds>;

  std::uint32_t job = 0;
  std::uint32_t iteration = 0;
  Picoseconds start;           ///< of the first rank
  Picoseconds end;             ///< of the last rank
  Picoseconds since_previous;  ///< from the end of the one before, or the job's start, to the end
  Picoseconds compute;         ///< in the stream that computes
  Picoseconds bubble;          ///< it waited for a message that another rank had not sent yet
  ByKind exposed = {};         ///< it waited for communication
  ByKind hidden = {};          ///< communication while it did not wait for it
  Picoseconds start_skew;
  Picoseconds end_skew;
  std::uint32_t last_rank = 0;
  bool is_estimated = false;  ///< it was skipped, and repeats the one before

  [[nodiscard]] Picoseconds exposed_in_all() const;
  [[nodiscard]] Picoseconds hidden_in_all() const;
};

struct IterationRow {
  const JobResult& job;
  const IterationResult& iteration;
};

/// iterations.csv
struct IterationsTable {
  std::vector<IterationResult> iterations;  ///< by job and iteration

  [[nodiscard]] static const Table<IterationRow>& declaration();
};

}  // namespace weft::scenarios
