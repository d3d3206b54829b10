#pragma once

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// Of a run that cannot finish: the failures behind it, each with when it began, whether anything
/// mends it, and which jobs wait. Those that outlast the run, and those in which a queue pair gave
/// up. Needs the jobs and the incidents of `results`. `failed`: connections that gave up.
[[nodiscard]] std::vector<std::string> describe_lasting_incidents(
    const Experiment& experiment, const std::vector<ConnectionId>& failed, const Results& results);

}  // namespace weft::scenarios
