// N long flows through one 40 Gbps link under DCQCN with the paper's parameters (Zhu et al.,
// SIGCOMM 2015): RED 5 KB / 200 KB / 1 %, marking at dequeue, 1000 B packets.
//
// Zhu et al., "ECN or Delay", CoNEXT 2016, section 3: the fluid model has a unique fixed point with
// equal rates C/N and a marking probability p*, hence a queue Kmin + (Kmax - Kmin) p* / Pmax. The
// exact roots for this setting (solved from the fluid equations): 20.2, 41.8 and 93.8 KB for N = 2,
// 4 and 8. The packet system oscillates around it: 30 % on the mean queue. Fairness: Jain's index
// at least 0.99 and every flow within 15 % of the mean; the link at least 97 % used.

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>

#include "tests/support/extent.hpp"
#include "tests/support/shared_link.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;

struct FixedPoint {
  std::uint32_t flows;
  double queue_bytes;
};

class DcqcnFixedPoint : public ::testing::TestWithParam<FixedPoint> {};

PacketNetwork::Options paper_options(std::uint64_t seed) {
  PacketNetwork::Options options;
  options.seed = seed;
  protocols::RoceConfig roce;
  roce.format.payload = 952_B;  // 1000 B on the wire, as the fluid model counts
  roce.format.header = 48_B;
  roce.congestion_control = protocols::congestion::DcqcnConfig::from_preset(
      protocols::congestion::DcqcnConfig::Preset::kPaper);
  options.transport = roce;
  options.switches.data().ecn = {.enabled = true,
                                 .kmin = 5_KB,
                                 .kmax = 200_KB,
                                 .pmax = 0.01,
                                 .mark = protocols::EcnConfig::Mark::kDequeue};
  return options;
}

TEST_P(DcqcnFixedPoint, SharesTheLinkFairlyAroundTheFluidQueue) {
  const FixedPoint& c = GetParam();
  const std::uint64_t seeds = cases(4U, 10U);
  double mean_queue = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const SharedLinkRun run({.flows = c.flows,
                             .rate = 40_Gbps,
                             .latency = 500_ns,
                             .from = 50_ms,
                             .to = 200_ms,
                             .spread = 100_us,
                             .seed = seed,
                             .sample_period = {}},
                            paper_options(seed));
    EXPECT_GE(run.jain(), 0.99);
    const double mean = std::accumulate(run.packets().begin(), run.packets().end(), 0.0) / c.flows;
    for (const double packets : run.packets()) EXPECT_NEAR(packets, mean, 0.15 * mean);
    EXPECT_GE(run.used(), 0.97);
    mean_queue += run.mean_queue() / static_cast<double>(seeds);
  }
  RecordProperty("mean_queue_bytes", std::to_string(mean_queue));
  EXPECT_NEAR(mean_queue, c.queue_bytes, 0.3 * c.queue_bytes);
}

INSTANTIATE_TEST_SUITE_P(Flows, DcqcnFixedPoint,
                         ::testing::Values(FixedPoint{2, 20.2e3}, FixedPoint{4, 41.8e3},
                                           FixedPoint{8, 93.8e3}),
                         [](const auto& test) { return "N" + std::to_string(test.param.flows); });

}  // namespace
}  // namespace weft::testing
