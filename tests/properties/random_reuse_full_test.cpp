#include "tests/properties/random_reuse_check.hpp"

namespace weft::testing {
namespace {

class ManyRandomReuses : public ::testing::TestWithParam<int> {};

TEST_P(ManyRandomReuses, WriteTheSame) {
  check_random_reuse(static_cast<std::uint64_t>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyRandomReuses, ::testing::Range(100, 2100));

}  // namespace
}  // namespace weft::testing
