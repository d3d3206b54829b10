#pragma once

#include "simcore/engine/lp_plan.hpp"

namespace weft {

/// Gives the logical processes numbers by which those that exchange packets are close to each
/// other: threads take runs of them. Those with hosts keep their order. A switch comes among those
/// below it; switches above the same ones, such as the leaves of all rails or the spines, are
/// spread evenly over these. What no host reaches comes last. One thread is a little slower by this
/// order, which alternates between hosts and switches.
void put_neighbours_together(LpPlan& plan, const Fabric& fabric);

}  // namespace weft
