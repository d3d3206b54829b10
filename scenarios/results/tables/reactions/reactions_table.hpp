#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/results/table.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult;

/// A queue that congestion control reacted to when it held a job back: of the ports on the path of
/// a queue pair that was held back the one that marked most, else that with the longest queue.
struct ReactionResult {
  std::uint32_t job = 0;
  PortId port;
  Picoseconds held;               ///< that blame has of it
  std::uint64_t queue_pairs = 0;  ///< that were held back
  // Of the time that the port sent data while packets of critical paths waited there.
  double others_share = 0;      ///< for other jobs
  std::uint32_t other_job = 0;  ///< that of them that sent most
  double other_job_share = 0;
  /// The bytes of the port over the mean of the links beside it, between the same tiers; 0: it
  /// does not join switches.
  double load_ratio = 0;
};

struct ReactionRow {
  const Results& results;
  const JobResult& job;
  const ReactionResult& reaction;
};

/// reactions.csv
struct ReactionsTable {
  std::vector<ReactionResult> reactions;  ///< by job and falling time

  [[nodiscard]] static const Table<ReactionRow>& declaration();
};

}  // namespace weft::scenarios
