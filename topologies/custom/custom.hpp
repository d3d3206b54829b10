#pragma once

#include <cstdint>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "topologies/custom/custom_spec.hpp"

namespace weft::topologies {

/// Nodes and links as listed: hosts in their order, then switches by tier in their order. Scale-up
/// switches come before the other switches of their tier. A host has links to switches only.
[[nodiscard]] Result<Fabric> build(const CustomSpec& spec);

/// A checked `CustomSpec::NextHopEntry`.
struct StaticNextHops {
  SwitchId at;
  HostId to;
  std::vector<std::uint16_t> local_ports;  ///< ascending
};

/// Resolves the names of `spec.next_hops` against the fabric built from it. At the switch that a
/// host is attached to, packets for it always leave to the host itself: an entry there is refused.
[[nodiscard]] Result<std::vector<StaticNextHops>> resolve_next_hops(const Fabric& fabric,
                                                                    const CustomSpec& spec);

}  // namespace weft::topologies
