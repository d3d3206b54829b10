#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {

/// Where each of 128 hosts sends: the random permutation that csg-htsim comes with
/// (github.com/Broadcom/csg-htsim, sim/datacenter/connection_matrices/perm_128n_128c_2MB.cm), so
/// that runs of it can be compared with runs of weft.
// clang-format off
inline constexpr std::array<std::uint32_t, 128> kHtsimPermutation = {
    90, 66, 23, 72, 3, 93, 70, 50, 115, 39, 110, 14, 120, 112, 10, 20,
    0, 63, 105, 116, 58, 97, 36, 69, 100, 84, 119, 52, 123, 4, 59, 41,
    121, 40, 109, 46, 95, 21, 5, 65, 64, 74, 107, 87, 18, 68, 37, 94,
    7, 55, 91, 114, 86, 127, 26, 122, 30, 42, 53, 62, 108, 47, 99, 1,
    111, 17, 57, 81, 15, 44, 28, 2, 85, 80, 51, 126, 33, 60, 35, 92,
    75, 48, 11, 88, 106, 56, 77, 8, 25, 101, 113, 102, 96, 67, 124, 38,
    6, 49, 22, 79, 125, 29, 76, 32, 73, 118, 78, 31, 71, 89, 24, 43,
    12, 103, 27, 117, 54, 98, 61, 16, 104, 13, 19, 9, 45, 82, 34, 83,
};
// clang-format on

/// All send at once, 2,000,000 B each.
inline std::vector<Flow> htsim_permutation() {
  std::vector<Flow> flows;
  for (std::uint32_t from = 0; from < kHtsimPermutation.size(); ++from) {
    flows.push_back({HostId(from), HostId(kHtsimPermutation[from]), 2'000'000_B, 0_ps});
  }
  return flows;
}

}  // namespace weft::testing
