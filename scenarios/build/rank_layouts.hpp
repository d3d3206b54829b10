#pragma once

#include "scenarios/spec/scenario.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// Tells the collectives of a scenario where their ranks are: rates without headers, and zero-load
/// latencies, of the fabric. Latencies are those of ranks 0 and 1 (inside a domain) and of ranks 0
/// and n/2 (between domains).
void fill_layouts(Scenario& scenario, const Fabric& fabric, const Routes& routes);

}  // namespace weft::scenarios
