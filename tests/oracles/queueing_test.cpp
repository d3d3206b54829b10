// Queues and switches whose behaviour under random traffic is known in closed form.

#include "tests/oracles/queueing.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;
using protocols::SwitchConfig;

TEST(Md1, AHalfLoadedLinkMakesPacketsWaitHalfAService) {
  // 4e5 packets: the standard error of the mean wait is about 0.4 % at this load (successive waits
  // are correlated over some ten packets). 3 %.
  EXPECT_NEAR(md1_wait(0.5, 400'000, 1), md1_theory(0.5), 0.03 * md1_theory(0.5));
}

/// Packets per slot and output in saturation or at `load`: a star of N senders and N receivers.
struct Crossbar {
  double throughput = 0;
  double mean_wait = 0;  ///< slots
};

Crossbar run_star(std::uint32_t n, double load, std::int64_t slots,
                  const PacketNetwork::Options& options) {
  const Picoseconds slot = transmission_time(1000_B, 100_Gbps);
  RandomSenders::Traffic traffic;
  traffic.sources = traffic.sinks = n;
  traffic.slot = slot;
  traffic.load = load;
  traffic.size = 900_B;
  traffic.measure = slots / 10 * slot;
  traffic.stop = slots * slot;
  RandomSenders senders(traffic);
  const topologies::TopologySpec topology = star(2 * n, 100_Gbps, 100_ns);
  const Fabric fabric = topologies::build_fabric(topology).value();
  const Routes routes = topologies::build_routes(fabric, topology).value();
  PacketNetwork network(fabric, routes, options, senders.hosts(), senders.connections());
  network.start(senders);
  network.run_until(traffic.stop);
  EXPECT_TRUE(network.violated_invariants(false).empty())
      << network.violated_invariants(false).front();
  const auto measured = static_cast<double>((traffic.stop - traffic.measure).count());
  Crossbar result;
  result.throughput = static_cast<double>(senders.delivered_in_time) * 80'000 / measured / n;
  result.mean_wait = (senders.sum / static_cast<double>(senders.count) - 2 * 180'000.0) / 80'000.0;
  return result;
}

class InputQueues : public ::testing::TestWithParam<std::pair<std::uint32_t, double>> {};

TEST_P(InputQueues, SaturateWhereKarolHluchyjAndMorganSay) {
  // "Input Versus Output Queueing on a Space-Division Packet Switch" (1987), table I: FIFOs at the
  // inputs, every packet bound for a random output, random choice among contending heads. The
  // FIFOs are always full: one packet per slot arrives at each. All transmissions begin together,
  // so the switch is slotted as theirs. 1 %: over 4e4 slots the standard error is below 0.2 %.
  const auto [n, saturation] = GetParam();
  PacketNetwork::Options options = lossy_datagrams(900_B, 100_B);
  options.switches.queueing = SwitchConfig::Queueing::kInput;
  options.switches.arbitration = SwitchConfig::Arbitration::kRandom;
  EXPECT_NEAR(run_star(n, 1.0, 40'000, options).throughput, saturation, 0.01 * saturation);
}

INSTANTIATE_TEST_SUITE_P(Ports, InputQueues,
                         ::testing::Values(std::pair{2U, 0.75}, std::pair{4U, 0.6553},
                                           std::pair{8U, 0.6184}));

TEST(VirtualOutputQueues, CarryAnOfferedLoadOf99PercentWithBoundedWaits) {
  // With a queue per output and room for all, the switch loses nothing to blocking: what is offered
  // leaves. The same paper, equation (11): packets wait (N-1)/N p / (2 (1-p)) slots, 43.3 for N = 8
  // and p = 0.99. Waits are correlated over 1/(1-p)^2 = 1e4 slots, so 4e5 slots at 8 outputs give a
  // standard error of about 8 %: 25 %. Delivered: 0.99 within sampling and end effects, 0.1 %.
  PacketNetwork::Options options = lossy_datagrams(900_B, 100_B);
  const Crossbar result = run_star(8, 0.99, 400'000, options);
  EXPECT_GE(result.throughput, 0.989);
  EXPECT_NEAR(result.mean_wait, 7.0 / 8 * 0.99 / 0.02, 0.25 * 43.3);
}

TEST(VirtualOutputQueues, AFiniteInputBufferThatTheyShareCostsThroughput) {
  // Credits for five packets per input, for all outputs together: packets for a busy output hold
  // the buffer that others would need. A credit is back after two transmissions, two wires of 100
  // ns and what the packet waits, 4.5 slots without any wait, so five suffice for one flow at full
  // rate; eight outputs under random traffic would need more.
  PacketNetwork::Options options = lossy_datagrams(900_B, 100_B);
  protocols::CreditConfig credits;
  credits.buffer = 5 * 1024_B;
  credits.update = 0_B;
  options.switches.data().flow_control = credits;
  const double finite = run_star(8, 0.99, 40'000, options).throughput;
  credits.buffer = 16_MiB;
  options.switches.data().flow_control = credits;
  const double ample = run_star(8, 0.99, 40'000, options).throughput;
  EXPECT_GE(ample, 0.98);
  EXPECT_LE(finite, 0.97 * ample);
  EXPECT_GE(finite, 0.6);
}

}  // namespace
}  // namespace weft::testing
