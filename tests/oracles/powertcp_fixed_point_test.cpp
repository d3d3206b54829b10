// N long flows through one link of 100 Gbps under PowerTCP (Addanki et al., NSDI 2022,
// section 3.4).
//
// At rest arrivals are the rate of the link, so that power = (q + C T) / (C T), and w = w / power +
// beta, summed over flows whose windows hold w = C T + q together, gives q = N beta: a queue of
// N beta and windows of C T + N beta together, equal ones.
//
// T of two links of 5 us each way is 20.17 us, 252 kB; beta a sixteenth or a 64th of it; packets of
// 1,090 B. Tolerances: 5 % of the queue and half a packet, since packets in flight are whole, and
// one flow's beta is four to fourteen of them; 3 % of windows.

#include <gtest/gtest.h>

#include "tests/support/shared_link.hpp"

namespace weft::testing {
namespace {

struct PowerTcpCase {
  std::uint32_t flows;
  std::uint32_t expected;
};

class PowerTcpFixedPoint : public ::testing::TestWithParam<PowerTcpCase> {};

TEST_P(PowerTcpFixedPoint, HoldsAStepPerFlowInTheQueue) {
  const PowerTcpCase& c = GetParam();
  protocols::congestion::PowerTcpConfig config;
  config.expected_flows = c.expected;
  const SharedLinkRun run({.flows = c.flows,
                           .latency = 5_us,
                           .from = 20_ms,
                           .to = 24_ms,
                           .spread = 10_us,
                           .size = 4_GiB},
                          options_with(config, 1'048_B, 48_B));
  const double filling = 100e9 / 8 * (20e-6 + 2 * 1'090 * 8 / 100e9);
  const double steps = filling * c.flows / c.expected;
  const double windows = run.mean("window_packets") / 4294967296.0 * 1'090 * c.flows;
  RecordProperty("queue_of_steps", std::to_string(run.mean_queue() / steps));
  RecordProperty("windows_of_sum", std::to_string(windows / (filling + steps)));
  EXPECT_NEAR(run.mean_queue(), steps, 0.05 * steps + 545);
  EXPECT_NEAR(windows, filling + steps, 0.03 * (filling + steps));
  EXPECT_GE(run.used(), 0.9999);
  EXPECT_GE(run.jain(), 0.9999);
}

INSTANTIATE_TEST_SUITE_P(Flows, PowerTcpFixedPoint,
                         ::testing::Values(PowerTcpCase{2, 16}, PowerTcpCase{4, 16},
                                           PowerTcpCase{8, 16}, PowerTcpCase{16, 16},
                                           PowerTcpCase{2, 64}, PowerTcpCase{8, 64},
                                           PowerTcpCase{16, 64}),
                         [](const auto& test) {
                           return "N" + std::to_string(test.param.flows) + "Of" +
                                  std::to_string(test.param.expected);
                         });

}  // namespace
}  // namespace weft::testing
