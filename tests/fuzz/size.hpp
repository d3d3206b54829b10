#pragma once

#include "scenarios/spec/scenario.hpp"
#include "tools/sweep/language/sweep.hpp"

namespace weft::testing {

/// Whether the scenario is built. Whether larger ones can be is a matter of what the machine has:
/// 2 s and 1 GB are for thousands of ranks, and tens of thousands of cables.
[[nodiscard]] bool is_small(const scenarios::Scenario& scenario);

/// Whether its points are checked, each of which costs a scenario.
[[nodiscard]] bool is_small(const sweep::Sweep& sweep);

}  // namespace weft::testing
