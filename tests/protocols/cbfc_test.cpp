// Credit-based flow control of Ultra Ethernet (UE specification 1.0, 5.2), by closed forms: what
// frames take, what a limit of credits carries, and how credits come back of which something was
// lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/flow_runner.hpp"
#include "tests/support/lossy_star.hpp"

namespace weft::testing {
namespace {

using protocols::CbfcConfig;
using protocols::Fault;
using protocols::PacketNetwork;

/// Frames of `frame` bytes without preamble and gap, without acknowledgements.
PacketNetwork::Options with_cbfc(const CbfcConfig& cbfc, Bytes frame) {
  PacketNetwork::Options options = plain_options();
  protocols::DatagramConfig datagram;
  datagram.format.header = 64_B;
  datagram.format.payload = frame + CbfcConfig::kUncounted - 64_B;
  options.transport = datagram;
  options.switches.data().flow_control = cbfc;
  options.switches.data().ecn.enabled = false;
  return options;
}

CbfcConfig limited_to(Bytes limit) {
  CbfcConfig cbfc;
  cbfc.buffer = limit;
  return cbfc;
}

// MODEL.md 18.1
TEST(CbfcOracle, C2_CreditsOfAFrameAreWhole) {
  CbfcConfig cbfc;
  cbfc.set_overhead(64_B);
  const Bytes wire = 4'150_B + CbfcConfig::kUncounted;
  EXPECT_EQ(cbfc.held_by(wire) / cbfc.block, 33);
  cbfc.block = 256_B;
  EXPECT_EQ(cbfc.held_by(wire) / cbfc.block, 17);
  // A frame that fills its credits takes no more.
  cbfc.set_overhead(0_B);
  EXPECT_EQ(cbfc.held_by(512_B + CbfcConfig::kUncounted) / cbfc.block, 2);
  EXPECT_EQ(cbfc.held_by(513_B + CbfcConfig::kUncounted) / cbfc.block, 3);
}

/// The share of its rate that a cable of two hosts carries for long; a credit's round trip without
/// the gap between updates is `loop`.
double cbfc_share(BitsPerSecond rate, Picoseconds loop, const CbfcConfig& cbfc) {
  constexpr std::int64_t kFrames = 20'000;
  constexpr Bytes kFrame{1'024};
  const Bytes wire = kFrame + CbfcConfig::kUncounted;
  const PacketNetwork::Options options = with_cbfc(cbfc, kFrame);
  const Picoseconds latency =
      (loop - transmission_time(wire, rate) - transmission_time(8_B, rate)) / 2;
  const std::vector<Flow> flows{{HostId(0u), HostId(1u), kFrames * (wire - 64_B), 0_ps}};
  FlowRun run(back_to_back(rate, latency), back_to_back_routes(), options, flows);
  EXPECT_EQ(run.network().run_until(1_s), PacketNetwork::Status::kQuiescent);
  EXPECT_THAT(run.network().violated_invariants(true), ::testing::IsEmpty());
  EXPECT_EQ(run.network().totals().packets_dropped(), 0);
  const Picoseconds took = run.messages()[0].delivered.value_or({}) - latency;
  return to_seconds(kFrames * transmission_time(wire, rate)) / to_seconds(took);
}

// Frames of 1,024 B fill 8 credits, and the wire has 2 % more of them.
// MODEL.md 18.2
TEST(CbfcOracle, C1_TheLimitOfCreditsBoundsTheRateByItsForm) {
  struct Case {
    BitsPerSecond rate;
    Bytes limit;
    double share;
  };
  const std::vector<Case> cases{{400_Gbps, 16_KiB, 0.290},
                                {400_Gbps, 32_KiB, 0.581},
                                {400_Gbps, 57'344_B, 1},
                                {800_Gbps, 64_KiB, 0.616}};
  for (const Case& c : cases) {
    const double expected = std::min(1.0, c.share * 1'044 / 1'024);
    const double share = cbfc_share(c.rate, 1_us, limited_to(c.limit));
    EXPECT_NEAR(share, expected, 0.02 * expected) << c.rate.count() << " " << c.limit.count();
  }
}

/// The link of `port` corrupts all that starts between two times.
Fault cbfc_broken(PortId port, Picoseconds at, Picoseconds until) {
  return {.kind = Fault::Kind::kLinkErrors,
          .port = port,
          .at = at,
          .until = until,
          .errors = {1, LinkErrors::Unit::kFrames}};
}

constexpr Picoseconds kLatency{500'000};
const std::vector<Flow> kLong{{HostId(0u), HostId(1u), 4'000 * 980_B, 0_ps}};

/// When the last of 4,000 frames of 1,024 B is delivered from the one host to the other; and what
/// was lost.
struct CbfcRun {
  Picoseconds end;
  std::int64_t lost = 0;
};

CbfcRun cbfc_run(const CbfcConfig& cbfc, const std::vector<Fault>& faults, bool has_retry = false) {
  PacketNetwork::Options options = with_cbfc(cbfc, 1'024_B);
  options.switches.link_retry.enabled = has_retry;
  options.switches.link_retry.timeout = 4_us;
  options.faults = faults;
  FlowRun run(back_to_back(400_Gbps, kLatency), back_to_back_routes(), options, kLong);
  CbfcRun result;
  // Laws hold at any time: the credits that a lost frame or update holds are known.
  for (Picoseconds time = 1_us; time < 600_us; time += 1'700_ns) {
    run.network().run_until(time);
    EXPECT_THAT(run.network().violated_invariants(false), ::testing::IsEmpty()) << time.count();
  }
  EXPECT_EQ(run.network().run_until(1_s), PacketNetwork::Status::kQuiescent);
  EXPECT_THAT(run.network().violated_invariants(true), ::testing::IsEmpty());
  result.lost = run.network().totals().packets_dropped();
  result.end = run.network().now();
  return result;
}

// Updates are counts: what ten of them would have told, the eleventh does.
// MODEL.md 18.3
TEST(CbfcOracle, C3_ALostUpdateIsMadeUpForByTheNext) {
  CbfcConfig cbfc = limited_to(128_KiB);
  const CbfcRun whole = cbfc_run(cbfc, {});
  // 128 KiB last 2.6 us; ten updates are 1.3 us: nobody waits.
  const CbfcRun ten = cbfc_run(cbfc, {cbfc_broken(PortId(1u), 20_us, 21'280_ns)});
  EXPECT_EQ(ten.lost, 0);
  EXPECT_EQ(ten.end, whole.end);
}

// The sender has no credits left, so that nothing comes that could be told again.
// MODEL.md 18.3
TEST(CbfcOracle, C3_WithNothingNewALostUpdateIsRepeatedAfterAPeriod) {
  const CbfcConfig cbfc = limited_to(16_KiB);
  const CbfcRun whole = cbfc_run(cbfc, {});
  const CbfcRun late = cbfc_run(cbfc, {cbfc_broken(PortId(1u), 20_us, 21'200_ns)});
  const Picoseconds period = transmission_time(cbfc.update_period, 400_Gbps);
  EXPECT_EQ(late.lost, 0);
  EXPECT_GT(late.end - whole.end, period - 2_us);
  EXPECT_LT(late.end - whole.end, period + 2_us);
}

// Sixteen frames die, and all credits with them: the next CC_Update brings them back.
// MODEL.md 18.4
TEST(CbfcOracle, C3_CreditsOfLostFramesAreBackWithTheNextCcUpdate) {
  const CbfcConfig cbfc = limited_to(16_KiB);
  const CbfcRun run = cbfc_run(cbfc, {cbfc_broken(PortId(0u), 20_us, 30_us)});
  EXPECT_EQ(run.lost, 16);
  const CbfcRun whole = cbfc_run(cbfc, {});
  // From 20 us to 256 us and back: the CC_Update, its way, the update and its way.
  const Picoseconds back = cbfc.repair + transmission_time(84_B, 400_Gbps) + 2 * kLatency +
                           transmission_time(8_B, 400_Gbps);
  const Picoseconds stood = back - 20_us;
  // What died need not be sent: 16 frames of 4,000 less.
  EXPECT_NEAR(to_seconds(run.end - whole.end), to_seconds(stood), 2e-6);
}

// A leak is never older than the period and one way.
TEST(CbfcOracle, C3_ACcUpdateThatDiesLeavesTheCreditsToTheOneAfter) {
  CbfcConfig cbfc = limited_to(16_KiB);
  cbfc.repair = 50_us;
  const CbfcRun one = cbfc_run(cbfc, {cbfc_broken(PortId(0u), 20_us, 30_us)});
  const CbfcRun two = cbfc_run(cbfc, {cbfc_broken(PortId(0u), 20_us, 51_us)});
  EXPECT_EQ(one.lost, 16);
  EXPECT_EQ(two.lost, 16);
  EXPECT_EQ(two.end - one.end, 50_us);
}

// Retry gives frames up at some 30 us. The CC_Update that tells of them dies, or not.
// MODEL.md 18.5
TEST(CbfcOracle, C3_ACcUpdateOfFramesThatRetryGaveUpMayDieToo) {
  CbfcConfig cbfc = limited_to(16_KiB);
  cbfc.repair = 50_us;
  const CbfcRun one = cbfc_run(cbfc, {cbfc_broken(PortId(0u), 20_us, 49_us)}, true);
  const CbfcRun two = cbfc_run(cbfc, {cbfc_broken(PortId(0u), 20_us, 51_us)}, true);
  EXPECT_GT(one.lost, 0);
  EXPECT_EQ(one.lost, two.lost);
  EXPECT_NEAR(to_seconds(two.end - one.end), 50e-6, 2e-6);
}

// All that is free is granted again when the link is back. What was to come back with a CC_Update
// is among it, and does not come twice.
// MODEL.md 18.5
TEST(Cbfc, AnOutageVoidsWhatWasToComeBack) {
  const CbfcConfig cbfc = limited_to(16_KiB);
  const Fault outage{
      .kind = Fault::Kind::kLinkDown, .port = PortId(0u), .at = 60_us, .until = 65_us};
  for (const bool has_retry : {false, true}) {
    const CbfcRun whole = cbfc_run(cbfc, {outage}, has_retry);
    const CbfcRun run = cbfc_run(cbfc, {cbfc_broken(PortId(0u), 20_us, 50_us), outage}, has_retry);
    EXPECT_GT(run.lost, 0);
    // It stood from 20 us until the outage.
    EXPECT_NEAR(to_seconds(run.end - whole.end), 40e-6, 3e-6) << has_retry;
  }
}

PacketNetwork::Options lossy_cbfc(bool has_retry) {
  PacketNetwork::Options options = plain_options();
  CbfcConfig cbfc = limited_to(48_KiB);
  cbfc.repair = 20_us;
  for (protocols::TrafficClass& c : options.switches.classes) c.flow_control = cbfc;
  options.switches.data().ecn.enabled = false;
  options.switches.link_retry.enabled = has_retry;
  return options;
}

// Six inputs may hold 48 KiB each for one output: no drop but those of links, at any loss of
// updates, and in the end no credit is missing.
// MODEL.md 18.1 to 18.4
TEST(CbfcOracle, C4_ReceiversNeverHoldMoreThanTheirLimit) {
  std::vector<Picoseconds> first;
  for (const std::uint32_t threads : {1U, 2U, 3U}) {
    PacketNetwork::Options options = lossy_cbfc(false);
    options.parallelism.threads = threads;
    LossyStar many(options);
    for (Picoseconds time = 10_us; time < 400_us; time += 7_us) {
      many.run->network().run_until(time);
      EXPECT_THAT(many.run->network().violated_invariants(false), ::testing::IsEmpty());
    }
    const std::vector<Picoseconds> times = many.run->completions();
    const protocols::NetworkTotals totals = many.run->network().totals();
    EXPECT_EQ(totals.packets_dropped(), totals.error_drops);
    EXPECT_GT(totals.error_drops, 20);
    EXPECT_GT(totals.credit_stalls, 100);
    if (first.empty()) first = times;
    EXPECT_EQ(times, first) << threads;
  }
}

// Frames that links send again consume nothing again.
// MODEL.md 18.5
TEST(Cbfc, BesideLinkLevelRetryNoCreditIsMissing) {
  PacketNetwork::Options options = lossy_cbfc(true);
  options.switches.link_retry.replays = 255;
  LossyStar many(options);
  for (Picoseconds time = 10_us; time < 400_us; time += 7_us) {
    many.run->network().run_until(time);
    EXPECT_THAT(many.run->network().violated_invariants(false), ::testing::IsEmpty());
  }
  many.run->completions();
  EXPECT_GT(many.run->network().totals().replays, 20);
  EXPECT_EQ(many.run->network().totals().packets_dropped(), 0);
}

// What a link with retry gives up is told by a CC_Update; what an outage takes is not.
TEST(Cbfc, WhatLinkLevelRetryGivesUpComesBack) {
  for (const bool goes_down : {false, true}) {
    PacketNetwork::Options options = lossy_cbfc(true);
    options.faults = {cbfc_broken(PortId(0u), 33_us, 80_us)};
    if (goes_down) {
      options.faults.push_back(
          {.kind = Fault::Kind::kLinkDown, .port = PortId(0u), .at = 50_us, .until = 55_us});
    }
    const std::vector<Flow> flows{{HostId(0u), HostId(1u), 1'000 * 4'096_B, 0_ps}};
    FlowRun run(star(3, 100_Gbps, 1_us), options, flows);
    for (Picoseconds time = 10_us; time < 400_us; time += 3_us) {
      run.network().run_until(time);
      EXPECT_THAT(run.network().violated_invariants(false), ::testing::IsEmpty());
    }
    run.completions();
    const PortId port = run.fabric().host(HostId(0u)).first_port;
    EXPECT_GT(run.network().port_counters(port).retry_drops +
                  run.network().port_counters(port).fault_drops,
              0);
  }
}

}  // namespace
}  // namespace weft::testing
