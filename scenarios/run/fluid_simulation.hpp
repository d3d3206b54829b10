#pragma once

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/timeline/timeline.hpp"

namespace weft::scenarios {

/// What of a scenario the fluid engine cannot do at all; empty if it can run it. Errors carry key
/// paths; see LoadedScenario::located.
[[nodiscard]] Errors check_fluid(const Experiment& experiment);

/// Of the fluid engine: every start and end of a message is a solve of all flows that share links
/// with it, directly or through others. Set by hand from the runs of simcore/fluid/README.md: 3 us
/// for a message whose flows share with few; of an open loop, whose flows meet at random, 0.5 us
/// more for each flow under way. Of those there are about as many as customers in an M/G/1 queue
/// with shared service, load / (1 - load) for each host, and at most the square root of what came.
/// Where a link is asked for more than it carries, 1 - 1 / load of what has come is still there
/// when the last has begun: on average half of it, while that grows and while it falls.
[[nodiscard]] double fluid_seconds(const Experiment& experiment, double messages);

/// Runs the fluid engine to the end and collects the results: jobs, messages, and what ports
/// carried. Of queues, marks, pauses and drops it knows nothing, and a warning says which keys of
/// the scenario had no effect.
///
/// Once in the life of a process (see FluidNetwork). The observer is told delivered messages in
/// the place of packet-hops. What ranks do is shown on `timeline`, which may be null.
[[nodiscard]] Results simulate_fluid(const Experiment& experiment,
                                     const ProgressObserver& observer = {},
                                     const MessageSink& sink = {}, Timeline* timeline = nullptr,
                                     const RunMode& mode = {});

}  // namespace weft::scenarios
