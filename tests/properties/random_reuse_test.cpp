#include "tests/properties/random_reuse_check.hpp"

namespace weft::testing {
namespace {

TEST(RandomReuse, WritesTheSameAndTakesSomethingOverMostly) {
  int taken = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    if (check_random_reuse(seed).reuse.components > 0) ++taken;
  }
  EXPECT_GT(taken, 8);
}

}  // namespace
}  // namespace weft::testing
