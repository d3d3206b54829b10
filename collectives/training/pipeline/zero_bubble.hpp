#pragma once

#include <cstdint>

#include "collectives/training/pipeline/slot.hpp"

namespace weft::collectives {

/// ZB-H1 (P. Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, arXiv 2401.10241, section
/// 2.1): the order of 1F1B, where rank r does the weights of a micro-batch r backwards later, so
/// that what they save at the start fills the end, and every rank holds as many micro-batches as
/// the first rank of 1F1B.
[[nodiscard]] SlotStream zero_bubble_h1_slots(std::uint32_t ranks, std::uint32_t micro_batches,
                                              std::uint32_t rank);

}  // namespace weft::collectives
