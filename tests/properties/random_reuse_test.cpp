#include "tests/properties/random_reuse_check.hpp"

namespace weft::testing {
namespace {

/// Five seeds each, of every fourth. Noise, mixtures of experts and several jobs leave calls that
/// are not alike. Of seeds 4 to 20 one run alone takes something over: in two, other jobs share
/// GPUs or links, in one messages stand still at a fault, and one samples rates.
class RandomReuse : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomReuse, WritesTheSameAndTakesSomethingOverMostly) {
  int taken = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 20; seed += 4) {
    if (check_random_reuse(seed).reuse.gpu_sets > 0) ++taken;
  }
  EXPECT_GE(taken, 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReuse, ::testing::Range<std::uint64_t>(1, 5));

}  // namespace
}  // namespace weft::testing
