#pragma once

#include <cstdint>
#include <vector>

namespace weft::collectives {

/// 0 .. n-1 without `rank`: the send peers of whoever sends to all.
[[nodiscard]] inline std::vector<std::uint32_t> all_but(std::uint32_t rank, std::uint32_t n) {
  std::vector<std::uint32_t> peers;
  peers.reserve(n - 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (i != rank) peers.push_back(i);
  }
  return peers;
}

}  // namespace weft::collectives
