#include "collectives/nccl/nccl_blocks.hpp"

#include <algorithm>
#include <bit>

namespace weft::collectives {

std::optional<NcclBlocks> nccl_blocks(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::kVolta:
      return {};
    case GpuGeneration::kAmpere:
      return NcclBlocks{200_Gbps, 102_Gbps, 0.97, 11'500_ns, 8'800_ns, 1'300_ns};
    case GpuGeneration::kHopper:
      return NcclBlocks{600_Gbps, 176_Gbps, 1.04, 4_us, 1'400_ns, 1'300_ns};
    case GpuGeneration::kBlackwell:
      break;
  }
  return NcclBlocks{312_Gbps, 200_Gbps, 1, 0_us, 2'800_ns, 8'100_ns};
}

std::uint32_t nccl_blocks_per_peer(std::uint32_t ranks) {
  constexpr std::uint32_t kBlocks = 32;
  return std::max(1U, kBlocks / std::bit_ceil(ranks));
}

BitsPerSecond nccl_place_rate(const CollectiveSpec& spec, const Execution& execution) {
  const bool is_chain =
      spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce;
  if (spec.algorithm != Algorithm::kRing || is_chain) return {};
  const bool is_paced = execution.preset == Execution::Preset::kNccl &&
                        execution.protocol == Protocol::kSimple &&
                        execution.transfer == Execution::Transfer::kPaced &&
                        execution.channel_rate > BitsPerSecond(0);
  const auto blocks = nccl_blocks(spec.gpus());
  return is_paced && blocks ? blocks->place : BitsPerSecond(0);
}

}  // namespace weft::collectives
