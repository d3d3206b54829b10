#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult;

/// The longest chain of dependencies of a collective, from the begin of its first rank to the end
/// of its last one. The parts add up to its duration.
struct CriticalPath {
  Picoseconds late;      ///< waiting for a peer: the rank that the chain begins on began later
  Picoseconds launch;    ///< launch latencies
  Picoseconds wire;      ///< messages at their zero-load times
  Picoseconds queueing;  ///< what messages took longer: queues, congestion control, other traffic
  Picoseconds paused;    ///< the same while a pause or want of credits held a port of their paths
  Picoseconds protocol;  ///< from arrivals until receivers saw them
  Picoseconds reducing;  ///< adding
  Picoseconds copying;   ///< putting in place
  Picoseconds window;    ///< senders waited for acknowledgements
  Picoseconds not_simulated;   ///< stands for rounds that were not simulated
  std::uint32_t messages = 0;  ///< on the chain

  [[nodiscard]] Picoseconds total() const {
    return late + launch + wire + queueing + paused + protocol + reducing + copying + window +
           not_simulated;
  }
};

/// One iteration of a collective.
struct CollectiveResult {
  std::uint32_t job = 0;
  std::uint32_t iteration = 0;
  Bytes size;                  ///< what nccl-tests would call its size
  Bytes bus;                   ///< the same, times the factor of its busbw
  Picoseconds start;           ///< of the first rank
  Picoseconds end;             ///< of the last rank
  Picoseconds since_previous;  ///< from the end of the one before, or the job's start, to the end
  std::optional<double> algorithm_bandwidth;  ///< bytes/s; none of a barrier
  std::optional<double> bus_bandwidth;
  Picoseconds start_skew;  ///< between the first and the last rank
  Picoseconds end_skew;
  Picoseconds mean_wait;  ///< that ranks spent waiting for messages, mean over ranks
  std::uint32_t last_rank = 0;
  CriticalPath path;
  bool is_estimated = false;  ///< it was skipped, and repeats the one before
};

struct CollectiveRow {
  const JobResult& job;
  const CollectiveResult& collective;
};

/// collectives.csv
struct CollectivesTable {
  std::vector<CollectiveResult> collectives;  ///< by job and iteration

  [[nodiscard]] static const Table<CollectiveRow>& declaration();
};

}  // namespace weft::scenarios
