#pragma once

#include "simcore/base/result.hpp"
#include "topologies/assembly/spec.hpp"

namespace weft::topologies {

/// The fabric of the short form in full. Error: k is odd, below 2 or more ports than any switch
/// has.
[[nodiscard]] Result<ClosSpec> clos_of(const FatTreeSpec& spec);

/// Shapes `clos` as a k-ary fat tree of servers that are alike: racks, spines, super-spines and
/// names. k/2 must be a multiple of the NIC ports of `rack.server`, so that each server's NICs are
/// on one edge switch; `rack.count` and `rack.servers` are set here. Error: it is not, or k is
/// wrong.
[[nodiscard]] Errors make_fat_tree(std::uint32_t k, const RackSpec& rack, ClosSpec& clos);

}  // namespace weft::topologies
