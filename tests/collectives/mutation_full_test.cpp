#include <gtest/gtest.h>

#include "tests/collectives/mutations.hpp"
#include "tests/collectives/schedule_shapes.hpp"

// As mutation_test.cpp, on more ranks, in more pieces and larger domains.
namespace weft::collectives {
namespace {

class EveryMutationOnMoreRanks : public ::testing::TestWithParam<Pair> {};

TEST_P(EveryMutationOnMoreRanks, IsFound) {
  const auto [operation, algorithm] = GetParam();
  for (const std::uint32_t n : {5U, 7U, 8U, 9U}) {
    expect_all_found(operation, algorithm, n, {.size = 5003, .root = n - 1});
  }
}

TEST_P(EveryMutationOnMoreRanks, IsFoundInDomains) {
  const auto [operation, algorithm] = GetParam();
  for (const std::uint32_t domain : {2U, 3U, 4U}) {
    expect_all_found(operation, algorithm, 2 * domain, {.size = 5003, .domain = domain});
    expect_all_found(operation, algorithm, 3 * domain, {.size = 5003, .root = 2, .domain = domain});
  }
}

TEST_P(EveryMutationOnMoreRanks, IsFoundInChannelsChunksAndSlices) {
  const auto [operation, algorithm] = GetParam();
  for (const std::uint32_t n : {2U, 3U, 4U, 6U}) {
    expect_all_found(operation, algorithm, n,
                     {.size = 601, .channels = 2, .chunk = 100, .slices = 2, .root = n / 2});
  }
}

INSTANTIATE_TEST_SUITE_P(Symbolic, EveryMutationOnMoreRanks, ::testing::ValuesIn(all_pairs()),
                         test_name);

}  // namespace
}  // namespace weft::collectives
