#pragma once

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::protocols {

/// Hosts never forward, and routes lead a packet to its destination or nowhere: what comes to
/// another host means that a table of next hops is wrong, and that all that follows would be.
/// Throws a BrokenInvariant that says where, in every build.
[[noreturn]] void fail_delivery(const Fabric& fabric, PortId at, HostId destination);

}  // namespace weft::protocols
