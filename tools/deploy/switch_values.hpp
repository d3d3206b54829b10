#pragma once

#include <string>

#include "scenarios/build/experiment.hpp"
#include "simcore/base/result.hpp"
#include "tools/deploy/slurm_topology.hpp"

namespace weft::deploy {

/// What the ports of all switches need and have, as CSV with a line per switch, port, class and
/// value: headroom that the link's rate and latency ask for beside what is set aside, thresholds of
/// ECN and PFC. Values with units, never commands of a vendor. An error if no class is lossless.
[[nodiscard]] Result<Deployed> switch_values(const scenarios::Experiment& experiment);

}  // namespace weft::deploy
