// What selective repeat does about single losses: two links of 1 us at 100 Gbps, where a packet of
// 4,178 B takes 334.24 ns, an ACK of 86 B 6.88 ns, and a round trip 2 x (334.24 + 6.88 + 2,000) =
// 4,682.24 ns. Frames that start within some interval are corrupted, so that it is known which.

#include <gtest/gtest.h>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::GoBackN;
using protocols::NetworkTotals;
using protocols::PacketNetwork;
using protocols::RoceConfig;
using protocols::SelectiveRepeat;

constexpr Picoseconds kPacketTime{334'240};
constexpr Picoseconds kLoop{4'682'240};

PacketNetwork::Options repeating(const SelectiveRepeat& repeat = {}) {
  PacketNetwork::Options options = plain_options();
  roce_of(options).recovery = repeat;
  return options;
}

/// The first host of `line(2)` corrupts what it starts in [from, to).
void corrupt(PacketNetwork::Options& options, Picoseconds from, Picoseconds to) {
  options.faults.push_back({.kind = Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = from + 1_us,  // errors are those at the time of arrival
                            .until = to + 1_us,
                            .errors = {1, LinkErrors::Unit::kFrames}});
}

struct Repaired {
  Picoseconds took;
  NetworkTotals totals;
};

Repaired send(const PacketNetwork::Options& options, Bytes size) {
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), size, 0_ps}});
  const Picoseconds took = run.completions().front();
  return {took, run.network().totals()};
}

/// Packets first .. last of the message arrive at times that end a packet time after they begin.
void corrupt_packets(PacketNetwork::Options& options, int first, int last) {
  corrupt(options, first * kPacketTime + 1_ns, (last + 1) * kPacketTime + 1_ns);
}

// MODEL.md 8.1
TEST(SelectiveRepeat, SendsALostPacketAgainAndNothingElse) {
  SelectiveRepeat repeat;
  repeat.cap = 0_B;
  PacketNetwork::Options options = repeating(repeat);
  const Repaired whole = send(options, 100 * 4'096_B);
  corrupt_packets(options, 40, 40);
  const Repaired lossy = send(options, 100 * 4'096_B);
  EXPECT_EQ(whole.totals.packets_retransmitted, 0u);
  EXPECT_EQ(lossy.totals.error_drops, 1);
  EXPECT_EQ(lossy.totals.packets_retransmitted, 1u);
  EXPECT_EQ(lossy.totals.timeouts, 0u);
  EXPECT_EQ(lossy.took, whole.took + kPacketTime);
}

TEST(SelectiveRepeat, GoBackNSendsARoundTripOfThemAgain) {
  PacketNetwork::Options options = plain_options();
  const Repaired whole = send(options, 100 * 4'096_B);
  corrupt_packets(options, 40, 40);
  const Repaired lossy = send(options, 100 * 4'096_B);
  // The packet after the lost one is sent and its NACK comes back: 15 packets, the last one begun
  // just before.
  EXPECT_EQ(lossy.totals.packets_retransmitted, 16u);
  EXPECT_EQ(lossy.took, whole.took + 16 * kPacketTime);
}

TEST(SelectiveRepeat, RepairsSeveralHolesInOneRoundTrip) {
  SelectiveRepeat repeat;
  repeat.cap = 0_B;
  PacketNetwork::Options options = repeating(repeat);
  const Repaired whole = send(options, 200 * 4'096_B);
  for (const int hole : {30, 32, 33, 37, 60}) corrupt_packets(options, hole, hole);
  const Repaired lossy = send(options, 200 * 4'096_B);
  EXPECT_EQ(lossy.totals.error_drops, 5);
  EXPECT_EQ(lossy.totals.packets_retransmitted, 5u);
  EXPECT_EQ(lossy.took, whole.took + 5 * kPacketTime);
}

// The cap counts from the oldest packet that is not acknowledged: with a cap of a round trip a loss
// is known after one, and until its repair is acknowledged another passes without new data.

// MODEL.md 8.3
TEST(SelectiveRepeat, WithACapOfARoundTripALossCostsARoundTrip) {
  PacketNetwork::Options options = repeating();
  const Repaired whole = send(options, 200 * 4'096_B);
  corrupt_packets(options, 40, 40);
  const Repaired lossy = send(options, 200 * 4'096_B);
  EXPECT_EQ(lossy.totals.packets_retransmitted, 1u);
  EXPECT_NEAR(to_seconds(lossy.took - whole.took), to_seconds(kLoop), to_seconds(2 * kPacketTime));
}

// Nothing comes after the last packet that would tell of its loss. Two packets, and later one, are
// in flight, so that the short time-out holds.
TEST(SelectiveRepeat, ALostTailWaitsForTheShortTimeOut) {
  PacketNetwork::Options options = repeating();
  corrupt_packets(options, 1, 1);
  const Repaired lossy = send(options, 2 * 4'096_B);
  EXPECT_EQ(lossy.totals.timeouts, 1u);
  EXPECT_EQ(lossy.totals.packets_retransmitted, 1u);
  // From when the first one was acknowledged.
  EXPECT_EQ(lossy.took, kLoop + 100_us + kLoop);
}

// MODEL.md 8.2
TEST(SelectiveRepeat, ALostWindowWaitsForTheLongTimeOutAndGoesOutAgain) {
  PacketNetwork::Options options = repeating();
  corrupt_packets(options, 0, 9);
  const Repaired lossy = send(options, 10 * 4'096_B);
  EXPECT_EQ(lossy.totals.error_drops, 10);
  EXPECT_EQ(lossy.totals.timeouts, 1u);
  EXPECT_EQ(lossy.totals.packets_retransmitted, 10u);
  EXPECT_EQ(lossy.took, 320_us + 9 * kPacketTime + kLoop);
}

// The repair of packet 40 is lost as well: its hole stays when all else has arrived.
TEST(SelectiveRepeat, ALostRepairWaitsForATimeOut) {
  SelectiveRepeat repeat;
  repeat.cap = 0_B;
  PacketNetwork::Options options = repeating(repeat);
  corrupt_packets(options, 40, 40);
  // NACKed when packet 41 has come; then it waits for the packet under way.
  const Picoseconds again = 41 * kPacketTime + kLoop;
  corrupt(options, again, again + 2 * kPacketTime);
  const Repaired lossy = send(options, 400 * 4'096_B);
  EXPECT_GE(lossy.totals.error_drops, 2);
  EXPECT_EQ(lossy.totals.timeouts, 1u);
  EXPECT_GT(lossy.took, 320_us);
  EXPECT_LT(lossy.took, 320_us + 40 * kPacketTime + 4 * kLoop);
}

// A fast host before a slow link: what is in flight waits at the switch.
TEST(SelectiveRepeat, NoMoreIsInFlightThanTheCap) {
  for (const double loss : {0.0, 1e-2}) {
    SelectiveRepeat repeat;
    repeat.cap = 40 * 4'178_B;
    PacketNetwork::Options options = repeating(repeat);
    options.switches.data().flow_control = protocols::NoFlowControl{};
    auto topology = std::get<topologies::CustomSpec>(line(2, 100_Gbps, 1_us));
    topology.links.back().link.rate = 10_Gbps;
    Fabric fabric = topologies::build_fabric(topology).value();
    fabric.ports[0].errors = {loss, LinkErrors::Unit::kFrames};
    const PortId out = fabric.port(fabric.host(HostId(1u)).first_port).peer;
    FlowRun run(fabric, topology, options, {{HostId(0u), HostId(1u), 20_MB, 0_ps}});
    run.completions();
    EXPECT_EQ(run.network().totals().error_drops > 0, loss > 0);
    const Bytes peak = run.network().class_counters(out, ClassId()).peak_bytes;
    EXPECT_LE(peak, 40 * 4'178_B);
    EXPECT_GE(peak, 36 * 4'178_B);
  }
}

// A packet that is only overtaken counts as lost without `reordering`, and does not with as much as
// there is.
TEST(SelectiveRepeat, WaitsForPacketsThatMayBeOvertaken) {
  std::vector<std::uint64_t> repeated;
  for (const std::uint32_t reordering : {0U, 64U}) {
    SelectiveRepeat repeat;
    repeat.reordering = reordering;
    PacketNetwork::Options options = repeating(repeat);
    options.switches.load_balancing = protocols::LoadBalancing::kSpray;
    topologies::FatTreeSpec topology;
    topology.access = topology.uplink = {100_Gbps, 500_ns};
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 8; ++i) flows.push_back({HostId(i), HostId(15U - i), 1_MB, 0_ps});
    FlowRun run(topology, options, flows);
    run.completions();
    EXPECT_EQ(run.network().totals().buffer_drops, 0);
    repeated.push_back(run.network().totals().packets_retransmitted);
  }
  EXPECT_GT(repeated[0], 0u);
  EXPECT_EQ(repeated[1], 0u);
}

TEST(SelectiveRepeat, GivesUpAfterAsLongAsGoBackNWould) {
  PacketNetwork::Options options = repeating();
  roce_of(options).retransmit_timeout = 1_ms;
  roce_of(options).retry_limit = 2;
  options.faults.push_back({.kind = Fault::Kind::kLinkDown, .port = PortId(0u), .at = 1_us});
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 1_MB, 0_ps}});
  EXPECT_EQ(run.network().run_until(1_s), PacketNetwork::Status::kQuiescent);
  EXPECT_EQ(run.network().failed_connections().size(), 1u);
  EXPECT_GE(run.network().now(), 3_ms);
  EXPECT_LE(run.network().now(), 3'500_us);
}

}  // namespace
}  // namespace weft::testing
