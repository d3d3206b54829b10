// RCCC: who may send, what is asked for and granted, and how grants that are lost are repaired.

#include "protocols/congestion/rccc/rccc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/flow_runner.hpp"

namespace weft::protocols::congestion {
namespace {

constexpr Bytes kPacket = 4'000_B;

/// A sender at 100 Gbps with a round trip of 8 us: 100 kB on the idle path, 150 kB unasked.
struct RcccSender {
  explicit RcccSender(const RcccConfig& config = {}) : p(config) {
    s.start(p, {.line_rate = 100_Gbps, .packet = kPacket, .base_rtt = 8_us});
  }
  /// The next packet; what it tells the receiver.
  CreditRequest send(Bytes backlog) {
    const CreditRequest request = s.request(p, kPacket, backlog);
    s.on_sent(p, kPacket, 0_ps);
    return request;
  }

  RcccParameters p;
  Rccc s;
};

TEST(Rccc, SendsOneAndAHalfIdlePathsUnasked) {
  RcccSender sender;
  int packets = 0;
  for (; sender.s.may_send(); ++packets) sender.send(10_MB);
  EXPECT_EQ(packets, 38) << "150 kB, of which the last packet overdraws";
  EXPECT_EQ(sender.s.credit(), Bytes(-2'000));
}

TEST(Rccc, AsksForWhatItHasUsedAndNoMoreThanIsLeft) {
  RcccSender sender;
  EXPECT_EQ(sender.send(10_MB).total, 4'000u);
  EXPECT_EQ(sender.send(10_MB).total, 8'000u);
  RcccSender little;
  EXPECT_EQ(little.send(100'000_B).total, 0u) << "it has 146 kB left";
  EXPECT_EQ(little.send(200'000_B).total, 8'000u);
}

TEST(Rccc, NeverAsksForMoreThanItsLimit) {
  RcccSender sender;
  std::uint32_t total = 0;
  while (sender.s.may_send()) total = sender.send(10_MB).total;
  EXPECT_EQ(total, 152'000u) << "150 kB and what is overdrawn";
}

TEST(Rccc, GrantsAreRunningTotals) {
  RcccSender sender;
  while (sender.s.may_send()) sender.send(10_MB);
  sender.s.on_granted(sender.p, 32'768);  // of two grants, the first of which was lost
  EXPECT_EQ(sender.s.credit(), 30'768_B);
  sender.s.on_granted(sender.p, 16'384);  // overtaken
  EXPECT_EQ(sender.s.credit(), 30'768_B);
}

TEST(Rccc, OnePacketMayGoToAskWhereTheReceiverKnowsOfNoWish) {
  RcccSender sender;
  while (sender.s.credit() > 0_B) sender.send(0_B);
  ASSERT_TRUE(sender.s.may_send()) << "a message was posted since";
  const CreditRequest request = sender.send(1_MB);
  EXPECT_EQ(request.total, 156'000u);
  EXPECT_FALSE(sender.s.may_send());
}

TEST(Rccc, AfterALossItMayAskAgainAndSaysSo) {
  RcccSender sender;
  while (sender.s.may_send()) EXPECT_FALSE(sender.send(10_MB).repeats);
  sender.s.on_loss(sender.p, LossSignal::kTimeout, 1_ms);
  ASSERT_TRUE(sender.s.may_send());
  EXPECT_TRUE(sender.send(10_MB).repeats);
  EXPECT_FALSE(sender.s.may_send()) << "one packet";
}

TEST(Rccc, TheReceiverGrantsQuantaUpToWhatIsWanted) {
  const RcccParameters p{RcccConfig()};
  RcccReceiver receiver;
  EXPECT_TRUE(receiver.on_request(p, {.total = 20'000}));
  EXPECT_TRUE(receiver.on_request(p, {.total = 8'000})) << "an older packet takes nothing back";
  EXPECT_EQ(receiver.grant(p), 16'384_B);
  EXPECT_EQ(receiver.grant(p), 3'616_B);
  EXPECT_FALSE(receiver.wants());
  EXPECT_FALSE(receiver.on_request(p, {.total = 20'000}));
  EXPECT_TRUE(receiver.on_request(p, {.total = 20'000, .repeats = true}));
  EXPECT_EQ(receiver.grant(p), 0_B) << "it says the total again";
  EXPECT_EQ(receiver.total(), 20'000u);
  EXPECT_FALSE(receiver.wants());
}

TEST(Rccc, TotalsWrap) {
  const RcccParameters p{RcccConfig{.quantum = 16_MiB}};
  RcccReceiver receiver;
  std::uint32_t wanted = 0;
  std::int64_t granted = 0;
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(receiver.on_request(p, {.total = wanted += 16 << 20}));
    granted += receiver.grant(p).count();
    ASSERT_FALSE(receiver.wants());
  }
  EXPECT_EQ(granted, std::int64_t{1'000} << 24);
}

TEST(Rccc, AQuantumEvery1324NsAt100GbpsAndEvery331NsAt400) {
  // 16,384 B take 1.31072 us at 100 Gbps; at 0.99 of it 1.32396 us.
  const RcccParameters p{RcccConfig()};
  const RandomStream random(1, Purpose::kGrantPeriod, 0);
  RcccPort port;
  EXPECT_NEAR(to_seconds(port.gap(p, p.quantum, 100_Gbps, 0_ps, random)) * 1e6, 1.323960, 2e-6);
  EXPECT_NEAR(to_seconds(port.gap(p, p.quantum, 400_Gbps, 0_ps, random)) * 1e6, 0.330990, 2e-6);
}

/// A port that hears of 100 packets per 18 us, of which a share is marked.
class MarkedPort {
 public:
  explicit MarkedPort(const RcccConfig& config) : p_(config) {}
  double after(int periods, int marked_of_100) {
    for (int i = 0; i < 100 * periods; ++i) {
      using protocols::congestion::Arrival;
      const Arrival arrival = i % 100 < marked_of_100 ? Arrival::kMarked : Arrival::kWhole;
      port_.on_credit_request(p_, arrival, now_, random_);
      now_ += 180_ns;
    }
    return port_.share_of_pace().to_double();
  }
  /// Nothing comes for a while.
  double after_silence(Picoseconds time) {
    now_ += time;
    return after(1, 0);
  }

 private:
  RcccParameters p_;
  RandomStream random_{1, Purpose::kGrantPeriod, 0};
  RcccPort port_;
  Picoseconds now_;
};

TEST(Rccc, AMarkedPortGrantsLessAndAnUnmarkedOneMore) {
  // Every period with all packets marked takes away half of the 0.7 beyond the target, once the
  // share has come near 1; without marks the increases double: 0.01, 0.02, 0.04 ...
  MarkedPort port({.adapts_to_marks = true});
  EXPECT_EQ(port.after(20, 0), 1);
  EXPECT_LT(port.after(3, 100), 0.7);
  EXPECT_LT(port.after(20, 100), 0.02);
  EXPECT_EQ(port.after(20, 0), 1);
}

TEST(Rccc, APortHoldsItsShareOfMarksNearTheTarget) {
  MarkedPort port({.adapts_to_marks = true});
  EXPECT_EQ(port.after(50, 25), 1) << "below the target of 0.3 nothing is taken away";
  // 1 - (0.4 - 0.3) / 2 = 0.95 per period, 0.95^50 = 0.077. Periods are drawn, and so are their
  // number and the packets of each, and the share takes a few periods to come from 0.25 to 0.4.
  EXPECT_NEAR(port.after(50, 40), 0.077, 0.03);
}

TEST(Rccc, ThePaceDoesNotFallBelowItsFloor) {
  MarkedPort port({.adapts_to_marks = true, .floor = 0.225});
  EXPECT_NEAR(port.after(100, 100), 0.225, 1e-6);
  EXPECT_EQ(port.after_silence(1_s), 1) << "in silence it comes back";
}

// A billion of its periods pass in silence, of which some thousands do something.
TEST(Rccc, APortWithTheShortestPeriodAndTheLeastIncreaseIsSoonAtRest) {
  MarkedPort port({.adapts_to_marks = true, .period = 1_ns, .increase = 1e-300});
  port.after(2, 100);
  EXPECT_EQ(port.after_silence(1_s), 1);
}

}  // namespace
}  // namespace weft::protocols::congestion

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::PacketNetwork;
using protocols::RoceConfig;
using protocols::congestion::RcccConfig;

constexpr Picoseconds kLinkDelay = 1_us;

PacketNetwork::Options rccc_options(const RcccConfig& config = {}) {
  PacketNetwork::Options options = plain_options();
  roce_of(options).congestion_control = config;
  roce_of(options).retransmit_timeout = 100_us;
  options.switches.buffer = 64_MB;
  options.switches.data().flow_control = protocols::NoFlowControl{};
  return options;
}

std::vector<Flow> granted_in_cast(std::uint32_t senders, Bytes size) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= senders; ++i) flows.push_back({HostId(i), HostId(0u), size, 0_ps});
  return flows;
}

Picoseconds last_of(const std::vector<Picoseconds>& times) {
  return *std::ranges::max_element(times);
}

TEST(RcccNetwork, ALoneMessageIsAsFastAsWithoutControl) {
  for (const Bytes size : {1_B, 100'000_B, 2_MB}) {
    FlowRun rccc(star(2, 100_Gbps, kLinkDelay), rccc_options(),
                 {{HostId(1u), HostId(0u), size, 0_ps}});
    FlowRun none(star(2, 100_Gbps, kLinkDelay), plain_options(),
                 {{HostId(1u), HostId(0u), size, 0_ps}});
    EXPECT_NEAR(to_seconds(rccc.completions()[0] - none.completions()[0]), 0, 30e-9)
        << "a grant goes before the last ACK at most";
    EXPECT_EQ(rccc.messages()[0].delivered, none.messages()[0].delivered) << size.count();
  }
}

TEST(RcccNetwork, ALongMessageComesAtThePaceOfGrants) {
  // What was sent unasked lasts until a hundredth of the line has used it up; from then on 0.99.
  FlowRun run(star(2, 100_Gbps, kLinkDelay), rccc_options(),
              {{HostId(1u), HostId(0u), 200_MB, 0_ps}});
  const double wire = 200e6 / 4'096 * 4'178 * 8 / 100e9;
  EXPECT_NEAR(to_seconds(run.completions()[0]), wire / 0.99, 0.001 * wire);
}

TEST(RcccNetwork, WithoutAnythingUnaskedTheFirstPacketAsks) {
  // One packet, a round trip for the first grant, and then as ever.
  FlowRun run(star(2, 100_Gbps, kLinkDelay), rccc_options({.speculative = 0}),
              {{HostId(1u), HostId(0u), 1_MB, 0_ps}});
  FlowRun none(star(2, 100_Gbps, kLinkDelay), plain_options(),
               {{HostId(1u), HostId(0u), 1_MB, 0_ps}});
  const double more = to_seconds(run.completions()[0] - none.completions()[0]);
  EXPECT_GT(more, 4e-6);
  EXPECT_LT(more, 8e-6);
}

/// Of all frames to the first sender of an in-cast this share is corrupted for a while.
Fault corrupted_responses(const auto& topology, double share, Picoseconds at, Picoseconds until) {
  const Fabric fabric = topologies::build_fabric(topology).value();
  return {.kind = Fault::Kind::kLinkErrors,
          .port = fabric.port(fabric.host(HostId(1u)).first_port).peer,
          .at = at,
          .until = until,
          .errors = {share, LinkErrors::Unit::kFrames}};
}

// MODEL.md 10.4
TEST(RcccNetwork, LostGrantsAreRepaired) {
  // From 10 to 60 us half of all frames to the first sender are corrupted: grants and ACKs.
  for (const bool selective : {false, true}) {
    PacketNetwork::Options options = rccc_options();
    if (selective) roce_of(options).recovery = protocols::SelectiveRepeat{};
    const auto topology = star(5, 100_Gbps, kLinkDelay);
    options.faults.push_back(corrupted_responses(topology, 0.5, 10_us, 60_us));
    FlowRun run(topology, options, granted_in_cast(4, 1_MB));
    EXPECT_LT(last_of(run.completions()), 1_ms);
    EXPECT_GT(run.network().totals().error_drops, 5);
  }
}

TEST(RcccNetwork, ASenderWhoseLastGrantWasLostAsksAgain) {
  // All frames to the sender are corrupted for longer than all that it was granted lasts, but for
  // what its retransmissions bring.
  PacketNetwork::Options options = rccc_options();
  const auto topology = star(3, 100_Gbps, kLinkDelay);
  options.faults.push_back(corrupted_responses(topology, 1, 20_us, 250_us));
  FlowRun run(topology, options, granted_in_cast(2, 2_MB));
  EXPECT_LT(last_of(run.completions()), 1_ms);
}

TEST(RcccNetwork, TwoReceiversOfOneSenderShareItsLink) {
  // Each grants at 0.99 of its line; the sender has at most its limit of each, and they take turns.
  const Bytes size = 5_MB;
  FlowRun run(star(3, 100_Gbps, kLinkDelay), rccc_options(),
              {{HostId(0u), HostId(1u), size, 0_ps}, {HostId(0u), HostId(2u), size, 0_ps}});
  const std::vector<Picoseconds> times = run.completions();
  const double wire = 2 * 5e6 / 4'096 * 4'178 * 8 / 100e9;
  EXPECT_NEAR(to_seconds(last_of(times)), wire, 0.01 * wire);
  EXPECT_NEAR(to_seconds(times[0]), to_seconds(times[1]), 0.01 * wire);
}

TEST(RcccNetwork, MessagesOnFreshQueuePairsBeginWithWhatIsUnasked) {
  PacketNetwork::Options options = rccc_options();
  roce_of(options).queue_pair_life = protocols::QueuePairLife::kMessage;
  FlowRun run(star(9, 100_Gbps, kLinkDelay), options, granted_in_cast(8, 1_MB));
  EXPECT_LT(last_of(run.completions()), 750_us);
}

TEST(RcccNetwork, WhatBuffersDropIsSentAgainByCredit) {
  // 100 kB of buffer, and 8 senders that send twice that unasked.
  for (const int signal : {0, 1, 2}) {
    PacketNetwork::Options options = rccc_options();
    options.switches.buffer = 100_KB;
    if (signal == 1) roce_of(options).receiver = RoceConfig::Receiver::kAnyOrder;
    if (signal == 2) roce_of(options).recovery = protocols::SelectiveRepeat{};
    FlowRun run(star(9, 100_Gbps, kLinkDelay), options, granted_in_cast(8, 1_MB));
    EXPECT_LT(last_of(run.completions()), 5_ms) << signal;
    EXPECT_GT(run.network().totals().buffer_drops, 10) << signal;
  }
}

TEST(RcccNetwork, BothPortsOfAHostGrantForWhatComesByThemInTurn) {
  topologies::CustomSpec spec;
  spec.nodes = {{.name = "h0"},
                {.name = "h1"},
                {.name = "s0", .is_switch = true},
                {.name = "s1", .is_switch = true}};
  for (const char* const host : {"h0", "h1"}) {
    for (const char* const at : {"s0", "s1"}) {
      spec.links.push_back({.from = host, .to = at, .link = {100_Gbps, kLinkDelay}});
    }
  }
  PacketNetwork::Options options = rccc_options();
  roce_of(options).receiver = RoceConfig::Receiver::kAnyOrder;
  options.switches.load_balancing = protocols::LoadBalancing::kRoundRobin;
  const auto time_with = [&](const protocols::congestion::ControlConfig& control) {
    roce_of(options).congestion_control = control;
    FlowRun run(spec, options, {{HostId(0u), HostId(1u), 200_MB, 0_ps}});
    return to_seconds(run.completions()[0]);
  };
  const double both = 200e6 / 4'096 * 4'178 * 8 / 200e9;
  EXPECT_NEAR(time_with(protocols::congestion::NoControlConfig{}), both, 0.005 * both);
  EXPECT_NEAR(time_with(RcccConfig{}), both / 0.99, 0.005 * both);
}

TEST(RcccNetwork, PortsThatAdaptEmptyTheQueuesOfASlowCore) {
  // Four senders behind a link of 100 Gbps and a receiver each at 100: four times what it carries.
  // Without adapting, receivers grant four times as much as passes, and up to the limit of each
  // sender waits; with it, granted rates come down to what passes.
  const auto peak_wait = [](bool adapts) {
    topologies::CustomSpec spec;
    spec.nodes = {{.name = "a", .is_switch = true}, {.name = "b", .is_switch = true}};
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::string name = "h" + std::to_string(i);
      spec.nodes.push_back({.name = name});
      spec.links.push_back({.from = name, .to = i < 4 ? "a" : "b", .link = {100_Gbps, 1_us}});
      if (i < 4) flows.push_back({HostId(i), HostId(i + 4), 10_MB, 0_ps});
    }
    spec.links.push_back({.from = "a", .to = "b", .link = {100_Gbps, 1_us}});
    PacketNetwork::Options options =
        rccc_options({.adapts_to_marks = adapts, .period = 12_us, .floor = 0.225});
    options.switches.data().ecn = {
        .enabled = true, .curve = protocols::EcnConfig::Curve::kStep, .kmin = 50_KB, .kmax = 50_KB};
    FlowRun run(spec, options, flows);
    EXPECT_LT(last_of(run.completions()), 4'000_us);
    return run.network().packet_latency().mean() * 1e-6;
  };
  const double fixed = peak_wait(false);
  const double adapting = peak_wait(true);
  EXPECT_GT(fixed, 20) << "microseconds";
  EXPECT_LT(adapting, 0.6 * fixed);
}

}  // namespace
}  // namespace weft::testing
