#pragma once

#include <string>

#include "scenarios/blame/counterfactual/candidates.hpp"

namespace weft::scenarios {

/// What mends a failure, with its name: `replace the NIC of h3, which holds its switch paused`;
/// without a name where it has none. Empty: it is no failure of links or NICs.
[[nodiscard]] std::string mending_text(const Degradation& failure);

}  // namespace weft::scenarios
