#include "tests/properties/random_reuse_check.hpp"

namespace weft::testing {
namespace {

/// Five seeds each, of every fourth.
class RandomReuse : public ::testing::TestWithParam<int> {};

TEST_P(RandomReuse, WritesTheSameAndTakesSomethingOverMostly) {
  int taken = 0;
  for (int i = 0; i < 5; ++i) {
    const auto seed = static_cast<std::uint64_t>(1 + GetParam() + 4 * i);
    if (check_random_reuse(seed).reuse.components > 0) ++taken;
  }
  EXPECT_GE(taken, 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReuse, ::testing::Range(0, 4));

}  // namespace
}  // namespace weft::testing
