#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/spec/collective_spec.hpp"

/// NCCL's own cost model: latencies and bandwidths per algorithm and protocol, the smallest time
/// wins (the constants are those of `src/graph/tuning.cc`, NCCL 2.30.7).
namespace weft::collectives {

/// What NCCL's search of the machine comes out with.
struct NcclMachine {
  GpuGeneration generation = GpuGeneration::kHopper;
  std::uint32_t ranks = 8;
  std::uint32_t nodes = 1;
  std::uint32_t channels = 24;
  double channel_bandwidth = 15;  ///< GB/s, of one channel
  double transport_us = 0;        ///< what the NICs' plug-in reports as the latency of a message
  bool has_nvls = false;          ///< inside every node
  bool is_pci = false;            ///< the GPUs of a node reach each other by PCIe
};

/// Nodes of equal size, `intra` GB/s from a GPU to the others of its node and a NIC of `nic` GB/s
/// beside every GPU. On one node channels have the speed that the search settles on where GPUs have
/// all their links: 20, 30 and 40 GB/s (12 x 30 of the 370.8 of a Hopper); on several nodes there
/// is one per NIC, 32 at most. Then channels are doubled at half the speed each, as NCCL does.
[[nodiscard]] NcclMachine nccl_machine(GpuGeneration generation, std::uint32_t ranks,
                                       std::uint32_t nodes, double intra, double nic);

/// What the channels of its rings carry together, GB/s of data.
[[nodiscard]] double nccl_ring_bandwidth(Protocol protocol, const NcclMachine& machine);

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
