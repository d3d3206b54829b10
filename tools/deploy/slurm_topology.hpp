#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::deploy {

/// A file, and what has to be said of it.
struct Deployed {
  std::string text;
  std::vector<std::string> remarks;
};

/// Slurm's topology.conf of a fabric (slurm.schedmd.com/topology.html). topology/tree: leaves with
/// their servers; the switches of a tier above that reach the same leaves are one, as in Slurm's
/// tree a switch has one parent. Where servers have NICs on several leaves, the leaves of a group
/// are one switch. With `gpus_per_node`, a scale-up domain of more GPUs than that is several nodes,
/// and the file is topology/block: a block per domain. An error if no server is on a leaf.
[[nodiscard]] Result<Deployed> slurm_topology(const Fabric& fabric, std::uint32_t gpus_per_node);

}  // namespace weft::deploy
