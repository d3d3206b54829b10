#pragma once

#include <cstdint>

#include "collectives/training/pipeline/pipeline_plan.hpp"

namespace weft::collectives {

/// All forwards, then all backwards, the last micro-batch first (Y. Huang et al., "GPipe", NeurIPS
/// 2019, arXiv 1811.06965, figure 2c).
[[nodiscard]] SlotStream gpipe_slots(std::uint32_t micro_batches);

/// 1F1B, and with virtual stages its interleaved form (D. Narayanan et al., "Efficient Large-Scale
/// Language Model Training on GPU Clusters Using Megatron-LM", SC 2021, arXiv 2104.04473, section
/// 2.2): forwards until the first backward can come, then one of each, then what is left. With
/// pairs, one of each together (NVIDIA/Megatron-LM, megatron/core/pipeline_parallel/
/// combined_1f1b.py, --overlap-moe-expert-parallel-comm).
[[nodiscard]] SlotStream one_by_one_slots(PipelinePlan plan, std::uint32_t rank);

/// Forwards that a rank of it does before it alternates. Interleaved, a rank goes through its
/// chunks in groups of as many micro-batches as there are ranks, and the first backward is of the
/// last chunk: (virtual_stages - 1) groups come before. The distance to the last rank counts
/// twice, so that a rank that alternates finds what it needs there already.
[[nodiscard]] std::uint32_t one_by_one_warm_up(const PipelinePlan& plan, std::uint32_t rank);

}  // namespace weft::collectives
