#pragma once

#include "simcore/fabric.hpp"
#include "simcore/result.hpp"
#include "topologies/spec.hpp"

namespace weft::topologies {

/// Two tiers: rack r hangs on leaf r, every leaf on every spine by `links_per_pair` parallel links.
/// Hosts `h0`, `h1`, ... are NICs in the order rack, server, NIC; switches are `leaf0` ... and
/// `spine0` ...
[[nodiscard]] Result<Fabric> build_leaf_spine(const LeafSpineSpec& spec);

}  // namespace weft::topologies
