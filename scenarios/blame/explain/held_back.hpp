#pragma once

#include <string>
#include <vector>

#include "scenarios/blame/explain/run_facts.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// Queues that congestion control reacted to when it held a job back, together.
struct HeldBack {
  Picoseconds known;          ///< of the time that it held the job back, as far as a queue is known
  Picoseconds by_others;      ///< the part of it for packets of other jobs; none at paused ports
  Picoseconds at_collisions;  ///< at links between switches that carry more than those beside them
  std::string port;           ///< at which most of it was
  double others_share = 0;    ///< of what that port sent meanwhile
  std::string other_job;      ///< that of others that sent most; empty: none
  bool is_paused = false;     ///< the port was, for a tenth of that time or more

  /// Other jobs are behind most of it.
  [[nodiscard]] bool is_by_others() const { return by_others > known - by_others; }
};

/// Of a job; nothing is known where the run found no queue.
[[nodiscard]] HeldBack held_back_of(const std::string& job, const RunFacts& facts);

/// Whose packets it reacted to, as a sentence about `time` of a job has it: ` for packets of b at
/// leaf0[0]->h0 (74.1 % of what that port sends is of other jobs)`; empty: that is not known.
[[nodiscard]] std::string held_back_text(const HeldBack& held, Picoseconds time);

}  // namespace weft::scenarios
