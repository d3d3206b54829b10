// Link-level retry (UE specification 1.0, 5.1), by closed forms. A frame of s bytes takes s / C. A
// frame that is corrupted is sent again when its NACK has come and the frame under way is over:
// s / C for its own bits, the latency l, at most a frame and 8 B on the way back, l again, and at
// most a frame before the replay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/flow_runner.hpp"
#include "tests/support/lossy_star.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::LinkRetryConfig;
using protocols::NetworkTotals;
using protocols::PacketNetwork;
using protocols::PortCounters;

constexpr Picoseconds kFrame{334'240};  // 4,178 B at 100 Gbps
constexpr Picoseconds kSet{640};        // 8 B

PacketNetwork::Options with_retry() {
  PacketNetwork::Options options = plain_options();
  options.switches.link_retry.enabled = true;
  return options;
}

/// From `at` until `until` the link that leaves `port` corrupts every frame that starts.
Fault broken(PortId port, Picoseconds at, Picoseconds until = Fault::kForever) {
  return {.kind = Fault::Kind::kLinkErrors,
          .port = port,
          .at = at,
          .until = until,
          .errors = {1, LinkErrors::Unit::kFrames}};
}

/// One frame of many that the first host sends in a row, one of which starts in the time of one.
Fault one_frame(Picoseconds at) { return broken(PortId(0u), at, at + kFrame); }

PortId port_of(const FlowRun& run, std::uint32_t host) {
  return run.fabric().host(HostId(host)).first_port;
}

/// Two hosts on a switch, both of whose links have retry.
struct RetryRun {
  std::vector<Picoseconds> times;
  NetworkTotals totals;
  PortCounters sender;       ///< at the first host
  PortCounters switch_port;  ///< that leads to it
};

RetryRun retry_run(const PacketNetwork::Options& options, const std::vector<Flow>& flows,
                   BitsPerSecond rate = 100_Gbps, Picoseconds latency = 1_us) {
  FlowRun run(star(3, rate, latency), options, flows);
  RetryRun result;
  result.times = run.completions();
  result.totals = run.network().totals();
  result.sender = run.network().port_counters(port_of(run, 0));
  result.switch_port = run.network().port_counters(run.fabric().port(port_of(run, 0)).peer);
  return result;
}

const std::vector<Flow> kOneFlow{{HostId(0u), HostId(1u), 1'000 * 4'096_B, 0_ps}};

// 4,178 B fill more than 2,048 B: every frame is acknowledged at once, and 24 frames may be on the
// way, of which a loop of 2 us and a frame needs 8.
// MODEL.md 16.4, 16.5
TEST(LinkRetryOracle, L1_OneBadFrameCostsARoundTripAndWhatWasSentMeanwhileOnce) {
  const RetryRun whole = retry_run(with_retry(), kOneFlow);
  EXPECT_EQ(whole.totals.replays, 0);
  PacketNetwork::Options options = with_retry();
  options.faults = {one_frame(100 * kFrame)};
  const RetryRun one = retry_run(options, kOneFlow);
  EXPECT_EQ(one.sender.replays, 1);
  EXPECT_EQ(one.totals.packets_retransmitted, 0U) << "nothing is lost or reordered above the link";
  EXPECT_EQ(one.totals.packets_dropped(), 0);
  EXPECT_EQ(one.switch_port.retry_nacks, 1);
  // From its first start to its second: its own bits, the NACK, and the end of a frame.
  const Picoseconds round_trip = kFrame + 2 * 1_us + kSet;
  const Picoseconds late = one.times[0] - whole.times[0];
  EXPECT_GE(late, round_trip);
  EXPECT_LE(late, round_trip + kFrame + kSet);
  EXPECT_EQ(one.sender.frames_replayed, late / kFrame) << "what was sent meanwhile, once";
}

// Data in both directions: the NACK waits for the frame that is under way.
// MODEL.md 16.3
TEST(LinkRetryOracle, L1_ANackWaitsForTheFrameUnderWay) {
  const std::vector<Flow> both{{HostId(0u), HostId(1u), 1'000 * 4'096_B, 0_ps},
                               {HostId(1u), HostId(0u), 1'000 * 4'096_B, 100_ns}};
  const RetryRun whole = retry_run(with_retry(), both);
  PacketNetwork::Options options = with_retry();
  options.faults = {one_frame(100_us)};
  const RetryRun one = retry_run(options, both);
  EXPECT_EQ(one.totals.packets_dropped(), 0);
  const Picoseconds late = one.times[0] - whole.times[0];
  EXPECT_GE(late, kFrame + 2 * 1_us);
  EXPECT_LE(late, 3 * kFrame + 2 * 1_us + 20 * kSet);
}

/// The rate of a link that carries frames of `size` for long, of its full rate, where `limit` bytes
/// may be outstanding. Both ends of the path are hosts on one cable.
double share_of(BitsPerSecond rate, Picoseconds latency, Bytes limit, Bytes size) {
  constexpr std::int64_t kFrames = 20'000;
  PacketNetwork::Options options = with_retry();
  options.switches.link_retry.outstanding = limit;
  options.switches.link_retry.frames = 65'536;
  protocols::DatagramConfig datagram;
  datagram.format.header = 64_B;
  datagram.format.payload = size - 64_B;
  options.transport = datagram;
  const std::vector<Flow> flows{{HostId(0u), HostId(1u), kFrames * (size - 64_B), 0_ps}};
  FlowRun run(back_to_back(rate, latency), back_to_back_routes(), options, flows);
  EXPECT_EQ(run.network().run_until(1_s), PacketNetwork::Status::kQuiescent);
  EXPECT_TRUE(run.network().violated_invariants(true).empty());
  const Picoseconds took = run.messages()[0].delivered.value_or({}) - latency;
  return to_seconds(kFrames * transmission_time(size, rate)) / to_seconds(took);
}

/// The latency of a cable on which a frame of `size` is acknowledged after `loop`, if at once.
Picoseconds latency_for(Picoseconds loop, BitsPerSecond rate, Bytes size) {
  return (loop - transmission_time(size, rate) - transmission_time(8_B, rate)) / 2;
}

// Full rate from C (loop + time of an ACK's bytes) on, else limit / (loop + time of an ACK's
// bytes). Whole frames are outstanding: at 256 B that is 1 % of the smallest limit.
// MODEL.md 16.1, 16.2
TEST(LinkRetryOracle, L2_TheOutstandingLimitBoundsTheRateByItsForm) {
  struct Case {
    BitsPerSecond rate;
    Picoseconds loop;
    Bytes limit;
  };
  const std::vector<Case> cases{{400_Gbps, 500_ns, 27'048_B},    {400_Gbps, 500_ns, 54'096_B},
                                {400_Gbps, 500_ns, 20'480_B},    {400_Gbps, 500_ns, 13'524_B},
                                {400_Gbps, 500_ns, 6'144_B},     {400_Gbps, 2'000_ns, 102'400_B},
                                {400_Gbps, 4'000_ns, 102'400_B}, {800_Gbps, 1'000_ns, 102'400_B},
                                {800_Gbps, 2'000_ns, 102'400_B}};
  for (const Case& c : cases) {
    const double bytes_in_loop = to_seconds(c.loop) * static_cast<double>(c.rate.count()) / 8;
    const double expected =
        std::min(1.0, static_cast<double>(c.limit.count()) / (bytes_in_loop + 2'048));
    EXPECT_NEAR(share_of(c.rate, latency_for(c.loop, c.rate, 256_B), c.limit, 256_B), expected,
                0.02 * expected)
        << c.rate.count() << " " << c.loop.count() << " " << c.limit.count();
  }
}

TEST(LinkRetry, TheLimitOfFramesBoundsTheRateToo) {
  PacketNetwork::Options options = with_retry();
  options.switches.link_retry.frames = 4;
  const RetryRun run = retry_run(options, kOneFlow);
  // Four frames per loop of two latencies, a frame and an ACK.
  const double loop = to_seconds(2 * 1_us + kFrame + kSet);
  EXPECT_NEAR(to_seconds(run.times[0]), 1'000.0 / 4 * loop, 0.02 * 250 * loop);
  EXPECT_GT(run.sender.retry_held_time, 100_us);
}

// The NACK brings the first replay, the timer the others, and then all is given up.
TEST(LinkRetryOracle, L3_ADeadLinkIsFlushedAfterItsReplays) {
  for (const std::uint32_t replays : {1U, 3U, 255U}) {
    for (const bool restarts : {true, false}) {
      PacketNetwork::Options options = with_retry();
      options.switches.link_retry.replays = replays;
      options.switches.link_retry.restarts = restarts;
      options.switches.link_retry.timeout = 5_us;
      options.faults = {broken(PortId(0u), 33_us, 10_ms)};
      const RetryRun run = retry_run(options, kOneFlow);
      EXPECT_EQ(run.sender.replays, replays);
      EXPECT_EQ(run.sender.retry_flushes, 1);
      // At 102,400 B or more, which are 25 frames, the port stops.
      EXPECT_GE(run.sender.retry_drops, replays == 1 ? 8 : 25);
      EXPECT_LE(run.sender.retry_drops, 25);
      EXPECT_GE(run.totals.timeouts, 1U) << "hosts repair it";
      EXPECT_GT(run.totals.packets_retransmitted, 0U);
    }
  }
}

// MODEL.md 16.6
TEST(LinkRetry, ALinkThatRestartsRepairsAgain) {
  for (const bool restarts : {true, false}) {
    PacketNetwork::Options options = with_retry();
    options.switches.link_retry.restarts = restarts;
    const Picoseconds mended = 2_ms;
    options.faults = {broken(PortId(0u), 33_us, mended), one_frame(5_ms)};
    const std::vector<Flow> flows{{HostId(0u), HostId(1u), 1'000 * 4'096_B, 0_ps},
                                  {HostId(0u), HostId(1u), 1'000 * 4'096_B, 4'900_us}};
    const RetryRun run = retry_run(options, flows);
    EXPECT_EQ(run.sender.replays, restarts ? 2 : 1);
    EXPECT_EQ(run.sender.retry_flushes, 1);
  }
}

TEST(LinkRetry, WhatComesWhileALinkRestartsIsSentOrDropped) {
  for (const auto policy :
       {LinkRetryConfig::Restarting::kBestEffort, LinkRetryConfig::Restarting::kDiscard}) {
    PacketNetwork::Options options = with_retry();
    options.switches.link_retry.restarting = policy;
    options.faults = {broken(PortId(0u), 33_us, 2_ms)};
    FlowRun run(star(3, 100_Gbps, 1_us), options, kOneFlow);
    run.completions();
    const PortId peer = run.fabric().port(port_of(run, 0)).peer;
    const bool sends = policy == LinkRetryConfig::Restarting::kBestEffort;
    EXPECT_EQ(run.network().port_counters(peer).error_drops > 0, sends);
    EXPECT_EQ(run.network().port_counters(port_of(run, 0)).retry_drops > 25, !sends);
  }
}

TEST(LinkRetry, FramesThatAreTooOldAreGivenUp) {
  PacketNetwork::Options options = with_retry();
  options.switches.link_retry.replays = 255;
  options.switches.link_retry.max_age = 30_us;
  options.faults = {broken(PortId(0u), 33_us, 2_ms)};
  const RetryRun run = retry_run(options, kOneFlow);
  EXPECT_EQ(run.sender.retry_flushes, 1);
  // At the NACK, and 10 us after the end of that replay; the next would be 40 us after the frame.
  EXPECT_EQ(run.sender.replays, 2);
}

// The first switch has passed the frame on when it finds it corrupted. The links behind it carry it
// as it is, and the first one sends it again.
// MODEL.md 16.8
TEST(LinkRetryOracle, L4_PoisonedFramesAreNotSentAgain) {
  PacketNetwork::Options options = with_retry();
  options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
  options.faults = {one_frame(100 * kFrame)};
  FlowRun run(line(3, 100_Gbps, 1_us), options, kOneFlow);
  run.completions();
  const NetworkTotals totals = run.network().totals();
  EXPECT_EQ(totals.replays, 1) << "of one link";
  EXPECT_EQ(run.network().port_counters(port_of(run, 0)).replays, 1);
  EXPECT_EQ(totals.poison_drops, 1);
  EXPECT_EQ(run.network().port_counters(port_of(run, 1)).poison_drops, 1) << "at the host";
  EXPECT_EQ(totals.packets_dropped(), 1);
  EXPECT_EQ(totals.packets_retransmitted, 0U);
}

// MODEL.md 16.7
TEST(LinkRetry, NothingIsLostAboveLinksThatCorruptFrames) {
  PacketNetwork::Options options = with_retry();
  options.switches.link_retry.replays = 255;
  LossyStar many(options);
  many.run->completions();
  const NetworkTotals totals = many.run->network().totals();
  EXPECT_GT(totals.replays, 20);
  EXPECT_EQ(totals.packets_dropped(), 0);
  EXPECT_EQ(totals.packets_retransmitted, 0U);
  EXPECT_EQ(totals.timeouts, 0U);
}

TEST(LinkRetry, LawsHoldInTheMiddleAndForAnyThreads) {
  std::vector<Picoseconds> first;
  for (const std::uint32_t threads : {1U, 2U, 3U}) {
    PacketNetwork::Options options = with_retry();
    options.parallelism.threads = threads;
    LossyStar many(options);
    for (Picoseconds time = 10_us; time < 200_us; time += 7_us) {
      many.run->network().run_until(time);
      EXPECT_THAT(many.run->network().violated_invariants(false), ::testing::IsEmpty());
    }
    const std::vector<Picoseconds> times = many.run->completions();
    if (first.empty()) first = times;
    EXPECT_EQ(times, first) << threads;
  }
}

// What was on the cable or kept for it is lost with it, and the link restarts.
// MODEL.md 16.9
TEST(LinkRetry, ALinkThatWasDownStartsAnew) {
  PacketNetwork::Options options = with_retry();
  options.faults = {
      {.kind = Fault::Kind::kLinkDown, .port = PortId(0u), .at = 50_us, .until = 80_us},
      broken(PortId(0u), 60_us, 100 * 1_us)};
  FlowRun run(star(3, 100_Gbps, 1_us), options, kOneFlow);
  run.network().run_until(70_us);
  EXPECT_THAT(run.network().violated_invariants(false), ::testing::IsEmpty());
  run.completions();
  EXPECT_GT(run.network().totals().fault_drops, 0);
}

}  // namespace
}  // namespace weft::testing
