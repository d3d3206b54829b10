#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {

/// What is to be mended or replaced for a degradation, each once, by the names of nodes: `the link
/// of h3`, `switch spine1`, `the cable between h5 and leaf0`, `the NIC of h3`. Empty: all of a kind
/// have it, or it has no place.
[[nodiscard]] std::vector<std::string> defect_names(std::string_view what,
                                                    const LoadedScenario& scenario);

}  // namespace weft::scenarios
