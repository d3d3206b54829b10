#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "simcore/base/random.hpp"

/// Schedules for tests: every operation by every algorithm, in shapes that divide by nothing.
namespace weft::collectives {

struct Shape {
  std::int64_t size = 0;
  std::uint32_t channels = 1;
  std::int64_t chunk = 0;
  std::uint32_t slices = 1;
  std::uint32_t root = 0;
  std::uint32_t domain = 0;   ///< ranks of a scale-up domain; 0: what the algorithm needs
  std::uint32_t per_nic = 1;  ///< ranks that share a NIC
};

inline RankLayout in_domains(std::uint32_t ranks, std::uint32_t size) {
  RankLayout layout;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) layout.domain.push_back(rank / size);
  return layout;
}

/// Side by side.
inline void share_nics(RankLayout& layout, std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < layout.domain.size(); ++rank) {
    layout.nic.push_back(rank / ranks);
  }
}

/// Domains of the largest divisor of n that leaves several of them, or one.
inline std::uint32_t domain_size(std::uint32_t n) {
  for (std::uint32_t size = n / 2; size > 1; --size) {
    if (n % size == 0) return size;
  }
  return n;
}

inline SchedulePlan plan(Operation operation, Algorithm algorithm, std::uint32_t n,
                         const Shape& shape) {
  RankLayout layout;
  if (algorithm == Algorithm::kHierarchical || algorithm == Algorithm::kNvlsTree) {
    layout = in_domains(n, domain_size(n));
  }
  if (algorithm == Algorithm::kNvls) layout = in_domains(n, n);
  if (shape.domain > 0) layout = in_domains(n, shape.domain);
  if (shape.per_nic > 1) share_nics(layout, shape.per_nic);
  SchedulePlan plan(n, layout);
  plan.operation = operation;
  plan.size = operation == Operation::kBarrier ? 1 : shape.size;
  plan.root = shape.root % n;
  plan.channels = shape.channels;
  plan.chunk = shape.chunk;
  plan.slices = shape.slices;
  if (operation == Operation::kAllToAllV) {
    const RandomStream random(7, Purpose::kTestScenario, n);
    for (std::uint64_t i = 0; i < std::uint64_t{n} * n; ++i) {
      const auto size = static_cast<std::uint64_t>(shape.size) + 1;
      const bool is_empty = random.below(2 * i, 4) == 0;
      plan.matrix.push_back(is_empty ? 0
                                     : static_cast<std::int64_t>(random.below(2 * i + 1, size)));
    }
  }
  return plan;
}

struct Pair {
  Operation operation;
  Algorithm algorithm;
};

inline std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    for (const Algorithm algorithm : algorithms_for(operation)) {
      pairs.push_back({operation, algorithm});
    }
  }
  return pairs;
}

inline std::string test_name(const ::testing::TestParamInfo<Pair>& info) {
  std::string name =
      std::string(name_of(info.param.operation)) + "_by_" + name_of(info.param.algorithm);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace weft::collectives
