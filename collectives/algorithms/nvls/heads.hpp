#pragma once

#include <algorithm>
#include <cstdint>

#include "collectives/spec/rank_layout.hpp"

/// For whom the switches of a scale-up domain add up in an all-reduce.
namespace weft::collectives {

/// NCCL_MAX_NVLS_ARITY (NCCL 2.28, src/include/device.h), to which `ncclTopoCompute` of
/// src/graph/search.cc limits the channels of its search, one per head.
inline constexpr std::uint32_t kMaxHeads = 32;

/// The first n GPUs of a domain are heads: each gets a part of the sum, and has it repeated
/// to all.
[[nodiscard]] constexpr std::uint32_t heads_of(std::uint32_t domain_size) {
  return std::min(domain_size, kMaxHeads);
}

/// Of each of several domains, whose heads exchange sums: one per NIC at most, the first by
/// `RankMap::entry_at` (the search's channels each need a NIC).
[[nodiscard]] inline std::uint32_t heads_between(const RankMap& map) {
  return std::min(heads_of(map.domain_size()), map.nics());
}

}  // namespace weft::collectives
