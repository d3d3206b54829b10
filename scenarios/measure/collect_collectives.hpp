#pragma once

#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/ideal/ideal_times.hpp"
#include "scenarios/measure/held_times.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// The iterations of all collectives that all their ranks ended, by job and iteration. `messages`
/// are all of the run.
void collect_collectives(const Experiment& experiment, const collectives::Executor& executor,
                         const std::vector<protocols::MessageOutcome>& messages, IdealTimes& ideals,
                         HeldTimes& held, Results& results);

/// A table of the jobs' collectives: bandwidths, skew, and what their critical paths are made of
/// (of the slowest iteration).
[[nodiscard]] std::string collectives_text(const Results& results);

}  // namespace weft::scenarios
