#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "collectives/runtime/workload.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {

/// Who watches the run of a job that has this number.
using ObserverOfJob = std::function<ProgressObserver(std::uint32_t job)>;

/// How a job fared alone.
struct LoneRun {
  Outcome outcome = Outcome::kFinished;
  IsolatedResult::Times times{};
  std::string failure{};  ///< why there is no outcome; empty: there is one
};
/// Runs one job of an experiment: by packets, or as a fluid (FluidLoneRuns).
using RunAlone = std::function<LoneRun(const collectives::LoneJob& lone)>;

/// What a job took in a run.
[[nodiscard]] IsolatedResult::Times times_of(const Results& results, std::uint32_t job);

/// Runs each job once more, alone: on the same fabric and ranks, from the time when it began, with
/// the same random numbers and paths. Adds to `results`, those of the run with all jobs, what each
/// takes beside the others and alone. A single job was alone already; a job that never began is
/// left out. An interrupted run ends all, and `results` are then interrupted.
void run_isolated(const RunAlone& run_alone, Results& results);

/// The same by packets.
void run_isolated(const Experiment& experiment, const protocols::Parallelism& parallelism,
                  const ObserverOfJob& observer_of, Results& results);

}  // namespace weft::scenarios
