// N long flows through one 40 Gbps link under DCQCN with the paper's parameters (Zhu et al.,
// SIGCOMM 2015): RED 5 KB / 200 KB / 1 %, marking at dequeue, 1000 B packets.
//
// Zhu et al., "ECN or Delay", CoNEXT 2016, section 3: the fluid model has a unique fixed point with
// equal rates C/N and a marking probability p*, hence a queue Kmin + (Kmax - Kmin) p* / Pmax. The
// exact roots for this setting (solved from the fluid equations): 20.2, 41.8 and 93.8 KB for N = 2,
// 4 and 8. The packet system oscillates around it: 30 % on the mean queue. Fairness: Jain's index
// at least 0.99 and every flow within 15 % of the mean; the link at least 97 % used.

#include <gtest/gtest.h>

#include <cmath>

#include "simcore/base/random.hpp"
#include "tests/support/flow_runner.hpp"

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
  constexpr int kSeeds = 10;
  const Picoseconds from = 50_ms;
  const Picoseconds to = 200_ms;
  double mean_queue = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const RandomStream jitter(static_cast<std::uint64_t>(seed), Purpose::kTestScenario, 0);
    std::vector<Flow> flows;
    for (std::uint32_t i = 1; i <= c.flows; ++i) {
      const auto start = static_cast<std::int64_t>(jitter.below(i, 100'000'000));
      flows.push_back({HostId(i), HostId(0u), 2_GiB, Picoseconds(start)});
    }
    FlowRun run(star(c.flows + 1, 40_Gbps, 500_ns), paper_options(static_cast<std::uint64_t>(seed)),
                flows);
    PacketNetwork& network = run.network();
    ASSERT_EQ(network.run_until(from), PacketNetwork::Status::kTimeLimit);
    network.reset_statistics();
    std::vector<double> received(c.flows);
    for (std::uint32_t i = 0; i < c.flows; ++i) {
      received[i] = -static_cast<double>(network.packets_received(ConnectionId(i)));
    }
    ASSERT_EQ(network.run_until(to), PacketNetwork::Status::kTimeLimit);
    double sum = 0;
    double squares = 0;
    for (std::uint32_t i = 0; i < c.flows; ++i) {
      received[i] += static_cast<double>(network.packets_received(ConnectionId(i)));
      sum += received[i];
      squares += received[i] * received[i];
    }
    EXPECT_GE(sum * sum / (c.flows * squares), 0.99) << "seed " << seed;
    for (const double r : received) EXPECT_NEAR(r, sum / c.flows, 0.15 * sum / c.flows);
    const PortId bottleneck = run.fabric().port(run.fabric().host(HostId(0u)).first_port).peer;
    const protocols::PortCounters counters = network.port_counters(bottleneck);
    const double seconds = to_seconds(to - from);
    EXPECT_GE(static_cast<double>(counters.bytes.count()) * 8 / 40e9 / seconds, 0.97)
        << "seed " << seed;
    mean_queue += static_cast<double>(counters.queue_integral) * 1e-12 / seconds / kSeeds;
    EXPECT_TRUE(network.violated_invariants(false).empty());
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
