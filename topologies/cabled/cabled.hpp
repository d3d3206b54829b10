#pragma once

#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "topologies/cabled/cabled_spec.hpp"

namespace weft::topologies {

/// Hosts in the order of racks and servers, then switches by tier in their order. A port of a NIC
/// has one cable at most; a NIC without a cable is left to the scale-up network of its server.
[[nodiscard]] Result<Fabric> build(const CabledSpec& spec);

}  // namespace weft::topologies
