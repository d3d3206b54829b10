#pragma once

#include <optional>

#include "tools/diagnose/catalogue/fit.hpp"
#include "tools/diagnose/model/simulator.hpp"

namespace weft::diagnose {

/// Finds the number of a hypothesis again by packets, on the largest size that is simulated, and
/// says how far up to three sizes are off with it (ln of the worst). Nothing: the scenario's
/// language cannot express it, or no curve is there to simulate.
[[nodiscard]] std::optional<double> confirm_by_packets(Simulator& healthy, Fit& fit,
                                                       const EvidencePoints& evidence);

}  // namespace weft::diagnose
