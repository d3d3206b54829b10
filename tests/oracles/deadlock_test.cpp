// PFC deadlock by a routing loop: when it comes, and that it is found and named.

#include <gtest/gtest.h>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;

/// h0 - s1 = s2 - s3 - h1. With the loop, s1 and s2 send packets for h1 to each other.
topologies::TopologySpec two_switch_loop(bool has_loop) {
  auto spec = std::get<topologies::CustomSpec>(line(4, 40_Gbps, 1_us));
  if (has_loop) spec.next_hops.push_back({.at = "s2", .to = "h1", .via = {"s1"}});
  return spec;
}

/// Packets of 1000 B on the wire at constant gaps.
class ConstantRate final : public ProcessHandler {
 public:
  ConstantRate(Picoseconds gap, Picoseconds stop) : gap_(gap), stop_(stop) {}
  void on_start(ProcessContext& context, ProcessId self) override {
    if (self.value() == 0) context.wake_at(gap_, 0);
  }
  void on_wake(ProcessContext& context, ProcessId, std::uint64_t) override {
    context.post(ConnectionId(0u), 900_B);
    if (context.now() + gap_ < stop_) context.wake_at(context.now() + gap_, 0);
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override { ++delivered; }
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

  std::int64_t delivered = 0;

 private:
  Picoseconds gap_;
  Picoseconds stop_;
};

struct Observed {
  PacketNetwork::Status status;
  std::vector<std::string> circle;
  std::int64_t ttl_drops = 0;
  std::int64_t delivered = 0;
  Picoseconds end;
};

Observed run_loop(bool has_loop, double gbps, bool until_resume = false) {
  const topologies::TopologySpec topology = two_switch_loop(has_loop);
  const Fabric fabric = topologies::build_fabric(topology).value();
  const Routes routes = topologies::build_routes(fabric, topology).value();
  PacketNetwork::Options options;
  protocols::DatagramConfig datagram;
  datagram.format = {.payload = 900_B, .header = 100_B, .ttl = 16};
  options.transport = datagram;
  options.switches.data().ecn.enabled = false;
  options.switches.data().pfc().xoff = 100_KB;
  options.switches.data().pfc().xon = 90_KB;
  if (until_resume) options.switches.pause.quanta = protocols::PauseConfig::Quanta::kUntilResume;
  const auto gap = Picoseconds(static_cast<std::int64_t>(8e6 / gbps));  // 1000 B
  ConstantRate handler(gap, 20_ms);
  PacketNetwork network(fabric, routes, options, {HostId(0u), HostId(1u)},
                        {{ProcessId(0u), ProcessId(1u), 0}});
  network.start(handler);
  Observed run;
  run.status = network.run_until(40_ms);
  EXPECT_TRUE(network.violated_invariants(false).empty());
  for (const protocols::BlockedPort& port : network.deadlock()) {
    run.circle.push_back(fabric.port_name(port.port));
  }
  run.ttl_drops = network.totals().ttl_drops;
  run.delivered = handler.delivered;
  run.end = network.now();
  EXPECT_EQ(network.totals().buffer_drops, 0);
  return run;
}

// A packet of TTL 16 crosses 15 links between switches before the 16th switch drops it: s1 -> s2
// eight times. So the loop carries up to r = C / 8 = n C / TTL = 5 Gbps (S. Hu et al., "Deadlocks
// in Datacenter Networks: Why Do They Form, and How to Avoid Them", HotNets 2016, section 3). Above
// it queues grow without bound until both switches pause each other. Bracketed within 5 %.

TEST(RoutingLoop, BelowItsBoundItOnlyLosesWhatItCarries) {
  const Observed run = run_loop(true, 4.75);
  EXPECT_EQ(run.status, PacketNetwork::Status::kQuiescent);
  EXPECT_TRUE(run.circle.empty());
  EXPECT_EQ(run.delivered, 0);
  EXPECT_NEAR(static_cast<double>(run.ttl_drops), 20e-3 * 4.75e9 / 8000, 3);
}

TEST(RoutingLoop, AboveItsBoundItDeadlocksAndTheCircleIsNamed) {
  const Observed run = run_loop(true, 5.25);
  EXPECT_EQ(run.status, PacketNetwork::Status::kDeadlocked);
  ASSERT_EQ(run.circle.size(), 2u);
  EXPECT_NE(run.circle[0], run.circle[1]);
  for (const std::string& port : run.circle) {
    EXPECT_TRUE(port == "s1[1]->s2[0]" || port == "s2[0]->s1[1]") << port;
  }
  // The loop gains 0.25 Gbps: 31 KB per ms, and holds two thresholds of 100 KB.
  EXPECT_LT(run.end, 20_ms);
}

TEST(RoutingLoop, IsFoundWhenNothingIsLeftToHappenToo) {
  const Observed run = run_loop(true, 8, true);
  EXPECT_EQ(run.status, PacketNetwork::Status::kDeadlocked);
  EXPECT_EQ(run.circle.size(), 2u);
}

TEST(RoutingLoop, FixedRoutesCureIt) {
  const Observed run = run_loop(false, 8);
  EXPECT_EQ(run.status, PacketNetwork::Status::kQuiescent);
  EXPECT_NEAR(static_cast<double>(run.delivered), 20e-3 * 8e9 / 8000, 3);
  EXPECT_EQ(run.ttl_drops, 0);
}

/// Four switches in a ring with two hosts each; all send to the switch two further on, the same way
/// round. Two hosts, so that transit gets less of each link than arrives even where inputs take
/// turns: 2/3 of what a link brings continues, and one of three inputs gets 1/3 of the next link.
Observed run_ring(bool with_credits, bool is_cured, protocols::SwitchConfig::Queueing queueing) {
  topologies::CustomSpec spec;
  const auto name = [](const char* kind, int i, int n) { return kind + std::to_string(i % n); };
  for (int i = 0; i < 8; ++i) spec.nodes.push_back({.name = name("h", i, 8)});
  for (int i = 0; i < 4; ++i) spec.nodes.push_back({.name = name("s", i, 4), .is_switch = true});
  for (int i = 0; i < 8; ++i) {
    spec.links.push_back({name("h", i, 8), name("s", i, 4), {100_Gbps, 100_ns}});
  }
  for (int i = 0; i < 4; ++i) {
    spec.links.push_back({name("s", i, 4), name("s", i + 1, 4), {100_Gbps, 200_ns}});
    // The cure: nobody uses the link from s3 to s0 or back, so the circle cannot close.
    const bool goes_back = is_cured && i >= 2;
    for (const int host : {i + 2, i + 6}) {
      spec.next_hops.push_back({.at = name("s", i, 4),
                                .to = name("h", host, 8),
                                .via = {name("s", goes_back ? i - 1 : i + 1, 4)}});
    }
  }
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.data().ecn.enabled = false;
  options.switches.queueing = queueing;
  if (with_credits) {
    protocols::CreditConfig credits;
    credits.buffer = 64_KiB;
    options.switches.data().flow_control = credits;
  } else {
    options.switches.data().pfc().xoff = 100_KB;
    options.switches.data().pfc().xon = 90_KB;
  }
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 8; ++i) {
    flows.push_back({HostId(i), HostId((i + 2) % 8), 8_MB, 0_ps});
  }
  FlowRun run(spec, options, flows);
  Observed result;
  result.status = run.network().run_until(20_ms);
  EXPECT_TRUE(run.network().violated_invariants(false).empty())
      << run.network().violated_invariants(false).front();
  EXPECT_EQ(run.network().totals().buffer_drops, 0);
  for (const protocols::BlockedPort& port : run.network().deadlock()) {
    result.circle.push_back(run.fabric().port_name(port.port));
  }
  return result;
}

struct RingCase {
  bool with_credits;
  protocols::SwitchConfig::Queueing queueing;
};

class Ring : public ::testing::TestWithParam<RingCase> {};

TEST_P(Ring, OfFourSwitchesDeadlocksWithPausesAndWithCredits) {
  const auto [with_credits, queueing] = GetParam();
  const Observed run = run_ring(with_credits, false, queueing);
  EXPECT_EQ(run.status, PacketNetwork::Status::kDeadlocked);
  EXPECT_EQ(run.circle.size(), 4u);
}

TEST_P(Ring, DeliversEverythingOnRoutesWithoutACircle) {
  const auto [with_credits, queueing] = GetParam();
  const Observed run = run_ring(with_credits, true, queueing);
  EXPECT_EQ(run.status, PacketNetwork::Status::kQuiescent);
  EXPECT_TRUE(run.circle.empty());
}

INSTANTIATE_TEST_SUITE_P(
    FlowControl, Ring,
    ::testing::Values(RingCase{false, protocols::SwitchConfig::Queueing::kOutput},
                      RingCase{true, protocols::SwitchConfig::Queueing::kOutput},
                      RingCase{false, protocols::SwitchConfig::Queueing::kInput},
                      RingCase{true, protocols::SwitchConfig::Queueing::kInput}));

}  // namespace
}  // namespace weft::testing
