#pragma once

#include <algorithm>
#include <cstdint>

/// For whom the chips of a scale-up domain add up in an all-reduce.
namespace weft::collectives {

/// NCCL_MAX_NVLS_ARITY (NCCL 2.28, src/include/device.h), to which `ncclTopoCompute` of
/// src/graph/search.cc limits the channels of its search, one per head.
inline constexpr std::uint32_t kMostHeads = 32;

/// The first so many GPUs of a domain are heads: each gets a part of the sum, and has it repeated
/// to all. (Where fewer GPUs than that have a NIC next to them, NCCL takes those; here it takes the
/// first ones all the same.)
[[nodiscard]] constexpr std::uint32_t heads_of(std::uint32_t domain_size) {
  return std::min(domain_size, kMostHeads);
}

}  // namespace weft::collectives
