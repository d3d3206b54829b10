// The M/D/1 queue with as many packets as a tight tolerance needs.

#include "tests/oracles/queueing.hpp"

namespace weft::testing {
namespace {

class Md1Loads : public ::testing::TestWithParam<double> {};

TEST_P(Md1Loads, WaitsAreRhoOverTwiceOneMinusRho) {
  // Ten runs of a million packets. Waits at 0.95 are correlated over some 1/(1-rho)^2 = 400
  // packets, so 1e7 packets give a standard error of about 1 %: 3 %.
  const double load = GetParam();
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) mean += md1_wait(load, 1'000'000, seed) / 10;
  EXPECT_NEAR(mean, md1_theory(load), 0.03 * md1_theory(load));
  RecordProperty("mean_wait", std::to_string(mean));
}

INSTANTIATE_TEST_SUITE_P(Loads, Md1Loads, ::testing::Values(0.5, 0.8, 0.9, 0.95));

}  // namespace
}  // namespace weft::testing
