#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/nccl/nccl_search.hpp"
#include "collectives/spec/collective_spec.hpp"

/// NCCL's own cost model: latencies and bandwidths per algorithm and protocol, the smallest time
/// wins. Constants and rules are those of `src/graph/tuning.cc` of NCCL 2.30.7, which moved to
/// `src/tuning/` since; where the two differ, on Blackwell alone, it is the newer one.
namespace weft::collectives {

/// A communicator as the tuning model sees it.
struct NcclMachine {
  GpuGeneration generation = GpuGeneration::kHopper;
  std::uint32_t ranks = 8;
  std::uint32_t nodes = 1;
  NcclGraph ring;
  NcclGraph tree;
  NcclGraph nvls;
  bool has_simple_trees = false;  ///< whose parent and both children are attached to one GPU
  double transport_us = 0;        ///< what the NICs' plug-in reports as the latency of a message
  bool has_nvls = false;          ///< inside every node
  bool is_pci = false;            ///< the GPUs of a node reach each other by PCIe
  bool is_amd = false;            ///< the hosts' processors
  bool is_arm = false;

  /// That run: of rings and trees twice what was searched, or four times few fast ones
  /// (`ncclTopoPostset`).
  [[nodiscard]] std::uint32_t channels() const;
  [[nodiscard]] std::uint32_t ranks_per_node() const { return ranks / nodes; }
};

/// The servers that a machine consists of.
struct NcclServers {
  GpuGeneration generation = GpuGeneration::kHopper;
  std::uint32_t nodes = 1;
  std::uint32_t gpus = 8;  ///< of a node
  double nvlink = 0;       ///< GB/s from a GPU to the others of its node
  std::uint32_t nics = 0;  ///< of a node; 0: one beside every GPU
  double nic = 0;          ///< GB/s of each
};

/// Processors are those of NVIDIA's own servers of a generation: AMD's in DGX A100, Arm's in trays
/// and racks of GB200, Intel's elsewhere. Trees are simple where every GPU has a NIC of its own:
/// from Hopper on the search then takes no second GPU for what comes back.
[[nodiscard]] NcclMachine nccl_machine(const NcclServers& servers);

/// What the channels of its rings carry together, GB/s of data.
[[nodiscard]] double nccl_ring_bandwidth(Protocol protocol, const NcclMachine& machine);

/// What a block of threads of a tree in LL128 or Simple moves each way, GB/s: of what the tuning
/// model has at most for a searched channel, its share, and half of that, as an all-reduce goes up
/// and down. `leaves`: of blocks whose messages come from other nodes or go there.
[[nodiscard]] double nccl_tree_block(Protocol protocol, const NcclMachine& machine, bool leaves);

enum class NcclAlgorithm : std::uint8_t { kTree, kRing, kNvls, kNvlsTree, kPat };
[[nodiscard]] const char* name_of(NcclAlgorithm algorithm);

/// Microseconds of a hop of a ring or tree from GPU to GPU of a node.
[[nodiscard]] double nccl_local_hop(NcclAlgorithm algorithm, Protocol protocol,
                                    const NcclMachine& machine);
/// Of a hop from node to node: the proxy threads of both hosts, the NICs and the wire; in Simple
/// also the flush of what was written to the GPU. `transport_us` adds to it, and again where that
/// flush goes by way of the NIC, on GPUs before Hopper.
[[nodiscard]] double nccl_network_hop(NcclAlgorithm algorithm, Protocol protocol,
                                      const NcclMachine& machine);

struct NcclEstimate {
  NcclAlgorithm algorithm = NcclAlgorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  double latency_us = 0;
  double bandwidth = 0;  ///< algorithm bandwidth at the size that was asked for, GB/s
  double time_us = 0;    ///< of the size that was asked for
};

/// Of all that NCCL would consider for the operation, the fastest first. Empty for operations that
/// it does not tune (all-to-all and other point-to-point).
[[nodiscard]] std::vector<NcclEstimate> nccl_estimates(Operation operation, double bytes,
                                                       const NcclMachine& machine);

}  // namespace weft::collectives
