#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "scenarios/blame/path_finder.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/fluid_sharers.hpp"
#include "scenarios/run/parts/run_part.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/timeline/timeline.hpp"

namespace weft::scenarios {

/// How a second run is done.
struct BlameRun {
  const RunMode& mode;
  const protocols::Parallelism& parallelism;
  const ProgressObserver& progress;
  Timeline* timeline = nullptr;  ///< where paths are shown, if anywhere
  /// Makes the part whose oracle answers for the same calls as in the first run; may give null.
  std::function<std::unique_ptr<RunPart>()> part;
};

/// Runs the experiment once more, looking at the packets of the messages on critical paths, and
/// adds who is to blame to `results`, those of the run that `paths` are of. A second run that is
/// stopped makes them interrupted.
void find_blame(const Experiment& experiment, const std::vector<JobPath>& paths,
                ZeroLoadTimes& ideals, const BlameRun& how, Results& results);

/// The same without packets: of a message's time what passes on an empty network is latency and its
/// own bytes, and the rest queueing, which `sharers` split.
void find_blame_by_ideal(const Experiment& experiment, const std::vector<JobPath>& paths,
                         ZeroLoadTimes& ideals, const FluidSharers& sharers, Timeline* timeline,
                         Results& results);

}  // namespace weft::scenarios
