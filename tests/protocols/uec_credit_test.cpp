// RCCC under Ultra Ethernet (UE specification 1.0, 3.6.14) on the peer's star: 100 Gbps, 1 us per
// link, packets of 4,150 B, a base round trip of 9,348.48 ns, so that 1.5 bandwidth-delay products
// are 175,284 B. A pull is 16,384 B, and a port grants one per 16,384 B / (0.99 C) = 1,323.96 ns at
// 100 Gbps. The first packet is there after 2 x 332 ns + 2 us.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocols/congestion/nscc/nscc.hpp"
#include "protocols/congestion/rccc/rccc_context.hpp"
#include "tests/support/state_of.hpp"
#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::NetworkState;
using protocols::NetworkStateOf;
using protocols::PacketNetwork;
using protocols::congestion::Arrival;
using protocols::congestion::NoControlConfig;
using protocols::congestion::RcccConfig;
using protocols::congestion::RcccParameters;
using protocols::congestion::RcccPort;
using protocols::congestion::RcccSink;
using protocols::congestion::RcccSource;

/// The peer's star with credit of receivers; `is_both`: beside NSCC.
PacketNetwork::Options credit_star(bool is_both, const RcccConfig& config = {}) {
  PacketNetwork::Options options = htsim_star();
  RcccConfig credit = config;
  credit.base_rtt = 9'348'480_ps;
  uec_of(options).receiver_control = credit;
  if (!is_both) uec_of(options).congestion_control = NoControlConfig{};
  return options;
}

RcccSink& sink_of(PacketNetwork& network, std::uint32_t queue_pair) {
  NetworkState& s = NetworkStateOf::network(network);
  return s.uec.sink(s.uec.receiver(protocols::ReceiverId(queue_pair)).credit_slot);
}

// MODEL.md 15.12
TEST(UecOracle, R1_PullsOfAReceiverKeepTheirDistance) {
  for (const std::int64_t gigabits : {100, 400, 800}) {
    const auto rate = BitsPerSecond(gigabits * 1'000'000'000);
    PacketNetwork::Options options = credit_star(false);
    options.switches.data().egress_limit = 4_MB;
    options.switches.data().ecn.enabled = false;
    FlowRun run(star(3, rate, 1_us), options, in_cast(2, 4_MB));
    const Picoseconds first = 2 * transmission_time(4'150_B, rate) + 2_us;
    const double gap = 16'384 * 8 / (0.99 * static_cast<double>(gigabits)) * 1e3;
    EXPECT_NEAR(gap, 132'396'000.0 / static_cast<double>(gigabits), 40);
    const auto granted = [&] {
      return sink_of(run.network(), 0).total() + sink_of(run.network(), 1).total();
    };
    for (int pull = 1; pull < 60; ++pull) {
      const auto due = first + Picoseconds(static_cast<std::int64_t>(gap * pull));
      run.network().run_until(due - 1_ns);
      EXPECT_EQ(granted(), static_cast<std::uint32_t>(pull) * 16'384U) << gigabits;
      run.network().run_until(due + 1_ns);
      EXPECT_EQ(granted(), static_cast<std::uint32_t>(pull + 1) * 16'384U) << gigabits;
    }
  }
}

// What was sent unasked is gone after (N - 1) round trips, of which most is trimmed.
// MODEL.md 15.12
TEST(UecOracle, R2_SendersShareWhatAReceiverGrantsEqually) {
  for (const bool is_both : {false, true}) {
    for (const std::uint32_t n : {2U, 4U, 8U}) {
      FlowRun run(star(n + 1, 100_Gbps, 1_us), credit_star(is_both), in_cast(n, 20_MB));
      NetworkState& s = NetworkStateOf::network(run.network());
      std::vector<std::uint32_t> granted(n);
      std::vector<std::uint64_t> arrived(n);
      run.network().run_until(500_us);
      for (std::uint32_t i = 0; i < n; ++i) {
        granted[i] = sink_of(run.network(), i).total();
        arrived[i] = s.uec.receiver(protocols::ReceiverId(i)).bytes;
      }
      run.network().run_until(1500_us);
      std::int64_t sum = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        granted[i] = sink_of(run.network(), i).total() - granted[i];
        arrived[i] = s.uec.receiver(protocols::ReceiverId(i)).bytes - arrived[i];
        sum += granted[i];
        EXPECT_LE(sink_of(run.network(), i).ahead(), 0) << "no more than was asked for";
        const double share = 0.99 * 100e9 / 8 * 1e-3 / n;
        EXPECT_NEAR(static_cast<double>(arrived[i]), share, 0.01 * share + 16'384) << n;
      }
      const auto [low, high] = std::ranges::minmax_element(granted);
      EXPECT_LE(*high - *low, 16'384U) << n;
      EXPECT_NEAR(static_cast<double>(sum), 0.99 * 100e9 / 8 * 1e-3, 16'384.0) << n;
      EXPECT_TRUE(run.network().violated_invariants(false).empty());
    }
  }
}

// MODEL.md 15.13
TEST(UecOracle, R3_AShortMessageNeedsNoRoundTrip) {
  for (const Bytes size : {100_B, 4'086_B, 60_KB, 110_KB, Bytes(42 * 4'086)}) {
    PacketNetwork::Options plain = htsim_star();
    uec_of(plain).congestion_control = NoControlConfig{};
    const std::vector<Flow> flows{{HostId(0u), HostId(1u), size, 0_ps}};
    FlowRun without(star(2, 100_Gbps, 1_us), plain, flows);
    FlowRun with(star(2, 100_Gbps, 1_us), credit_star(false), flows);
    EXPECT_EQ(with.completions(), without.completions()) << size.count();
  }
}

// A sender that was idle has what its receiver granted in advance.
// MODEL.md 15.13
TEST(UecCredit, ALaterBurstStartsAtOnce) {
  PacketNetwork::Options plain = htsim_star();
  uec_of(plain).congestion_control = NoControlConfig{};
  const std::vector<Flow> flows{{HostId(0u), HostId(1u), 100_KB, 0_ps},
                                {HostId(0u), HostId(1u), 170_KB, 100_us}};
  FlowRun without(star(2, 100_Gbps, 1_us), plain, flows);
  FlowRun with(star(2, 100_Gbps, 1_us), credit_star(false), flows);
  EXPECT_EQ(with.completions(), without.completions());
  const RcccSink& sink = sink_of(with.network(), 1);
  EXPECT_GT(sink.ahead(), 0);
  EXPECT_LE(sink.ahead(), sink.max_idle().count());
}

// MODEL.md 15.13
TEST(UecCredit, ASenderWithoutCreditAsksByItself) {
  FlowRun run(star(2, 100_Gbps, 1_us), credit_star(false, {.speculative = 0}),
              {{HostId(0u), HostId(1u), 10'000_B, 0_ps}});
  FlowRun free(star(2, 100_Gbps, 1_us), credit_star(false),
               {{HostId(0u), HostId(1u), 10'000_B, 0_ps}});
  // A request of 64 B and its pull take 4 x 5.12 ns and 4 us.
  EXPECT_EQ(run.completions().front(), free.completions().front() + 4 * 5'120_ps + 4_us);
}

TEST(UecCredit, AReceiverThatNeverAnswersFailsTheContext) {
  PacketNetwork::Options options = credit_star(false, {.speculative = 0});
  uec_of(options).timeout = 100_us;
  uec_of(options).retries = 5;
  options.faults.push_back({.kind = protocols::Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = 0_ps,
                            .until = 1_s,
                            .errors = {1, LinkErrors::Unit::kFrames}});
  FlowRun run(star(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 10'000_B, 0_ps}});
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  ASSERT_EQ(run.network().failed_connections().size(), 1U);
  EXPECT_EQ(run.network().last_event(), 63 * 100_us);
}

// Requests, pulls and data are lost; every byte arrives and the laws hold (network_audit.cpp).
// MODEL.md 15.12
TEST(UecCredit, LostRequestsAndPullsAreMadeGood) {
  for (const bool is_both : {false, true}) {
    for (const std::uint32_t contexts : {1U, 3U}) {
      PacketNetwork::Options options = credit_star(is_both);
      uec_of(options).queue_pairs = contexts;
      const topologies::TopologySpec topology = star(9, 100_Gbps, 1_us);
      Fabric fabric = topologies::build_fabric(topology).value();
      for (Port& port : fabric.ports) port.errors = {1e-2, LinkErrors::Unit::kFrames};
      std::vector<Flow> flows = in_cast(8, 1_MB);
      for (std::uint32_t i = 0; i < 8; ++i) {
        flows.push_back({HostId(i), HostId(8u), 300_KB, 700_us});
        flows.push_back({HostId(i), HostId((i + 3) % 8), 777_KB, 3_us});
      }
      FlowRun run(fabric, topology, options, flows);
      run.completions();
      EXPECT_GT(run.network().totals().error_drops, 50);
      EXPECT_TRUE(run.network().failed_connections().empty());
    }
  }
}

// uet-htsim at 40ccb05, RCCC: 166.85 and 654.92 us.
TEST(UecOracle, E5_StarsOfCreditEndAsInThePeer) {
  const double peer[][2] = {{2, 166.85}, {8, 654.92}};
  for (const auto& [senders, microseconds] : peer) {
    const auto n = static_cast<std::uint32_t>(senders);
    FlowRun run(star(n + 1, 100_Gbps, 1_us), credit_star(false), in_cast(n, 1_MB));
    const std::vector<Picoseconds> times = run.completions();
    const double last = to_seconds(*std::ranges::max_element(times)) * 1e6;
    RecordProperty("us_" + std::to_string(n), std::to_string(last));
    EXPECT_NEAR(last, microseconds, 0.02 * microseconds) << n;
  }
}

// A host that sends to several shares its limit among them; in uet-htsim it shares what it wants,
// so that even a little is asked for bit by bit.
TEST(UecCredit, AHostAsksEachOfItsReceiversForAShare) {
  using Shared = RcccSource::Shared;
  RcccSource source;
  source.start({}, {.line_rate = 100_Gbps, .packet = 4'150_B, .base_rtt = 9'348'480_ps});
  source.on_answer();
  source.add_backlog(1_MB);
  const Bytes max_credit = source.max_credit();
  EXPECT_EQ(max_credit.count(), 175'284);
  const auto whole = [](std::int64_t bytes) { return (bytes + 255) / 256 * 256; };
  for (const Shared shared : {Shared::kLimit, Shared::kDemand}) {
    EXPECT_EQ(source.demand(max_credit, 1, shared), whole(175'284));
    EXPECT_EQ(source.demand(max_credit, 4, shared), whole(175'284 / 4));
    EXPECT_EQ(source.demand(50_KB, 1, shared), whole(50'000 + 4'150)) << "the window and a packet";
  }
  EXPECT_EQ(source.demand(max_credit, 1'000, Shared::kLimit), whole(4'150)) << "a packet at least";
  source.add_backlog(Bytes(20'000 - 1'000'000));
  EXPECT_EQ(source.demand(max_credit, 4, Shared::kLimit), whole(20'000));
  EXPECT_EQ(source.demand(max_credit, 4, Shared::kDemand), whole(20'000 / 4));
  source.add_backlog(1_MB);
  source.on_granted(16'384);
  EXPECT_EQ(source.demand(max_credit, 1, Shared::kLimit), 16'384 + whole(175'284 - 16'384));
}

// Each of eight hosts sends 400 KB to each of the others. Credit costs the grants of the first
// round trip, and the hundredth that grants leave free.
// MODEL.md 15.12
TEST(UecCredit, AnExchangeAmongAllTakesLittleLongerThanWithout) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 56; ++i) {
    flows.push_back({HostId(i / 7), HostId((i / 7 + 1 + i % 7) % 8), 400_KB, 0_ps});
  }
  const auto time_of = [&](PacketNetwork::Options options) {
    FlowRun run(star(8, 100_Gbps, 1_us), options, flows);
    const std::vector<Picoseconds> times = run.completions();
    return to_seconds(*std::ranges::max_element(times));
  };
  PacketNetwork::Options with = credit_star(false);
  uec_of(with).preset = protocols::UecConfig::Preset::kUec10;  // all else is that of uet-htsim
  PacketNetwork::Options without = htsim_star();
  EXPECT_LT(time_of(with), 1.1 * time_of(without));
}

// 3.6.13: credit settles the last hop; the peer lets quick adapt run.
// MODEL.md 15.14
TEST(UecCredit, ATrimAtTheLastHopLeavesTheWindowAlone) {
  using protocols::congestion::Nscc;
  using protocols::congestion::NsccConfig;
  for (const auto preset : {NsccConfig::Preset::kUec10, NsccConfig::Preset::kHtsim}) {
    const protocols::congestion::NsccParameters p(NsccConfig::from_preset(preset));
    for (const bool is_settled : {true, false}) {
      Nscc nscc;
      nscc.start(p, {.line_rate = 100_Gbps,
                     .packet = 4'150_B,
                     .payload = 4'086_B,
                     .base_rtt = 12_us,
                     .trims = true});
      nscc.on_packet(p, 200_KB, 1_ms);
      const Bytes before = nscc.window();
      nscc.on_nack(p, 4'150_B, false, 1'001_us, is_settled);
      EXPECT_EQ(before - nscc.window(), is_settled ? 0_B : 4'150_B);
      EXPECT_EQ(nscc.in_flight(), Bytes(200'000 - 4'150));
      nscc.on_nack(p, 4'150_B, false, 1'040_us, is_settled);
      const bool acts = preset == NsccConfig::Preset::kHtsim || !is_settled;
      EXPECT_EQ(nscc.window() < before - 50_KB, acts) << "quick adapt";
    }
  }
}

// oversubscribed_cc.cpp: the pace loses the share of trims before the last hop.
TEST(UecCredit, TrimsOnThePathSlowThePort) {
  const RcccParameters p({.adapts_to_marks = true});
  const RandomStream random(1, Purpose::kGrantPeriod, 0);
  for (const Arrival arrival : {Arrival::kTrimmed, Arrival::kTrimmedLastHop}) {
    RcccPort port;
    for (int i = 0; i < 10; ++i) {
      port.on_credit_request(p, i < 2 ? arrival : Arrival::kWhole, 0_ps, random);
    }
    port.gap(p, 16'384_B, 100_Gbps, 23_us, random);
    EXPECT_NEAR(port.share_of_pace().to_double(), arrival == Arrival::kTrimmed ? 0.8 : 1, 1e-6);
  }
}

}  // namespace
}  // namespace weft::testing
