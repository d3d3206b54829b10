#pragma once

#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/timeline/timeline.hpp"

namespace weft::scenarios {

/// What of a scenario the fluid engine cannot do at all; empty if it can run it. Errors carry key
/// paths; see LoadedScenario::located.
[[nodiscard]] Errors check_fluid(const Experiment& experiment);

/// Runs the fluid engine to the end and collects the results: jobs, messages, and what ports
/// carried. Of queues, marks, pauses and drops it knows nothing, and a warning says which keys of
/// the scenario had no effect.
///
/// Once in the life of a process (see FluidNetwork). The observer is told delivered messages in
/// the place of packet-hops. What ranks do is shown on `timeline`, which may be null.
[[nodiscard]] Results simulate_fluid(const Experiment& experiment,
                                     const ProgressObserver& observer = {},
                                     const MessageSink& sink = {}, Timeline* timeline = nullptr);

}  // namespace weft::scenarios
