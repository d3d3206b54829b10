#pragma once

#include <optional>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft {

/// A link direction, and the part of a message's bytes that crosses it.
struct PortShare {
  PortId port;
  double share = 1;
  bool operator==(const PortShare&) const = default;
};

/// Where the bytes of sprayed packets go, on average, step by step: at the source and at every
/// switch evenly over the next hops, or by their weights. The shares of a step add up to 1, or less
/// where some packets have arrived already. Ports ascend within a step. Empty if source and
/// destination are one host, some packets find no next hop, or the next hops form a loop. `first`:
/// the port of the source by which all leave; without, by all that lead there.
[[nodiscard]] std::vector<std::vector<PortShare>> sprayed_shares(
    const Fabric& fabric, const Routes& routes, HostId source, HostId destination,
    std::optional<PortId> first = std::nullopt);

}  // namespace weft
