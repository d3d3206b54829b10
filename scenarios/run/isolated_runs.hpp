#pragma once

#include <cstdint>
#include <functional>

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {

/// Who watches the run of a job that has this number.
using ObserverOfJob = std::function<ProgressObserver(std::uint32_t job)>;

/// Runs each job of `experiment` once more, alone: on the same fabric and ranks, from the time when
/// it began, with the same random numbers and paths. Adds to `results`, those of the run with all
/// jobs, what each takes beside the others and alone. A single job was alone already; a job that
/// never began is left out. An interrupted run ends all, and `results` are then interrupted.
void run_isolated(Experiment& experiment, const protocols::Parallelism& parallelism,
                  const ObserverOfJob& observer_of, Results& results);

}  // namespace weft::scenarios
