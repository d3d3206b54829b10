// TCP on paths where every time can be computed: slow start, delayed acknowledgements, fast
// retransmit, partial acknowledgements, time-outs.
//
// Two links of rate C and together 2 L long, a switch between them. T is the time of a full segment
// on a link, A that of an ACK, B that of an ACK with a block. The ACK of a segment that begins at 0
// is back at 2 T + 2 A + 4 L. All times are exact. The second link is so short that a segment is
// alone on it, so that one can be lost.

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::PacketNetwork;
using protocols::TcpConfig;
namespace congestion = protocols::congestion;

constexpr BitsPerSecond kRate = 100'000_Mbps;
constexpr Picoseconds kLatency = 50_us;
/// 9,000 B with 52 B of headers; 38 B around them.
constexpr Bytes kSegment{8'948};
constexpr Picoseconds kT = transmission_time(9'038_B, kRate);
constexpr Picoseconds kA = transmission_time(90_B, kRate);
constexpr Picoseconds kB = transmission_time(102_B, kRate);

PacketNetwork::Options tcp_options(const TcpConfig& tcp = {}) {
  PacketNetwork::Options options = plain_options();
  options.transport = tcp;
  options.switches.data().flow_control = protocols::NoFlowControl{};
  return options;
}

/// The port of `from` that leads to `to`.
PortId port_to(const Fabric& fabric, const std::string& from, const std::string& to) {
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    const PortId id(p);
    if (fabric.node(fabric.port(id).node).name == from &&
        fabric.node(fabric.peer_node(id)).name == to) {
      return id;
    }
  }
  return PortId::none();
}

topologies::CustomSpec two_links() {
  auto spec = std::get<topologies::CustomSpec>(line(2, kRate, 2 * kLatency - 1_ns));
  spec.links.back().link.latency = 1_ns;
  return spec;
}

/// A message of `segments` full segments, of which some are lost on the second link: those
/// that begin at these times. It is down for a nanosecond in the middle of their transmission, when
/// no ACK is on it.
class LoneMessage {
 public:
  explicit LoneMessage(const PacketNetwork::Options& options, std::int64_t segments,
                       const std::vector<Picoseconds>& lost_at = {})
      : run_(two_links(), with_losses(options, lost_at),
             {{HostId(0u), HostId(1u), segments * kSegment, 0_ps}}) {
    time = run_.completions()[0];
  }
  [[nodiscard]] protocols::NetworkTotals totals() { return run_.network().totals(); }
  [[nodiscard]] std::int64_t acks() {
    return run_.network().port_counters(port_to(run_.fabric(), "h1", "s1")).packets;
  }

  Picoseconds time;

 private:
  static PacketNetwork::Options with_losses(PacketNetwork::Options options,
                                            const std::vector<Picoseconds>& lost_at) {
    const Fabric fabric = topologies::build_fabric(two_links()).value();
    for (const Picoseconds begin : lost_at) {
      const Picoseconds middle = begin + kT + 2 * kLatency - 1_ns + kT / 2;
      options.faults.push_back({.kind = Fault::Kind::kLinkDown,
                                .port = port_to(fabric, "s1", "h1"),
                                .at = middle,
                                .until = middle + 1_ns});
    }
    return options;
  }

  FlowRun run_;
};

// Rounds begin when the first ACK of the one before is back, that of two segments: at r D with D =
// 3 T + 2 A + 4 L. Round r has 10 2^r segments back to back, as each ACK answers two and lets four
// go. Segment m of round R, the last of all, is acknowledged at once: at R D + (m + 1) T + 2 A + 4
// L. As long as a round is over before the next one begins: 160 T < D, up to 310 segments.
TEST(Tcp, ALoneMessageTakesSlowStartToThePicosecond) {
  constexpr Picoseconds kRound = 3 * kT + 2 * kA + 4 * kLatency;
  static_assert(160 * kT < kRound);
  for (const auto& control : {congestion::ControlConfig(congestion::NewRenoConfig{}),
                              congestion::ControlConfig(congestion::CubicConfig{})}) {
    for (const std::int64_t segments : {1, 2, 3, 10, 11, 30, 31, 70, 150, 309, 310}) {
      std::int64_t round = 0;
      while (10 * ((std::int64_t{2} << round) - 1) < segments) ++round;
      const std::int64_t in_round = segments - 10 * ((std::int64_t{1} << round) - 1);
      TcpConfig tcp;
      tcp.congestion_control = control;
      EXPECT_EQ(LoneMessage(tcp_options(tcp), segments).time,
                round * kRound + (in_round + 1) * kT + 2 * kA + 4 * kLatency)
          << segments << " segments";
    }
  }
}

TEST(Tcp, WithoutSlowStartAMessageTakesItsZeroLoadTime) {
  TcpConfig tcp;
  tcp.congestion_control = congestion::NoControlConfig{};
  EXPECT_EQ(LoneMessage(tcp_options(tcp), 1'000).time, 1'001 * kT + 2 * kA + 4 * kLatency);
}

// MODEL.md 8.4
TEST(Tcp, AcknowledgesEverySecondSegmentAndTheLast) {
  struct Case {
    std::uint32_t every;
    std::int64_t segments;
    std::int64_t acks;
  };
  for (const auto& [every, segments, acks] :
       {Case{2, 10, 5}, Case{2, 9, 5}, Case{1, 10, 10}, Case{3, 10, 4}, Case{2, 310, 155}}) {
    TcpConfig tcp;
    tcp.ack_every = every;
    EXPECT_EQ(LoneMessage(tcp_options(tcp), segments).acks(), acks)
        << segments << " segments, every " << every;
  }
}

TEST(Tcp, ALoneSegmentIsAcknowledgedWhenTheTimerExpires) {
  // Nine segments: the last one's ACK waits for a tenth, 1 ms.
  TcpConfig tcp;
  tcp.acks_last = false;
  LoneMessage message(tcp_options(tcp), 9);
  EXPECT_EQ(message.time, 10 * kT + 2 * kA + 4 * kLatency + 1_ms);
  EXPECT_EQ(message.acks(), 5);
  EXPECT_EQ(message.totals().timeouts, 0U);

  // From a window of one: its ACK is held back, then two segments and their ACK at once.
  TcpConfig one;
  one.congestion_control = congestion::NewRenoConfig{.window = {.initial = 1}};
  EXPECT_EQ(LoneMessage(tcp_options(one), 3).time,
            (2 * kT + 2 * kA + 4 * kLatency + 1_ms) + (3 * kT + 2 * kA + 4 * kLatency));
}

// Segment 3 of ten is lost. The ACKs of 4, 5 and 6 repeat that of 2; the third of them, 6 of which
// begins at 5 T, makes the sender repeat 3: at 7 T + 4 L and two ACKs. That is a lone segment,
// whose arrival acknowledges all.
TEST(Tcp, RetransmitsOnTheThirdDuplicateAck) {
  for (const bool sack : {true, false}) {
    TcpConfig tcp;
    tcp.sack = sack;
    LoneMessage message(tcp_options(tcp), 10, {2 * kT});
    const Picoseconds duplicate = sack ? kB : kA;
    const Picoseconds heard = 7 * kT + 2 * duplicate + 4 * kLatency;
    EXPECT_EQ(message.time, heard + 2 * kT + 2 * kA + 4 * kLatency) << "SACK " << sack;
    EXPECT_EQ(message.totals().packets_retransmitted, 1U);
    EXPECT_EQ(message.totals().timeouts, 0U);
    // One for the first two, one for each of seven out of order, one for what was repeated.
    EXPECT_EQ(message.acks(), 9);
  }
}

// Segments 3 and 6 are lost. Without SACK the repeated 3 brings an ACK of 5, a partial one: 6 goes
// at once, a round trip later. With SACK 6 is known to be lost when 7, 8 and 9 are there, whose
// ACKs come at most 4 T after that of 5: it takes no other round trip.
TEST(Tcp, APartialAckBringsTheNextLossWithoutATimeOut) {
  constexpr Picoseconds kRoundTrip = 2 * kT + 2 * kA + 4 * kLatency;
  for (const bool sack : {true, false}) {
    TcpConfig tcp;
    tcp.sack = sack;
    tcp.congestion_control = congestion::NewRenoConfig{};
    LoneMessage message(tcp_options(tcp), 10, {2 * kT, 5 * kT});
    // The third duplicate is that of 7.
    const Picoseconds duplicate = sack ? kB : kA;
    const Picoseconds heard = 8 * kT + 2 * duplicate + 4 * kLatency;
    if (sack) {
      EXPECT_LE(message.time, heard + 4 * kT + kRoundTrip + 2 * (kB - kA));
      EXPECT_GE(message.time, heard + kRoundTrip);
    } else {
      EXPECT_EQ(message.time, heard + kRoundTrip + kRoundTrip);
    }
    EXPECT_EQ(message.totals().packets_retransmitted, 2U) << "SACK " << sack;
    EXPECT_EQ(message.totals().timeouts, 0U);
  }
}

// The last of ten is lost: nothing comes after it that would tell. The time-out runs from the last
// ACK of new data, that of 7 and 8, for no less than 10 ms; then 9 and 10 were not acknowledged,
// and 9, whose ACK is held back for the tenth, was by its timer after 1 ms: that restarts it.
TEST(Tcp, WhatNothingFollowsWaitsForTheTimeOut) {
  LoneMessage message(tcp_options(), 10, {9 * kT});
  const Picoseconds acknowledged = 10 * kT + 2 * kA + 4 * kLatency + 1_ms;
  EXPECT_EQ(message.time, acknowledged + 10_ms + 2 * kT + 2 * kA + 4 * kLatency);
  EXPECT_EQ(message.totals().timeouts, 1U);
  EXPECT_EQ(message.totals().packets_retransmitted, 1U);
}

TEST(Tcp, TheTimeOutDoublesWithEachInARow) {
  // The only segment is lost three times: at 0, after 10 ms, and 20 ms after that.
  LoneMessage message(tcp_options(), 1, {0_ps, 10_ms, 30_ms});
  EXPECT_EQ(message.time, 70_ms + 2 * kT + 2 * kA + 4 * kLatency);
  EXPECT_EQ(message.totals().timeouts, 3U);
}

TEST(Tcp, AConnectionFailsAfterItsRetries) {
  TcpConfig tcp;
  tcp.retry_limit = 2;
  PacketNetwork::Options options = tcp_options(tcp);
  const Fabric fabric = topologies::build_fabric(two_links()).value();
  options.faults.push_back(
      {.kind = Fault::Kind::kLinkDown, .port = port_to(fabric, "s1", "h1"), .at = 1_us});
  FlowRun run(two_links(), options, {{HostId(0u), HostId(1u), 10 * kSegment, 2_us}});
  EXPECT_NE(run.network().run_until(10_s), PacketNetwork::Status::kTimeLimit);
  EXPECT_EQ(run.network().failed_connections().size(), 1U);
}

// The whole window of ten is lost. After the time-out everything is repeated in slow start: one,
// then as ACKs allow. The first, alone, is acknowledged after 1 ms; then two, and four, and three.

// MODEL.md 8.6
TEST(Tcp, AfterATimeOutEverythingGoesAgainInSlowStart) {
  std::vector<Picoseconds> lost;
  for (std::int64_t i = 0; i < 10; ++i) lost.push_back(i * kT);
  LoneMessage message(tcp_options(), 10, lost);
  constexpr Picoseconds kRoundTrip = 2 * kT + 2 * kA + 4 * kLatency;
  EXPECT_EQ(message.time, 10_ms + (kRoundTrip + 1_ms) + (kRoundTrip + kT) + (kRoundTrip + kT) +
                              (kRoundTrip + 2 * kT));
  EXPECT_EQ(message.totals().packets_retransmitted, 10U);
  EXPECT_EQ(message.totals().timeouts, 1U);
}

// Four senders at 100 Gbps into one link through a buffer of 300 kB: it overflows in slow start and
// ever again. With SACK what is sent again is what was dropped, and nothing else: ACKs are not
// dropped, as no buffer on their way fills.

// MODEL.md 8.5
TEST(Tcp, SelectiveAcknowledgementsRepeatWhatWasDroppedAndNothingElse) {
  for (const auto& control : {congestion::ControlConfig(congestion::NewRenoConfig{}),
                              congestion::ControlConfig(congestion::CubicConfig{})}) {
    TcpConfig tcp;
    tcp.congestion_control = control;
    PacketNetwork::Options options = tcp_options(tcp);
    options.switches.buffer = 300_KB;
    std::vector<Flow> flows;
    for (std::uint32_t i = 1; i <= 4; ++i) flows.push_back({HostId(i), HostId(0u), 8_MB, 0_ps});
    FlowRun run(star(5, kRate, 2_us), options, flows);
    (void)run.completions();
    const protocols::NetworkTotals totals = run.network().totals();
    EXPECT_GT(totals.buffer_drops, 20);
    if (totals.timeouts == 0) {
      EXPECT_EQ(totals.packets_retransmitted, static_cast<std::uint64_t>(totals.buffer_drops));
    } else {
      // What a time-out repeats beyond that has arrived late or is known by then only.
      EXPECT_GE(totals.packets_retransmitted, static_cast<std::uint64_t>(totals.buffer_drops));
    }
  }
}

TEST(Tcp, PacketsThatOvertakeOthersAreRepeatedThoughNothingWasLost) {
  topologies::LeafSpineSpec spec;
  spec.racks = 2;
  spec.servers_per_rack = 4;
  spec.spines = 4;
  spec.access = {100'000_Mbps, 100_ns};
  spec.uplink = {100'000_Mbps, 1_us};
  PacketNetwork::Options options = tcp_options();
  options.switches.load_balancing = protocols::LoadBalancing::kSpray;
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 4; ++i) flows.push_back({HostId(i), HostId(i + 4), 8_MB, 0_ps});
  FlowRun run(spec, options, flows);
  (void)run.completions();
  EXPECT_EQ(run.network().totals().buffer_drops, 0);
  EXPECT_GT(run.network().totals().packets_retransmitted, 0U);
}

}  // namespace
}  // namespace weft::testing
