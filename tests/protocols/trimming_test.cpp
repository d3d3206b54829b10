// Packet trimming (UE specification 1.0, 4.1): laws of one full port. A trimmed packet has r =
// 64 / 4,150 of the wire bytes of a full one, and headers go before data.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::NetworkTotals;
using protocols::PacketNetwork;
using protocols::RoceConfig;
using protocols::SelectiveRepeat;
using protocols::TrafficClass;
using protocols::TrimmingConfig;

constexpr Picoseconds kTrimmedPacket{332'000};  // 4,150 B at 100 Gbps
constexpr Picoseconds kTrimmedHeader{5'120};    // 64 B

/// Senders at line rate, whatever is lost, whose packets have the sizes of uet-htsim.
PacketNetwork::Options trimming_roce(std::int64_t queue) {
  PacketNetwork::Options options;
  RoceConfig roce;
  roce.format.payload = 4'086_B;
  roce.format.header = 64_B;
  roce.ack_size = 64_B;
  roce.ack_class = protocols::kHighestClass;
  roce.congestion_control = protocols::congestion::NoControlConfig{};
  SelectiveRepeat repeat;
  repeat.cap = 0_B;
  repeat.timeout_low = repeat.timeout_high = 100_ms;
  roce.recovery = repeat;
  options.transport = roce;
  trim_as_htsim(options.switches, queue, 1'000, 2'000);
  return options;
}

/// The share of the port to the last host that full packets get, over 2 ms.
double trimming_goodput(std::uint32_t senders, bool has_cap) {
  PacketNetwork::Options options = trimming_roce(29);
  if (has_cap) {
    // Headers and data share the link by weight: half of it each.
    options.switches.classes[ClassId(1)].scheduling = TrafficClass::Scheduling::kWeighted;
  }
  FlowRun run(star(senders + 1, 100_Gbps, 1_us), options, in_cast(senders, 40_MB));
  const PortId port = run.fabric().port(run.fabric().host(HostId(senders)).first_port).peer;
  run.network().run_until(500_us);
  const Bytes before = run.network().class_counters(port, ClassId(0)).bytes;
  run.network().run_until(2'500_us);
  const Bytes bytes = run.network().class_counters(port, ClassId(0)).bytes - before;
  return static_cast<double>(bytes.count()) / 25e6;
}

TEST(UecOracle, T1_WholePacketsGetWhatHeadersLeave) {
  constexpr double kShare = 64.0 / 4'150;
  for (const std::uint32_t n : {2U, 4U, 8U, 16U, 32U, 64U}) {
    EXPECT_NEAR(trimming_goodput(n, false), (1 - n * kShare) / (1 - kShare), 0.01) << n;
  }
  EXPECT_LT(trimming_goodput(70, false), 0.01) << "headers alone fill the link, and die";
}

TEST(UecOracle, T1_HalfOfTheLinkIsLeftWhereHeadersHaveNoMore) {
  EXPECT_NEAR(trimming_goodput(16, true), 0.765, 0.01) << "they do not need half";
  EXPECT_GE(trimming_goodput(64, true), 0.495);
  EXPECT_GE(trimming_goodput(70, true), 0.495);
}

// N senders with windows of w packets bring N w in w packet times, of which w leave and q wait.
TEST(UecOracle, T2_FirstWindowsLoseWhatThePortCannotHold) {
  constexpr std::int64_t kWindow = 29;
  for (const std::int64_t n : {4, 8}) {
    PacketNetwork::Options options = trimming_roce(kWindow);
    std::get<SelectiveRepeat>(roce_of(options).recovery).cap = kWindow * 4'150_B;
    // NACKs come back after all first packets have come.
    FlowRun run(star(static_cast<std::uint32_t>(n) + 1, 100_Gbps, 20_us), options,
                in_cast(static_cast<std::uint32_t>(n), 1_MB));
    run.network().run_until(20_us + (kWindow + 1) * kTrimmedPacket);
    const std::int64_t expected = (n - 1) * kWindow - kWindow;
    const auto trims = static_cast<std::int64_t>(run.network().totals().packets_trimmed);
    EXPECT_NEAR(static_cast<double>(trims), static_cast<double>(expected),
                static_cast<double>(n) + 0.02 * static_cast<double>(expected));
  }
}

/// How many of the packets that were trimmed had waited, and how many had just come.
std::pair<int, int> trimming_victims(TrimmingConfig::Victim victim) {
  PacketNetwork::Options options = trimming_roce(29);
  options.switches.data().trimming.victim = victim;
  for (std::uint32_t i = 0; i < 8; ++i) options.observation.packet_flows.push_back(ConnectionId(i));
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, int> waiting;
  std::pair<int, int> victims;
  options.trace_sink = [&](std::span<const TraceRecord> records) {
    for (const TraceRecord& r : records) {
      const auto key = std::tuple(r.value, r.detail, r.subject);
      if (r.kind == TraceRecord::Kind::kPacketEnqueued) ++waiting[key];
      if (r.kind == TraceRecord::Kind::kPacketStarted) waiting.erase(key);
      if (r.kind != TraceRecord::Kind::kPacketTrimmed) continue;
      ++(waiting.erase(key) > 0 ? victims.first : victims.second);
    }
  };
  FlowRun run(star(9, 100_Gbps, 1_us), options, in_cast(8, 500 * 4'086_B));
  run.completions();
  EXPECT_EQ(static_cast<std::uint64_t>(victims.first + victims.second),
            run.network().totals().packets_trimmed);
  return victims;
}

// n tosses have a standard deviation of sqrt(n) / 2.
TEST(UecOracle, T3_TheCoinTakesTheLastQueuedPacketHalfOfTheTime) {
  const auto [last, arriving] = trimming_victims(TrimmingConfig::Victim::kCoinToss);
  const double n = last + arriving;
  ASSERT_GT(n, 1'000);
  EXPECT_NEAR(last, n / 2, 4 * std::sqrt(n) / 2);
}

// MODEL.md 14.2
TEST(Trimming, TakesTheVictimThatIsAskedFor) {
  EXPECT_EQ(trimming_victims(TrimmingConfig::Victim::kLastQueued).second, 0);
  // Two that come at one time change places by the drift of clocks (MODEL.md 4.2).
  const auto [last, arriving] = trimming_victims(TrimmingConfig::Victim::kArriving);
  EXPECT_GT(arriving, 0);
  EXPECT_LT(last, arriving);
}

// Two packets come at one time to a queue of one: the second is trimmed, and its header follows the
// first. The NACK is back after two links each way.
TEST(UecOracle, T4_TheRepeatLeavesAControlRoundTripAfterItsPacket) {
  for (const bool is_uec : {false, true}) {
    PacketNetwork::Options options = is_uec ? htsim_uec(10_us, 1, 500, 1'000) : trimming_roce(1);
    options.switches.data().trimming.victim = TrimmingConfig::Victim::kArriving;
    std::map<std::int64_t, std::vector<Picoseconds>> sent;
    for (std::uint32_t i = 0; i < 2; ++i) {
      options.observation.packet_flows.push_back(ConnectionId(i));
    }
    options.trace_sink = [&](std::span<const TraceRecord> records) {
      for (const TraceRecord& r : records) {
        if (r.kind == TraceRecord::Kind::kPacketStarted && r.subject < 2) {
          sent[r.value].push_back(r.time);
        }
      }
    };
    FlowRun run(star(3, 100_Gbps, 1_us), options, in_cast(2, 4'086_B));
    run.completions();
    const NetworkTotals totals = run.network().totals();
    EXPECT_EQ(totals.packets_trimmed, 1U);
    EXPECT_EQ(totals.packets_retransmitted, 1U);
    EXPECT_EQ(totals.timeouts, 0U);
    EXPECT_EQ(totals.packets_injected, 2U + 1U + 1U + 2U) << "data, repeat, NACK, ACKs";
    std::size_t repeats = 0;
    for (const auto& [flow, times] : sent) {
      if (times.size() < 2) continue;
      ++repeats;
      EXPECT_EQ(times[1] - times[0], kTrimmedPacket + 1_us                // to the switch
                                         + kTrimmedPacket                 // behind the other one
                                         + kTrimmedHeader + 1_us          // the header
                                         + 2 * (kTrimmedHeader + 1_us));  // the NACK
    }
    EXPECT_EQ(repeats, 1U);
  }
}

// MODEL.md 14.5
TEST(UecOracle, T4_NoTimeOutFiresInInCasts) {
  for (const std::uint32_t senders : {4U, 16U, 64U}) {
    PacketNetwork::Options options = htsim_star();
    FlowRun run(star(senders + 1, 100_Gbps, 1_us), options, in_cast(senders, 200_KB));
    run.completions();
    const NetworkTotals totals = run.network().totals();
    EXPECT_GT(totals.packets_trimmed, 0U) << senders;
    EXPECT_EQ(totals.timeouts, 0U) << senders;
    EXPECT_EQ(totals.buffer_drops, 0) << senders;
    EXPECT_EQ(totals.packets_retransmitted, totals.packets_trimmed) << senders;
  }
}

// A header that finds its own queue full is a real loss: only the time-out repairs it.
// MODEL.md 14.3
TEST(Trimming, HeadersThatOverflowTheirQueueAreDroppedAndCounted) {
  PacketNetwork::Options options = htsim_star();
  options.switches.classes[ClassId(1)].egress_limit = 128_B;
  FlowRun run(star(33, 100_Gbps, 1_us), options, in_cast(32, 200_KB));
  run.completions();
  const NetworkTotals totals = run.network().totals();
  EXPECT_GT(totals.buffer_drops, 0);
  EXPECT_GT(totals.timeouts, 0U);
  EXPECT_GT(totals.packets_trimmed, static_cast<std::uint64_t>(totals.buffer_drops) / 2);
}

// MODEL.md 14.1
TEST(Trimming, PacketsOfTransportsThatDoNotUseItAreDropped) {
  PacketNetwork::Options options = trimming_roce(29);
  roce_of(options).recovery = protocols::GoBackN{};
  FlowRun run(star(5, 100_Gbps, 1_us), options, in_cast(4, 200_KB));
  run.network().run_until(1_ms);
  EXPECT_EQ(run.network().totals().packets_trimmed, 0U);
  EXPECT_GT(run.network().totals().buffer_drops, 0);
}

TEST(Trimming, MarksAndTrimsInOneQueue) {
  PacketNetwork::Options options = htsim_star();
  FlowRun run(star(17, 100_Gbps, 1_us), options, in_cast(16, 500_KB));
  run.completions();
  EXPECT_GT(run.network().totals().ecn_marked, 0);
  EXPECT_GT(run.network().totals().packets_trimmed, 0U);
}

// MODEL.md 14.4
TEST(Trimming, SelectiveRepeatRepairsEveryTrimOnce) {
  PacketNetwork::Options options = trimming_roce(29);
  std::get<SelectiveRepeat>(roce_of(options).recovery).cap = std::nullopt;
  FlowRun run(star(9, 100_Gbps, 1_us), options, in_cast(8, 2_MB));
  run.completions();
  const NetworkTotals totals = run.network().totals();
  EXPECT_GT(totals.packets_trimmed, 100U);
  EXPECT_EQ(totals.timeouts, 0U);
  EXPECT_EQ(totals.packets_retransmitted, totals.packets_trimmed);
}

TEST(Trimming, GivesTheSameBitsWhateverTheCut) {
  std::vector<std::vector<Picoseconds>> times;
  for (const auto cut : {LpPlan::Cut::kOne, LpPlan::Cut::kFinest}) {
    PacketNetwork::Options options = htsim_star();
    options.cut = cut;
    FlowRun run(star(17, 100_Gbps, 1_us), options, in_cast(16, 300_KB));
    times.push_back(run.completions());
  }
  EXPECT_EQ(times[0], times[1]);
}

}  // namespace
}  // namespace weft::testing
