#pragma once

#include <cstdint>
#include <vector>

#include "simcore/engine/lp_plan.hpp"

namespace weft {

/// The logical processes of `plan` in an order in which those that exchange packets are close to
/// each other. Those with hosts keep their order. A switch stands in the middle of those below it;
/// switches above the same ones, such as the leaves of all rails or the spines, are spread evenly
/// over these. What no host reaches comes last.
[[nodiscard]] std::vector<std::uint32_t> neighbours_together(const Fabric& fabric,
                                                             const LpPlan& plan);

}  // namespace weft
