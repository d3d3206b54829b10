#pragma once

#include "simcore/fabric.hpp"
#include "simcore/result.hpp"
#include "topologies/spec.hpp"

namespace weft::topologies {

/// Three tiers of k-port switches, k even (M. Al-Fares, A. Loukissas, A. Vahdat, "A Scalable,
/// Commodity Data Center Network Architecture", SIGCOMM 2008, section 3): k pods of k/2 edge and
/// k/2 aggregation switches, (k/2)^2 cores, k/2 hosts per edge switch. Aggregation switch a of
/// every pod hangs on the cores a*k/2 ... a*k/2 + k/2 - 1. Hosts are `h0` ... in the order pod,
/// edge switch, port; switches `pod0-edge0`, `pod0-agg0`, `core0`. Hosts, edge and aggregation
/// switches are grouped by pod.
[[nodiscard]] Result<Fabric> build_fat_tree(const FatTreeSpec& spec);

}  // namespace weft::topologies
