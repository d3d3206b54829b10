#pragma once

#include <cstdint>

#include "simcore/fabric/gpu_generation.hpp"

/// What NCCL's search of a server finds (`ncclTopoCompute` of src/graph/search.cc, NCCL 2.30.7):
/// how many channels of which speed its links carry. GB/s throughout.
namespace weft::collectives {

/// The servers of a communicator; all are alike, and every GPU reaches every other by NVSwitches.
struct NcclNode {
  GpuGeneration generation = GpuGeneration::kHopper;
  std::uint32_t gpus = 8;
  double nvlink = 0;       ///< of a GPU to the others, one direction
  std::uint32_t nics = 0;  ///< network devices of the server; 0: it is the only one
  double nic = 0;          ///< of one of them

  [[nodiscard]] bool has_network() const { return nics > 0; }
};

/// Channels of one pattern. A channel that is searched on its own is a ring, a tree or a head.
struct NcclGraph {
  std::uint32_t channels = 0;
  double intra = 0;  ///< of one channel, between the GPUs of a server
  double inter = 0;  ///< of one channel, between servers

  bool operator==(const NcclGraph&) const = default;
};

[[nodiscard]] NcclGraph nccl_ring_graph(const NcclNode& node);

/// With as many channels as its rings. Inside servers they are raised to twice what they have
/// between them where NVLink carries that: two servers exchange half of what their GPUs do.
[[nodiscard]] NcclGraph nccl_tree_graph(const NcclNode& node, const NcclGraph& ring);

/// A channel per head. Between servers they are raised to twice what they have inside where the
/// NICs carry that.
[[nodiscard]] NcclGraph nccl_nvls_graph(const NcclNode& node);

}  // namespace weft::collectives
