#pragma once

#include <string>

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/facts/description.hpp"

namespace weft::import {

/// The cluster as a scenario that people read and change: every value with the place that it is
/// from, what was found odd and what was assumed at the top. Its job is an all-reduce of all GPUs.
/// Adds what it has to assume to `cluster.assumptions`.
[[nodiscard]] std::string scenario_text(Cluster& cluster, const Description& description,
                                        const JoinOptions& options, const std::string& name);

}  // namespace weft::import
