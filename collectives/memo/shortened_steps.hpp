#pragma once

#include <cstdint>
#include <memory>

#include "collectives/memo/lane_rounds.hpp"
#include "collectives/steps/program.hpp"
#include "collectives/steps/step.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Rounds of a call that a lane skips.
struct LaneCut {
  std::int64_t iteration = -1;  ///< -1: none so far
  std::int64_t first = 0;
  std::int64_t count = 0;
  Picoseconds time;  ///< that they stand for: the end of the call is so much later
};

/// Iterations that a job skips.
struct JobCut {
  std::int64_t last = -1;  ///< that is carried out; -1: all are
  Picoseconds time;        ///< that the others stand for
};

/// What a lane would have sent.
struct SkippedTraffic {
  std::int64_t messages = 0;
  Bytes bytes;
};

/// Of a lane, for its steps. All of it outlives them.
struct Shortening {
  const JobProgram& program;
  LanePlace place;
  const LaneRounds* rounds;  ///< null: the job's calls have none
  std::int64_t whole_rounds;
  const LaneCut& lane;
  const JobCut& job;
  SkippedTraffic& skipped;
};

/// The steps of a program with a kRound before each whole round of a call and after the last one,
/// and without what is skipped. Cuts may be set while they are made, before the lane comes there.
[[nodiscard]] std::unique_ptr<StepSource> shortened(std::unique_ptr<StepSource> program,
                                                    const Shortening& shortening);

}  // namespace weft::collectives
