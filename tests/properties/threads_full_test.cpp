#include "tests/properties/threads_check.hpp"

namespace weft::testing {
namespace {

class ThreadsInFull : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(ThreadsInFull, AndCutsIntoCellsDoNotChangeTheDigest) { check_threads(GetParam()); }

INSTANTIATE_TEST_SUITE_P(ShippedScenarios, ThreadsInFull, ::testing::ValuesIn(golden_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace weft::testing
