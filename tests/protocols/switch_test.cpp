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
  const auto marks = [](protocols::EcnConfig::Mark where) {
    PacketNetwork::Options options = plain_options();
    options.switches.data().flow_control = protocols::NoFlowControl{};
    options.switches.data().ecn = {
        .enabled = true, .kmin = 100_KB, .kmax = 101_KB, .pmax = 1.0, .mark = where};
    FlowRun run(star(3, 100_Gbps, 1_us), options,
                {{HostId(1u), HostId(0u), 400 * 4096_B, 0_ps},
                 {HostId(2u), HostId(0u), 400 * 4096_B, 0_ps}});
    run.completions();
    return run.network().totals().ecn_marked;
  };
  // A step at 24 packets. At dequeue, packets that leave while more than 24 wait are marked: all
  // but about 24 at each end of 800. At enqueue, those that find more than 24: packets arrive in
  // pairs while the queue grows, so all but the first 48.
  EXPECT_NEAR(static_cast<double>(marks(protocols::EcnConfig::Mark::kDequeue)), 752, 4);
  EXPECT_NEAR(static_cast<double>(marks(protocols::EcnConfig::Mark::kEnqueue)), 752, 4);
}

TEST(Pfc, APauseIsRefreshedForAsLongAsItIsNeeded) {
  // 100 Gbps into 1 Gbps: between XOFF and XON lie 60 KB, 480 us of draining, while a pause lasts
  // 65,535 quanta = 335.5 us. Without refreshes the sender would send again in between, and the
  // buffer would exceed XOFF + what arrives in the loop (2 us + a frame: 37 KB).
  topologies::CustomSpec fabric = std::get<topologies::CustomSpec>(star(2, 100_Gbps, 1_us));
  fabric.links[0].link.rate = 1_Gbps;
  PacketNetwork::Options options = plain_options();
  options.switches.data().pfc().xoff = 100_KB;
  options.switches.data().pfc().xon = 40_KB;
  options.switches.pause.response = 0_ps;
  FlowRun run(fabric, options, {{HostId(1u), HostId(0u), 1_MB, 0_ps}});
  run.completions();
  EXPECT_LE(run.network().buffer_peak(SwitchId(0u)), 137'000);
  const PortCounters sender = run.network().port_counters(run.fabric().host(HostId(1u)).first_port);
  // The message takes 8.2 ms; sending alone 82 us. The sender is paused nearly all the time.
  EXPECT_GT(sender.paused_time, 7'000'000'000);
  EXPECT_GT(sender.pauses_received, 20);
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
  EXPECT_GT(run.network().totals().buffer_drops, 5);
  EXPECT_LE(run.network().buffer_peak(SwitchId(0u)), 200'000 + 2 * 86);
}

TEST(Pfc, PauseFramesDelayTheDataOfTheReversePath) {
  // A frame of 64 B + 20 B takes 6.72 ns at 100 Gbps on the link towards the paused sender; the
  // same run with pauses that take no wire time sends as many frames and no more bytes of data.
  PacketNetwork::Options options = plain_options();
  options.switches.data().pfc().xoff = 50_KB;
  options.switches.data().pfc().xon = 45_KB;
  const std::vector<Flow> flows{{HostId(1u), HostId(0u), 2_MB, 0_ps},
                                {HostId(2u), HostId(0u), 2_MB, 0_ps},
                                {HostId(0u), HostId(1u), 4_MB, 0_ps}};
  const auto reverse_completion = [&](Bytes frame) {
    options.switches.pause.frame = frame;
    FlowRun run(star(3, 100_Gbps, 1_us), options, flows);
    const Picoseconds time = run.completions()[2];
    EXPECT_GT(run.network().totals().pauses, 10);
    return time;
  };
  EXPECT_GT(reverse_completion(1500_B), reverse_completion(0_B));
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
