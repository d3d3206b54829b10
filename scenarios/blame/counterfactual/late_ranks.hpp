#pragma once

#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {

/// Ranks that a job has begin late or compute slowly, at times that are known: its zero-load time
/// has them in it, and does not show what they cost.
struct LateRanks {
  std::string job;
  std::string text;  ///< `rank 3 (late by 1 ms), ranks 4-7 (computing x 1.5)`
};

/// By job, in the order of the scenario; of jobs without any nothing.
[[nodiscard]] std::vector<LateRanks> late_ranks(const LoadedScenario& scenario);

}  // namespace weft::scenarios
