#pragma once

#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "topologies/clos/clos_spec.hpp"

namespace weft::topologies {

/// Nodes: hosts, scale-up switches and NIC nodes as `Servers` adds them; `leaf<i>` in the order
/// block, rail, leaf of the rail; `spine<i>` in the order pod, spine; `super<i>`. With several
/// planes the switches of plane p are called `p<p>-leaf<i>` and so on, and come plane by plane
/// within a tier. Leaves are grouped by block, spines by pod.
[[nodiscard]] Result<Fabric> build(const ClosSpec& spec);

}  // namespace weft::topologies
