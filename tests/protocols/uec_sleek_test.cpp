// SLEEK: losses that a sender of Ultra Ethernet infers where no switch trims. On `line(2)` with
// links of 1 us at 100 Gbps a packet of 4,150 B takes 332 ns, an answer of 64 B 5.12 ns and a round
// trip 2 x (332 + 5.12 + 2,000) = 4,674.24 ns: 1.5 bandwidth-delay products are 87,642 B, or 21
// payloads of 4,086 B. A receiver acknowledges every fourth packet.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::NetworkTotals;
using protocols::PacketNetwork;

constexpr Picoseconds kSleekPacket{332'000};
constexpr Picoseconds kSleekAnswer{5'120};
constexpr Picoseconds kSleekRtt{4'674'240};

/// NSCC without trimming, as the preset has it; the base round trip is that of the path.
PacketNetwork::Options sleek_options(bool infers = true) {
  PacketNetwork::Options options = htsim_star();
  protocols::UecConfig& uec = uec_of(options);
  uec.infers_loss = infers;
  uec.uses_trimming = false;
  uec.timeout = 303'800_ns;
  std::get<protocols::congestion::NsccConfig>(uec.congestion_control).base_rtt = std::nullopt;
  options.switches.data().trimming.enabled = false;
  options.switches.data().egress_limit = 140 * 4'150_B;
  return options;
}
/// The packet of this number is lost on its way to the switch.
void lose_packet(PacketNetwork::Options& options, std::int64_t number) {
  options.faults.push_back({.kind = Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = number * kSleekPacket + 1_us + 1_ns,
                            .until = (number + 1) * kSleekPacket + 1_us + 1_ns,
                            .errors = {1, LinkErrors::Unit::kFrames}});
}

// The repeat leaves when packet 100 + 21 is acknowledged, at the next ACK.
// MODEL.md 15.15
TEST(UecOracle, S1_ALossIsRepeatedWhenAWindowHasOvertakenIt) {
  PacketNetwork::Options options = sleek_options();
  lose_packet(options, 100);
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 2_MB, 0_ps}});
  Picoseconds now;
  while (run.network().totals().packets_retransmitted == 0 && now < 200_us) {
    now += 10_ns;
    run.network().run_until(now);
  }
  const Picoseconds heard = 122 * kSleekPacket + kSleekPacket + 2_us + 2 * kSleekAnswer + 2_us;
  EXPECT_GE(now, heard);
  EXPECT_LE(now, heard + 5 * kSleekPacket + 10_ns);
  run.completions();
  const NetworkTotals totals = run.network().totals();
  EXPECT_EQ(totals.losses_inferred, 1U);
  EXPECT_EQ(totals.packets_retransmitted, 1U);
  EXPECT_EQ(totals.timeouts, 0U);
}

// The last ACK arms a probe after base RTT + target, which here is a round trip, too; the probe's
// answer brings the repeat.
// MODEL.md 15.15
TEST(UecOracle, S2_ALostLastPacketIsFoundByAProbe) {
  for (const bool is_measured : {true, false}) {
    PacketNetwork::Options options = sleek_options();
    const Picoseconds base = is_measured ? kSleekRtt : 9'348'480_ps;
    std::get<protocols::congestion::NsccConfig>(uec_of(options).congestion_control).base_rtt = base;
    const std::vector<Flow> flows{{HostId(0u), HostId(1u), Bytes(100 * 4'086), 0_ps}};
    FlowRun whole(line(2, 100_Gbps, 1_us), options, flows);
    const Picoseconds end = whole.completions().front();
    lose_packet(options, 99);
    FlowRun run(line(2, 100_Gbps, 1_us), options, flows);
    const Picoseconds late = run.completions().front() - end;
    const Picoseconds target = base;
    // The base round trip falls to what is measured.
    EXPECT_NEAR(to_seconds(late), to_seconds(kSleekRtt + target + 2 * kSleekRtt),
                to_seconds(kSleekRtt));
    EXPECT_EQ(run.network().totals().timeouts, 0U);
    EXPECT_EQ(run.network().totals().losses_inferred, 1U);
  }
}

// uet-htsim at 40ccb05, NSCC without trimming, with SLEEK: 166.85 and 656.76 us.
TEST(UecOracle, E5_StarsWithoutTrimmingEndAsInThePeer) {
  const double peer[][2] = {{2, 166.85}, {8, 656.76}};
  for (const auto& [senders, microseconds] : peer) {
    const auto n = static_cast<std::uint32_t>(senders);
    PacketNetwork::Options options = sleek_options();
    std::get<protocols::congestion::NsccConfig>(uec_of(options).congestion_control).base_rtt =
        9'348'480_ps;
    FlowRun run(star(n + 1, 100_Gbps, 1_us), options, in_cast(n, 1_MB));
    const std::vector<Picoseconds> times = run.completions();
    const double last = to_seconds(*std::ranges::max_element(times)) * 1e6;
    RecordProperty("us_" + std::to_string(n), std::to_string(last));
    RecordProperty("repeats_" + std::to_string(n),
                   std::to_string(run.network().totals().packets_retransmitted));
    EXPECT_NEAR(last, microseconds, 0.02 * microseconds) << n;
  }
}

// MODEL.md 15.15
TEST(UecSleek, RepairsLossesThatWouldWaitForATimeOut) {
  std::uint64_t timeouts[2] = {};
  for (const bool infers : {false, true}) {
    for (const bool has_credit : {false, true}) {
      PacketNetwork::Options options = sleek_options(infers);
      uec_of(options).queue_pairs = 2;
      if (has_credit) {
        uec_of(options).receiver_control = protocols::congestion::RcccConfig{};
      }
      const topologies::TopologySpec topology = star(9, 100_Gbps, 1_us);
      Fabric fabric = topologies::build_fabric(topology).value();
      for (Port& port : fabric.ports) port.errors = {3e-3, LinkErrors::Unit::kFrames};
      std::vector<Flow> flows;
      for (std::uint32_t i = 0; i < 8; ++i) {
        flows.push_back({HostId(i), HostId((i + 3) % 8), 2_MB, 3_us});
        flows.push_back({HostId(i), HostId(8u), 100_KB, 400_us});
      }
      FlowRun run(fabric, topology, options, flows);
      run.completions();
      EXPECT_TRUE(run.network().failed_connections().empty());
      const NetworkTotals totals = run.network().totals();
      EXPECT_EQ(totals.losses_inferred > 0, infers);
      timeouts[infers ? 1 : 0] += totals.timeouts;
    }
  }
  EXPECT_LT(2 * timeouts[1], timeouts[0]);
}

}  // namespace
}  // namespace weft::testing
