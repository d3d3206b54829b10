#pragma once

#include <string>
#include <vector>

#include "scenarios/spec/scenario.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// What every entry of `links.changes` and `faults` means on the fabric of the scenario, a line
/// each: "links.changes[0] (gpu13): 2 directions of the scale-out network". Of very many the first.
[[nodiscard]] std::vector<std::string> describe_changed_links(const Scenario& scenario,
                                                              const Fabric& fabric);

}  // namespace weft::scenarios
