#pragma once

#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/ideal/ideal_times.hpp"
#include "scenarios/results/results.hpp"

/// From what happened to tables: what is the same whichever engine ran.
namespace weft::scenarios {

/// `ideal`: by job.
void collect_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  const std::vector<IdealTimes::Job>& ideal, Results& results);

/// Adds the messages that were posted since the measurement began to the results.
void collect_messages(const Experiment& experiment, const collectives::Executor& executor,
                      std::vector<protocols::MessageOutcome> messages, IdealTimes& ideals,
                      Results& results);

/// Who waits for whom.
void explain_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  Results& results);

/// slowdown >= 1 holds exactly, or a model is wrong: ends the program.
void require_slowdowns(const Results& results);

}  // namespace weft::scenarios
