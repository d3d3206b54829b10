#pragma once

#include <vector>

#include "collectives/executor.hpp"
#include "protocols/packet_network.hpp"
#include "scenarios/ideal_times.hpp"
#include "scenarios/results.hpp"
#include "scenarios/simulation.hpp"

/// From what happened to tables: what is the same whichever engine ran. Defined in simulation.cpp.
namespace weft::scenarios {

void collect_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  IdealTimes& ideals, Results& results);

/// Those posted since the measurement began.
void collect_messages(const Experiment& experiment,
                      const std::vector<protocols::MessageOutcome>& messages, IdealTimes& ideals,
                      Results& results);

/// Who waits for whom.
void explain_jobs(const Experiment& experiment, const collectives::Executor& executor,
                  Results& results);

/// slowdown >= 1 holds exactly, or a model is wrong: ends the program.
void require_slowdowns(const Results& results);

}  // namespace weft::scenarios
