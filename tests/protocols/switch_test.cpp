// Marking, pausing and priorities of the switch.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;
using protocols::PortCounters;

PortId to_host(FlowRun& run, std::uint32_t host) {
  return run.fabric().port(run.fabric().host(HostId(host)).first_port).peer;
}

// MODEL.md 3.2
TEST(Red, MarksTheExpectedShareOfARisingAndFallingQueue) {
  // Two senders of P packets share a link: the queue at the k-th departure is k packets while they
  // send and 2P - k afterwards. Expected marks: the sum of RED's probabilities, here between Kmin =
  // 50 and Kmax = 250 packets with Pmax 0.2, and 1 above. Five standard deviations of the binomial
  // sum, and one packet either way on the queue (0.2/200 per packet).
  PacketNetwork::Options options = plain_options();
  constexpr std::int64_t kSize = 4178;
  options.switches.data().ecn = {
      .enabled = true, .kmin = Bytes(50 * kSize), .kmax = Bytes(250 * kSize), .pmax = 0.2};
  options.switches.data().flow_control = protocols::NoFlowControl{};
  constexpr int kPackets = 400;
  double expected = 0;
  double variance = 0;
  for (int k = 1; k <= 2 * kPackets; ++k) {
    const int queue = std::min(k, 2 * kPackets - k);
    const double p = queue <= 50 ? 0 : queue <= 250 ? 0.2 * (queue - 50) / 200.0 : 1;
    expected += p;
    variance += p * (1 - p);
  }
  FlowRun run(star(3, 100_Gbps, 1_us), options,
              {{HostId(1u), HostId(0u), kPackets * 4096_B, 0_ps},
               {HostId(2u), HostId(0u), kPackets * 4096_B, 0_ps}});
  run.completions();
  const auto marks = static_cast<double>(run.network().port_counters(to_host(run, 0)).ecn_marked);
  EXPECT_NEAR(marks, expected, 5 * std::sqrt(variance) + 2 * kPackets * 0.001 + 2);
  EXPECT_EQ(run.network().totals().ecn_marked, static_cast<std::int64_t>(marks));
}

TEST(Red, MarkingAtEnqueueSeesTheSameQueueOnePacketTimeEarlier) {
  // Two senders of 400 packets each share a link, and a packet is marked where at least 25 others
  // wait. Pair k arrives with slot k of the link; in it, one packet leaves before and two come.
  // From slot 2 on, a packet leaves k - 2 behind (800 - k once all have come), and those that come
  // find k - 2 and k - 1. So both ways mark 749: at dequeue slots 27 to 775, at enqueue one of slot
  // 26 and two of each from 27 to 400.
  constexpr std::int64_t kSize = 4178;
  constexpr Picoseconds kSlot(334'240);
  constexpr Picoseconds kFirst = kSlot + 1_us;
  PacketNetwork::Options options = plain_options();
  options.switches.data().flow_control = protocols::NoFlowControl{};
  const auto expect_marks = [&](protocols::EcnConfig::Mark where, std::int64_t first,
                                std::int64_t last, std::int64_t in_last) {
    options.switches.data().ecn = {.enabled = true,
                                   .kmin = Bytes(25 * kSize - 1),
                                   .kmax = Bytes(25 * kSize - 1),
                                   .pmax = 1.0,
                                   .mark = where};
    FlowRun run(star(3, 100_Gbps, 1_us), options,
                {{HostId(1u), HostId(0u), 400 * 4096_B, 0_ps},
                 {HostId(2u), HostId(0u), 400 * 4096_B, 0_ps}});
    const auto marks_before = [&](std::int64_t slot) {
      run.network().run_until(kFirst + (slot - 1) * kSlot);
      return run.network().totals().ecn_marked;
    };
    EXPECT_EQ(marks_before(first), 0);
    EXPECT_EQ(marks_before(first + 1), 1);
    EXPECT_EQ(marks_before(last), 749 - in_last);
    EXPECT_EQ(marks_before(last + 1), 749);
    run.completions();
    EXPECT_EQ(run.network().totals().ecn_marked, 749);
  };
  expect_marks(protocols::EcnConfig::Mark::kDequeue, 27, 775, 1);
  expect_marks(protocols::EcnConfig::Mark::kEnqueue, 26, 400, 2);
}

// MODEL.md 3.1
TEST(Red, MarksAboveKmaxAndNotAtIt) {
  // The same queue, Kmin at 24 packets, Kmax at 30 and Pmax 0: all packets that leave more than 30
  // behind. Slot k leaves k - 2 and 800 - k behind: slots 33 to 769.
  constexpr std::int64_t kSize = 4178;
  PacketNetwork::Options options = plain_options();
  options.switches.data().flow_control = protocols::NoFlowControl{};
  options.switches.data().ecn = {
      .enabled = true, .kmin = Bytes(24 * kSize), .kmax = Bytes(30 * kSize), .pmax = 0};
  FlowRun run(
      star(3, 100_Gbps, 1_us), options,
      {{HostId(1u), HostId(0u), 400 * 4096_B, 0_ps}, {HostId(2u), HostId(0u), 400 * 4096_B, 0_ps}});
  run.completions();
  EXPECT_EQ(run.network().totals().ecn_marked, 737);
}

// MODEL.md 2.3
TEST(Pfc, AnEgressThatRefusesPausesNobody) {
  // Host 1 is paused, so that its egress fills up to 0.02 / 1.02 of 16 MB, 313.7 KB or 75 packets,
  // and drops what comes then. The ingress account of host 0 stays below XOFF of 1 MB: in switches
  // ingress and egress accounts are separate (sonic-net/sonic-buildimage#27606: drops below the PFC
  // threshold, and "ingress port didn't tx any pause frame").
  PacketNetwork::Options options = plain_options();
  options.switches.buffer = 16_MB;
  auto& pfc = options.switches.data().pfc();
  pfc.xoff = 1_MB;
  pfc.xon = 900_KB;
  options.switches.data().egress_alpha = 0.02;
  options.faults.push_back(
      {.kind = protocols::Fault::Kind::kNicPause, .port = PortId(1u), .until = 500_us});
  roce_of(options).retransmit_timeout = 1_ms;
  FlowRun run(star(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 2_MB, 0_ps}});
  run.completions();
  EXPECT_GT(run.network().totals().buffer_drops, 300);
  const PortId sender = run.fabric().host(HostId(0u)).first_port;
  EXPECT_EQ(run.network().port_counters(sender).pauses_received, 0);
}

// MODEL.md 2.5
TEST(Pfc, APauseIsRefreshedForAsLongAsItIsNeeded) {
  // 245 packets at 100 Gbps (tp = 334.24 ns) into 1 Gbps (33.424 us). 24 packets cross XOFF; until
  // the pause of 6.72 ns is back over 1 us, 7 more have begun (7 tp < tp + 2 us + 6.72 ns), so the
  // buffer holds 31 and never more. XON lies below 9 of them: 22 leave, for 735.3 us, while a pause
  // lasts 335.5 us and is refreshed after half of that: five frames each time. Ten such times bring
  // 31 + 9 x 22 packets. In the eleventh, the last full packet is the 24th, and 15 leave: three
  // frames.
  topologies::CustomSpec fabric = std::get<topologies::CustomSpec>(star(2, 100_Gbps, 1_us));
  fabric.links[0].link.rate = 1_Gbps;
  PacketNetwork::Options options = plain_options();
  options.switches.data().pfc().xoff = 100_KB;
  options.switches.data().pfc().xon = 40_KB;
  options.switches.pause.response = 0_ps;
  FlowRun run(fabric, options, {{HostId(1u), HostId(0u), 1_MB, 0_ps}});
  run.completions();
  EXPECT_EQ(run.network().buffer_peak(SwitchId(0u)), 31 * 4178_B);
  const PortCounters sender = run.network().port_counters(run.fabric().host(HostId(1u)).first_port);
  EXPECT_EQ(sender.pauses_received, 10 * 5 + 3);
  // From XON on its way to XOFF there: 2 ways, 15 packets, one more way (the first time: 23
  // packets, from the first arrival on).
  constexpr std::int64_t kPacket = 334'240;
  constexpr std::int64_t kWay = 1'000'000 + 6'720;
  constexpr std::int64_t kLeaves = 33'424'000;
  const std::int64_t first = 22 * kLeaves - 23 * kPacket;
  const std::int64_t later = 22 * kLeaves - (15 * kPacket + kWay + 1'000'000);
  const std::int64_t last = 15 * kLeaves - (15 * kPacket + kWay + 1'000'000);
  EXPECT_EQ(sender.paused_time, Picoseconds(first + 9 * later + last));
}

TEST(Pfc, WithoutAnyHeadroomItStillPauses) {
  // Nothing fits beyond XOFF, so what comes until the pause acts is lost; but the sender is paused,
  // and go-back-N brings the message through.
  PacketNetwork::Options options = plain_options();
  auto& pfc = options.switches.data().pfc();
  pfc.xoff = 100_KB;
  pfc.xon = 80_KB;
  pfc.headroom = protocols::PfcConfig::Headroom::kGiven;
  pfc.headroom_bytes = 0_B;
  std::get<protocols::RoceConfig>(options.transport).retransmit_timeout = 100_us;
  FlowRun run(star(3, 100_Gbps, 200_ns), options,
              {{HostId(1u), HostId(0u), 2_MB, 0_ps}, {HostId(2u), HostId(0u), 2_MB, 0_ps}});
  run.completions();
  EXPECT_GT(run.network().totals().pauses, 5);
  for (const std::uint32_t sender : {1U, 2U}) {
    const PortId port = run.fabric().host(HostId(sender)).first_port;
    EXPECT_GT(run.network().port_counters(port).pauses_received, 0);
  }
  const std::int64_t drops = run.network().totals().buffer_drops;
  EXPECT_GT(drops, 5);
  EXPECT_GE(static_cast<std::int64_t>(run.network().totals().packets_retransmitted), drops);
  // Besides, the ACKs of host 0 to the two.
  EXPECT_LE(run.network().buffer_peak(SwitchId(0u)), Bytes(200'000 + 2 * 86));
}

// MODEL.md 1.1
TEST(Pfc, PauseFramesDelayTheDataOfTheReversePath) {
  // Hosts 1 and 2 are paused while they send to host 0, and host 3 sends to host 1 at line rate.
  // The link to host 1 has no slack, so each frame to it, a pause or its end, delays that data by
  // its 64 B
  // + 20 B: 6.72 ns at 100 Gbps. Pauses that take no wire time delay nothing, and the bytes are the
  // same. There may be one pause less of those that take time: they come later, more is underway
  // until then, and each lasts longer.
  PacketNetwork::Options options = plain_options();
  options.switches.data().pfc().xoff = 80_KB;
  options.switches.data().pfc().xon = 75_KB;
  struct Outcome {
    Picoseconds reverse;
    std::int64_t pauses = 0;  ///< of host 1
    std::int64_t bytes = 0;   ///< of data and ACKs to host 1
  };
  const auto run_with = [&](Bytes frame) {
    options.switches.pause.frame = frame;
    FlowRun run(star(4, 100_Gbps, 1_us), options,
                {{HostId(1u), HostId(0u), 2_MB, 0_ps},
                 {HostId(2u), HostId(0u), 2_MB, 0_ps},
                 {HostId(3u), HostId(1u), 6_MB, 0_ps}});
    const Picoseconds reverse = run.completions()[2];
    EXPECT_EQ(run.network().port_counters(run.fabric().host(HostId(3u)).first_port).pauses_received,
              0);
    return Outcome{
        reverse,
        run.network().port_counters(run.fabric().host(HostId(1u)).first_port).pauses_received,
        run.network().port_counters(to_host(run, 1)).bytes.count()};
  };
  const Outcome free = run_with(0_B);
  const Outcome real = run_with(64_B);
  EXPECT_GT(real.pauses, 10);
  EXPECT_NEAR(static_cast<double>(real.pauses), static_cast<double>(free.pauses), 1);
  EXPECT_EQ(real.bytes, free.bytes);
  EXPECT_EQ(real.reverse - free.reverse, 2 * real.pauses * 6'720_ps);
}

// MODEL.md 1.2
TEST(Priorities, TheHigherOfTwoStrictClassesGoesFirst) {
  // Two senders of 250 packets to host 0, one in each of two strict classes, on the path without
  // cells, weights and partitions. The higher one waits for one packet at most, the lower one for
  // all of the higher one.
  PacketNetwork::Options options = plain_options();
  protocols::TrafficClass strict = options.switches.data();
  strict.scheduling = protocols::TrafficClass::Scheduling::kStrict;
  options.switches.classes.clear();
  for (const char* name : {"low", "high"}) {
    strict.name = name;
    options.switches.classes.push_back(strict);
  }
  for (const std::uint32_t high : {1U, 2U}) {
    std::vector<Flow> flows;
    for (const std::uint32_t host : {1U, 2U}) {
      flows.push_back(
          {HostId(host), HostId(0u), 250 * 4096_B, 0_ps, ClassId(host == high ? 1U : 0U)});
    }
    FlowRun run(star(3, 100_Gbps, 1_us), options, flows);
    const std::vector<Picoseconds> times = run.completions();
    constexpr Picoseconds kPacket(334'240);
    const Picoseconds alone = 251 * kPacket + 4_us + 2 * 6'880_ps;
    EXPECT_LE(times[high - 1], alone + kPacket);
    EXPECT_GE(times[2 - high], alone + 249 * kPacket);
  }
}

TEST(Priorities, ControlPacketsPassAPausedQueue) {
  // Four senders to host 0 pause host 1's uplink for tens of microseconds at a time. Packets from
  // host 5 to host 1 cross idle links, but their ACKs leave through that uplink. In the control
  // class an ACK waits for at most the data packet in transmission: 2 (tp + 1 us) + 2 (ta + 1 us) +
  // tp with tp = 334.24 ns and ta = 6.88 ns. In the data class it waits for the pause to end.
  const auto slowest_probe = [](const char* ack_class) {
    PacketNetwork::Options options = plain_options();
    std::get<protocols::RoceConfig>(options.transport).ack_class = ack_class;
    options.switches.data().pfc().xoff = 200_KB;
    options.switches.data().pfc().xon = 100_KB;
    std::vector<Flow> flows;
    for (std::uint32_t i = 1; i <= 4; ++i) flows.push_back({HostId(i), HostId(0u), 2_MB, 0_ps});
    for (std::int64_t k = 0; k < 20; ++k) {
      flows.push_back({HostId(5u), HostId(1u), 4096_B, 50_us + k * 7_us});
    }
    FlowRun run(star(6, 100_Gbps, 1_us), options, flows);
    const std::vector<Picoseconds> times = run.completions();
    return *std::max_element(times.begin() + 4, times.end());
  };
  EXPECT_LE(slowest_probe("control"), Picoseconds(4'000'000 + 1'016'480));
  EXPECT_GT(slowest_probe("data"), 10_us);
}

}  // namespace
}  // namespace weft::testing
