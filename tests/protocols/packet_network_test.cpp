#include "protocols/network/packet_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "simcore/base/hash.hpp"
#include "simcore/base/random.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/zero_load.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::LoadBalancing;
using protocols::MessageOutcome;
using protocols::NetworkTotals;
using protocols::PacketNetwork;
using protocols::PortCounters;
using protocols::RoceConfig;

/// As plain_options, but switches mark.
PacketNetwork::Options marking_options() {
  PacketNetwork::Options options = plain_options();
  options.switches.data().ecn = {};
  return options;
}

topologies::TopologySpec leaf_spine(std::uint32_t racks, std::uint32_t servers,
                                    std::uint32_t spines) {
  topologies::LeafSpineSpec spec;
  spec.racks = racks;
  spec.servers_per_rack = servers;
  spec.spines = spines;
  spec.access = {400_Gbps, 80_ns};
  spec.uplink = {400_Gbps, 220_ns};
  spec.switch_pipeline = 500_ns;
  spec.nic_pipeline = 500_ns;
  return spec;
}

std::vector<Flow> random_flows(std::uint32_t hosts, std::uint32_t count, std::uint64_t seed) {
  const RandomStream random(seed, Purpose::kTestScenario, 1);
  std::vector<Flow> flows;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(random.below(4 * i, hosts));
    const auto step = static_cast<std::uint32_t>(1 + random.below(4 * i + 1, hosts - 1));
    flows.push_back({HostId(from), HostId((from + step) % hosts),
                     Bytes(static_cast<std::int64_t>(1 + random.below(4 * i + 2, 300'000))),
                     Picoseconds(static_cast<std::int64_t>(random.below(4 * i + 3, 20'000'000)))});
  }
  return flows;
}

/// Everything that a digest would be made of.
auto everything(PacketNetwork& network, const Fabric& fabric) {
  std::vector<std::int64_t> numbers;
  for (const MessageOutcome& m : network.take_messages()) {
    constexpr Picoseconds never(-1);
    numbers.insert(numbers.end(),
                   {m.connection.value(), m.posted.count(), m.delivered.value_or(never).count(),
                    m.acknowledged.value_or(never).count()});
  }
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    const PortCounters c = network.port_counters(PortId(p));
    numbers.insert(numbers.end(),
                   {c.bytes.count(), c.packets, c.ecn_marked, c.buffer_drops, c.pauses_sent,
                    c.pauses_received, c.paused_time.count(), c.peak_backlog.count(),
                    static_cast<std::int64_t>(c.queue_integral)});
  }
  numbers.push_back(static_cast<std::int64_t>(network.packet_latency().count()));
  numbers.push_back(network.packet_latency().max());
  return numbers;
}

class HopCount : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(HopCount, PacketAndMessageTakeTheStoreAndForwardTimeExactly) {
  // h links of C = 400 Gbps and d = 600 ns. One packet of L wire bytes: h (L/C + d) there, and
  // h (A/C + d) for its ACK back. A message of P packets: (P - 1) L/C more, its last packet
  // shorter.
  const std::uint32_t h = GetParam();
  const Picoseconds d = 600_ns;
  const auto tx = [](std::int64_t bytes) { return transmission_time(Bytes(bytes), 400_Gbps); };
  const Picoseconds back = h * (tx(86) + d);
  const auto run_one = [h, d](Bytes size) {
    const std::vector<Flow> flows{{HostId(0u), HostId(1u), size, 0_ps}};
    return h == 1 ? std::make_unique<FlowRun>(back_to_back(400_Gbps, d), back_to_back_routes(),
                                              marking_options(), flows)
                  : std::make_unique<FlowRun>(line(h, 400_Gbps, d), marking_options(), flows);
  };
  for (const std::int64_t size : {1, 1000, 4096}) {
    EXPECT_EQ(run_one(Bytes(size))->completions()[0], h * (tx(size + 82) + d) + back)
        << size << " bytes";
  }
  // 1 MiB + 100 B: 256 full packets and one of 100 B. The short one follows on every link as soon
  // as the full one before it has left: P' = 256 full ones through, then the short one on the last
  // link.
  EXPECT_EQ(run_one(1_MiB + 100_B)->completions()[0],
            255 * tx(4178) + h * tx(4178) + tx(182) + h * d + back);
}

INSTANTIATE_TEST_SUITE_P(Links, HopCount, ::testing::Values(1, 2, 4, 6));

TEST(PacketNetwork, LoneMessagesTakeTheirZeroLoadTimeOnAnyPath) {
  // The engine against the closed form that slowdowns divide by, window and coalesced ACKs
  // included.
  const auto topology = leaf_spine(4, 4, 3);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Flow flow = random_flows(16, 1, seed)[0];
    PacketNetwork::Options options = marking_options();
    options.seed = seed;
    roce_of(options).window = seed % 3 == 0 ? 5 : 0;
    roce_of(options).ack_every = seed % 2 == 0 ? 4 : 1;
    FlowRun run(topology, options, {flow});
    const std::vector<Picoseconds> times = run.completions();
    const MessageOutcome m = run.messages()[0];
    const auto there = hops_of(run.fabric(), flow_path(run.fabric(), run.routes(), seed,
                                                       flow.source, flow.destination, m.entropy));
    const std::uint32_t back_entropy = response_entropy(
        flow.source, flow.destination, queue_pair_number(0, 0), roce_of(options).queue_pair_use);
    const auto back = hops_of(run.fabric(), flow_path(run.fabric(), run.routes(), seed,
                                                      flow.destination, flow.source, back_entropy));
    const Framing framing{.payload = 4096_B,
                          .header = 82_B,
                          .ack_size = 86_B,
                          .ack_every = roce_of(options).ack_every,
                          .window = roce_of(options).window};
    const ZeroLoad expected = zero_load(flow.size, framing, there, back);
    EXPECT_EQ(m.delivered - m.posted, expected.delivered) << "seed " << seed;
    EXPECT_EQ(times[0], expected.completed) << "seed " << seed;
  }
}

class Variants : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {};

TEST_P(Variants, ResultsDoNotDependOnTheCutIntoCells) {
  // The same traffic with one logical process, one logical process per node, and the engine's own
  // choice: bit for bit the same, under pauses (small XOFF), marks, DCQCN and spraying.
  const auto [spray, dcqcn, serialised] = GetParam();
  const auto topology = leaf_spine(4, 4, 2);
  PacketNetwork::Options options = marking_options();
  options.switches.load_balancing = spray ? LoadBalancing::kSpray : LoadBalancing::kFlow;
  if (spray) roce_of(options).receiver = RoceConfig::Receiver::kAnyOrder;
  if (dcqcn)
    roce_of(options).congestion_control = protocols::congestion::DcqcnConfig::from_preset({});
  options.switches.data().ecn = {.enabled = true, .kmin = 20_KB, .kmax = 80_KB, .pmax = 0.3};
  options.switches.data().pfc().xoff = 40_KB;
  options.switches.data().pfc().xon = 30_KB;
  if (!serialised) options.switches.pause.frame = 0_B;
  std::vector<Flow> flows = random_flows(16, 60, 7);
  for (std::uint32_t i = 1; i < 12; ++i) flows.push_back({HostId(i), HostId(0u), 200_KB, 0_ps});

  std::vector<std::vector<std::int64_t>> results;
  for (const LpPlan::Cut cut : {LpPlan::Cut::kOne, LpPlan::Cut::kFinest, LpPlan::Cut::kAuto}) {
    options.cut = cut;
    FlowRun run(topology, options, flows);
    run.completions();
    EXPECT_GT(run.network().totals().pauses, 0);
    EXPECT_GT(run.network().totals().ecn_marked, 0);
    results.push_back(everything(run.network(), run.fabric()));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

INSTANTIATE_TEST_SUITE_P(SprayDcqcnSerialised, Variants,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()));

TEST(PacketNetwork, AnotherSeedTakesOtherPaths) {
  const auto topology = leaf_spine(4, 4, 4);
  std::vector<std::vector<std::int64_t>> results;
  for (const std::uint64_t seed : {1, 1, 2}) {
    PacketNetwork::Options options = marking_options();
    options.seed = seed;
    FlowRun run(topology, options, random_flows(16, 60, 7));
    run.completions();
    results.push_back(everything(run.network(), run.fabric()));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NE(results[0], results[2]);
}

TEST(PacketNetwork, WithoutFlowControlASmallBufferDropsAndGoBackNRecovers) {
  PacketNetwork::Options options = marking_options();
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.switches.data().ecn.enabled = false;
  options.switches.buffer = 100_KB;
  roce_of(options).retransmit_timeout = 100_us;
  roce_of(options).retry_limit = 200;
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= 4; ++i) flows.push_back({HostId(i), HostId(0u), 300_KB, 0_ps});
  FlowRun run(star(5, 100_Gbps, 1_us), options, flows);
  run.completions();  // all complete, and packets are conserved
  const NetworkTotals totals = run.network().totals();
  EXPECT_GT(totals.buffer_drops, 0);
  EXPECT_GT(totals.packets_retransmitted, 0u);
}

TEST(PacketNetwork, SelectiveReceiversRecoverFromDropsToo) {
  PacketNetwork::Options options = marking_options();
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.switches.data().ecn.enabled = false;
  options.switches.buffer = 100_KB;
  options.switches.load_balancing = LoadBalancing::kSpray;
  roce_of(options).receiver = RoceConfig::Receiver::kAnyOrder;
  roce_of(options).retransmit_timeout = 100_us;
  roce_of(options).retry_limit = 200;
  std::vector<Flow> flows;
  for (std::uint32_t i = 4; i < 16; ++i) flows.push_back({HostId(i), HostId(0u), 100_KB, 0_ps});
  FlowRun run(leaf_spine(4, 4, 2), options, flows);
  run.completions();
  EXPECT_GT(run.network().totals().buffer_drops, 0);
}

TEST(PacketNetwork, LosslessWithPauses) {
  // The buffer that drops above holds the in-cast when ports pause: XOFF at 12 KB per sender plus a
  // loop of 2 us at 100 Gbps (25 KB) and two packets stays below 100 KB for two senders.
  PacketNetwork::Options options = marking_options();
  options.switches.data().ecn.enabled = false;
  options.switches.buffer = 100_KB;
  options.switches.data().pfc().xoff = 12_KB;
  options.switches.data().pfc().xon = 10_KB;
  options.switches.pause.response = 0_ps;
  FlowRun run(star(3, 100_Gbps, 1_us), options,
              {{HostId(1u), HostId(0u), 300_KB, 0_ps}, {HostId(2u), HostId(0u), 300_KB, 0_ps}});
  run.completions();
  const NetworkTotals totals = run.network().totals();
  EXPECT_EQ(totals.buffer_drops, 0);
  EXPECT_EQ(totals.packets_retransmitted, 0u);
  EXPECT_GT(totals.pauses, 0);
  EXPECT_GT(totals.paused_time, 0_ps);
}

TEST(PacketNetwork, ALoopOfStaticRoutesKillsPacketsByTtlAndTheSenderGivesUp) {
  auto topology = std::get<topologies::CustomSpec>(line(4, 100_Gbps, 1_us));
  topology.next_hops.push_back({.at = "s2", .to = "h1", .via = {"s1"}});
  PacketNetwork::Options options = marking_options();
  roce_of(options).retransmit_timeout = 200_us;
  roce_of(options).retry_limit = 2;
  FlowRun run(topology, options, {{HostId(0u), HostId(1u), 8_KB, 0_ps}});
  EXPECT_EQ(run.network().run_until(1_s), PacketNetwork::Status::kQuiescent);
  EXPECT_EQ(run.network().failed_connections(), std::vector<ConnectionId>{ConnectionId(0u)});
  // Two packets, sent three times.
  EXPECT_EQ(run.network().totals().ttl_drops, 6);
  EXPECT_EQ(run.network().totals().buffer_drops, 0);
  EXPECT_TRUE(run.network().violated_invariants(true).empty());
}

TEST(PacketNetwork, ALongTimeOutIsNoStall) {
  // The message outgrows the buffer and is cut short; the sender learns of the tail's loss only
  // from its time-out of 3 s, during which nothing moves.
  PacketNetwork::Options options = marking_options();
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.switches.data().ecn.enabled = false;
  options.switches.buffer = 50_KB;
  roce_of(options).retransmit_timeout = 3_s;
  FlowRun run(star(3, 100_Gbps, 1_us), options,
              {{HostId(1u), HostId(0u), 81'920_B, 0_ps}, {HostId(2u), HostId(0u), 81'920_B, 0_ps}});
  const std::vector<Picoseconds> times = run.completions();
  EXPECT_GT(run.network().totals().buffer_drops, 0);
  EXPECT_GT(*std::max_element(times.begin(), times.end()), 3_s);
}

// MODEL.md 2.7
TEST(PacketNetwork, ALosslessRoutingLoopDeadlocksAndSaysSo) {
  // Two switches send a host's packets back and forth. Both buffers fill up to XOFF and pause each
  // other for good: no packet moves, pauses are refreshed forever, and the run must end.
  auto topology = std::get<topologies::CustomSpec>(line(4, 100_Gbps, 1_us));
  topology.next_hops.push_back({.at = "s2", .to = "h1", .via = {"s1"}});
  PacketNetwork::Options options = marking_options();
  options.switches.data().pfc().xoff = 50_KB;
  options.switches.data().pfc().xon = 40_KB;
  roce_of(options).format.ttl = 255;
  FlowRun run(topology, options, {{HostId(0u), HostId(1u), 10_MB, 0_ps}});
  EXPECT_EQ(run.network().run_until(100_s), PacketNetwork::Status::kDeadlocked);
  EXPECT_LT(run.network().now(), 10_ms);
  EXPECT_EQ(run.network().deadlock().size(), 2u);
  EXPECT_TRUE(run.network().violated_invariants(false).empty());
}

TEST(PacketNetwork, AReceiverThatPausesForEverStallsTheRun) {
  // No circle, so no deadlock; but nothing moves, and the pause is refreshed forever.
  PacketNetwork::Options options = marking_options();
  options.faults.push_back({.kind = protocols::Fault::Kind::kNicPause, .port = PortId(1u)});
  roce_of(options).retransmit_timeout = 1_ms;
  roce_of(options).retry_limit = 1'000'000;
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 10_MB, 20_us}});
  EXPECT_EQ(run.network().run_until(100_s), PacketNetwork::Status::kStalled);
  EXPECT_LT(run.network().now(), 3_s);
  EXPECT_TRUE(run.network().deadlock().empty());
  EXPECT_TRUE(run.network().violated_invariants(false).empty());
}

TEST(PacketNetwork, DatagramsAreDeliveredWholeOrNotAtAll) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.switches.data().ecn.enabled = false;
  options.switches.buffer = 60_KB;
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    for (int k = 0; k < 20; ++k) flows.push_back({HostId(i), HostId(0u), 12_KB, k * 1_us});
  }
  FlowRun run(star(4, 100_Gbps, 1_us), options, flows);
  EXPECT_EQ(run.network().run_until(1_s), PacketNetwork::Status::kQuiescent);
  EXPECT_TRUE(run.network().violated_invariants(true).empty());
  std::int64_t delivered = 0;
  for (const MessageOutcome& m : run.messages()) {
    EXPECT_FALSE(m.acknowledged);
    if (m.delivered >= 0_ps) ++delivered;
  }
  const std::int64_t drops = run.network().totals().buffer_drops;
  EXPECT_GT(drops, 0);
  EXPECT_GT(delivered, 0);
  // A message of three packets is lost by one to three drops.
  EXPECT_GE(60 - delivered, (drops + 2) / 3);
  EXPECT_LE(60 - delivered, drops);
}

TEST(PacketNetwork, FewerAcksWhenTheyAreCoalesced) {
  const auto acks = [](std::uint32_t every) {
    PacketNetwork::Options options = marking_options();
    roce_of(options).ack_every = every;
    FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 40 * 4096_B, 0_ps}});
    run.completions();
    return run.network().totals().packets_injected - 40;
  };
  EXPECT_EQ(acks(1), 40u);
  EXPECT_EQ(acks(8), 5u);
  EXPECT_EQ(acks(1000), 1u);
  EXPECT_EQ(acks(protocols::RoceConfig::kMessage), 1u);
}

TEST(PacketNetwork, PacketLatencyIsWithinOnePercentOfTheOnlyPath) {
  // One packet over 4 links: 4 x (83.56 + 600) ns = 2.73424 us; histogram and time stamp together
  // may be off by 1 %.
  FlowRun run(line(4, 400_Gbps, 600_ns), marking_options(),
              {{HostId(0u), HostId(1u), 4096_B, 0_ps}});
  run.completions();
  EXPECT_NEAR(static_cast<double>(run.network().packet_latency().quantile(0.5)), 2'734'240, 27'342);
}

TEST(PacketNetwork, StatisticsStartAgainWhenReset) {
  FlowRun run(star(3, 100_Gbps, 1_us), marking_options(),
              {{HostId(1u), HostId(0u), 2_MB, 0_ps}, {HostId(2u), HostId(0u), 2_MB, 0_ps}});
  EXPECT_EQ(run.network().run_until(100_us), PacketNetwork::Status::kTimeLimit);
  const std::uint64_t before = run.network().totals().packet_hops;
  EXPECT_GT(before, 0u);
  run.network().reset_statistics();
  EXPECT_EQ(run.network().totals().packet_hops, 0u);
  EXPECT_EQ(run.network().packet_latency().count(), 0u);
  run.completions();  // conservation holds across the reset
  EXPECT_GT(run.network().totals().packet_hops, 0u);
}

// MODEL.md 2.5
TEST(StandardPauseResponse, FollowsTheQuantaOfTheStandard) {
  // 905 quanta of 512 bits at 400 Gbps: 1158.4 ns; 394 at 100 Gbps: 2017.28 ns.
  EXPECT_EQ(protocols::standard_pause_response(400_Gbps), Picoseconds(1'158'400));
  EXPECT_EQ(protocols::standard_pause_response(100_Gbps), Picoseconds(2'017'280));
  EXPECT_EQ(protocols::standard_pause_response(800_Gbps), Picoseconds(579'200));
}

}  // namespace
}  // namespace weft::testing
