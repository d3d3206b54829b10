// A run gives the same bits whatever the number of threads and the partition into logical
// processes: shipped scenarios (those of the golden digests, some made smaller). The long ones are
// in threads_full_test.cpp.

#include "tests/properties/threads_check.hpp"

namespace weft::testing {
namespace {

class Threads : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(Threads, AndCutsIntoCellsDoNotChangeTheDigest) { check_threads(GetParam()); }

INSTANTIATE_TEST_SUITE_P(ShippedScenarios, Threads, ::testing::ValuesIn(short_golden_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace weft::testing
