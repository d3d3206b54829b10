// Packet delivery of Ultra Ethernet (UE specification 1.0, 3.5) on `line(2)`: host, switch, host,
// with links of 1 us at 100 Gbps. A packet of 4,218 B takes 337.44 ns, an ACK of 84 B 6.72 ns, and
// a round trip 2 x (337.44 + 6.72 + 2,000) = 4,688.32 ns.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/state_of.hpp"
#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::NetworkTotals;
using protocols::PacketNetwork;
using protocols::UecConfig;

constexpr Picoseconds kUecPacket{337'440};

/// Packets that start at the first host within [from, to) are lost.
void lose_uec(PacketNetwork::Options& options, Picoseconds from, Picoseconds to) {
  options.faults.push_back({.kind = Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = from + 1_us + 1_ns,  // errors are those at the time of arrival
                            .until = to + 1_us + 1_ns,
                            .errors = {1, LinkErrors::Unit::kFrames}});
}

struct UecOutcome {
  Picoseconds took;
  NetworkTotals totals;
};

UecOutcome send_uec(const PacketNetwork::Options& options, Bytes size, Picoseconds latency = 1_us) {
  FlowRun run(line(2, 100_Gbps, latency), options, {{HostId(0u), HostId(1u), size, 0_ps}});
  const Picoseconds took = run.completions().front();
  return {took, run.network().totals()};
}

TEST(UecOracle, D1_SizesOnTheWire) {
  UecConfig uec;
  EXPECT_EQ(uec.traits().full_packet(), 4'218_B);
  EXPECT_EQ(uec.traits().ack_size, 98_B) << "ACK_CC";
  EXPECT_EQ(uec.traits().delivery->nack_size, 84_B) << "a frame of 64 B";
  uec.congestion_control = protocols::congestion::NoControlConfig{};
  EXPECT_EQ(uec.traits().ack_size, 84_B) << "78 B make no frame of 64 B";
  uec.ip = UecConfig::Ip::kIpv6;
  EXPECT_EQ(uec.traits().full_packet(), 4'238_B);
  EXPECT_EQ(uec.traits().ack_size, 98_B);
  EXPECT_EQ(uec.traits().delivery->nack_size, 102_B) << "82 B and what surrounds them";
  uec.ip = UecConfig::Ip::kIpv4;
  uec.udp = false;
  EXPECT_EQ(uec.traits().full_packet(), 4'214_B);
  const auto htsim = UecConfig::from_preset(UecConfig::Preset::kHtsim).traits();
  EXPECT_EQ(htsim.full_packet(), 4'150_B);
  EXPECT_EQ(htsim.ack_size, 64_B);
  EXPECT_EQ(htsim.delivery->nack_size, 64_B);
  EXPECT_EQ(protocols::TrimmingConfig().size, 84_B) << "a frame of 64 B";
}

/// Answers to the packets of a message.
std::uint64_t uec_acks(const PacketNetwork::Options& options, Bytes size) {
  const NetworkTotals totals = send_uec(options, size).totals;
  EXPECT_EQ(totals.packets_retransmitted, 0U);
  const Bytes payload = protocols::traits_of(options.transport).format.payload;
  return totals.packets_injected - static_cast<std::uint64_t>((size + payload - 1_B) / payload);
}

// MODEL.md 15.2
TEST(UecOracle, D2_AcknowledgementsByBytes) {
  PacketNetwork::Options options = uec_options(uec_without_control());
  EXPECT_EQ(uec_acks(options, 1_MiB), 65U) << "first, 63 of four packets, last";
  uec_of(options).mtu = 1_KiB;
  EXPECT_EQ(uec_acks(options, 1_MiB), 65U) << "one in 16";
  uec_of(options).mtu = 512_B;
  EXPECT_EQ(uec_acks(options, 512_KiB), 65U) << "1 KiB each at least";
  uec_of(options).ack_min_add = 0_B;
  EXPECT_EQ(uec_acks(options, 512_KiB), 33U) << "uet-htsim: by their bytes";
  uec_of(options).acks_all = true;
  EXPECT_EQ(uec_acks(options, 512_KiB), 1'024U);
}

// MODEL.md 15.3
TEST(UecOracle, D2_AnOpenContextAcknowledgesAMessageAlike) {
  const PacketNetwork::Options options = uec_options(uec_without_control());
  FlowRun run(line(2, 100_Gbps, 1_us), options,
              {{HostId(0u), HostId(1u), 1_MiB, 0_ps}, {HostId(0u), HostId(1u), 1_MiB, 1_ms}});
  run.completions();
  EXPECT_EQ(run.network().totals().packets_injected, 2U * (256 + 65));
}

// MODEL.md 15.5
TEST(UecOracle, D3_TimeOutsDoubleAndEnd) {
  for (const bool backs_off : {true, false}) {
    PacketNetwork::Options whole = uec_options(uec_without_control());
    uec_of(whole).backs_off = backs_off;
    uec_of(whole).timeout = 100_us;
    const Picoseconds end = send_uec(whole, 4'096_B).took;
    for (const int k : {1, 2, 5}) {
      PacketNetwork::Options options = whole;
      const std::int64_t rounds = backs_off ? (std::int64_t{1} << k) - 1 : k;
      lose_uec(options, 0_ps, rounds * 100_us);
      const UecOutcome lossy = send_uec(options, 4'096_B);
      EXPECT_EQ(lossy.took, end + rounds * 100_us) << k;
      EXPECT_EQ(lossy.totals.packets_retransmitted, static_cast<std::uint64_t>(k));
      EXPECT_EQ(lossy.totals.timeouts, static_cast<std::uint64_t>(k));
      EXPECT_EQ(lossy.totals.error_drops, k);
    }
  }
}

TEST(UecOracle, D3_TheSixthTimeOutClosesTheContext) {
  PacketNetwork::Options options = uec_options(uec_without_control());
  uec_of(options).timeout = 100_us;
  lose_uec(options, 0_ps, 1_s);
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 4'096_B, 0_ps}});
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  ASSERT_EQ(run.network().failed_connections().size(), 1U);
  EXPECT_EQ(run.network().failed_connections().front(), ConnectionId(0u));
  EXPECT_EQ(run.network().totals().timeouts, 5U);
  EXPECT_EQ(run.network().last_event(), 63 * 100_us) << "RTO (2^6 - 1)";
}

// The packet after the lost one is there 0.3 us later, and its NACK half a round trip after that.
// MODEL.md 15.6
TEST(UecOracle, D4_RudRepeatsAPacketAndRodARoundTripOfThem) {
  for (const bool in_order : {false, true}) {
    PacketNetwork::Options options = uec_options(uec_without_control());
    uec_of(options).timeout = 60_us;
    if (in_order) uec_of(options).delivery = UecConfig::Delivery::kRod;
    const UecOutcome whole = send_uec(options, 100 * 4'096_B);
    lose_uec(options, 40 * kUecPacket, 41 * kUecPacket);
    const UecOutcome lossy = send_uec(options, 100 * 4'096_B);
    EXPECT_EQ(lossy.totals.error_drops, 1);
    if (in_order) {
      const double packets = 4'688.32 / 337.44;
      EXPECT_NEAR(static_cast<double>(lossy.totals.packets_retransmitted), std::ceil(packets) + 1,
                  1);
      EXPECT_EQ(lossy.totals.timeouts, 0U);
      EXPECT_EQ(lossy.took - whole.took,
                static_cast<std::int64_t>(lossy.totals.packets_retransmitted) * kUecPacket);
    } else {
      EXPECT_EQ(lossy.totals.packets_retransmitted, 1U);
    }
  }
}

// 128 x 4,096 B per round trip of an ACK per packet: 2 x (337.44 + 6.72 + 2 x 50,000) ns.
// MODEL.md 15.1
TEST(UecOracle, D5_AWindowOfPacketsBoundsTheGoodput) {
  PacketNetwork::Options options = uec_options(uec_without_control());
  uec_of(options).psn_window = 128;
  uec_of(options).acks_all = true;
  const Bytes size = 40_MB;
  const Picoseconds took = send_uec(options, size, 50_us).took;
  const double round_trip = 2 * (337.44e-9 + 6.72e-9 + 100e-6);
  const double bound = 128 * 4'096 / round_trip;
  EXPECT_NEAR(static_cast<double>(size.count()) / to_seconds(took), bound, 0.01 * bound);
  uec_of(options).psn_window = 1'024;  // 208.6 us of packets: more than a round trip
  const Picoseconds full = send_uec(options, size, 50_us).took;
  EXPECT_NEAR(to_seconds(full), 40e6 / 4'096 * 337.44e-9 + round_trip, 0.01 * to_seconds(full));
}

// The laws hold at the end of every run (network_audit.cpp): nothing is in flight by the count of
// any sender, and senders know of every byte that came.
// MODEL.md 15.4
TEST(UecOracle, D6_NothingIsLostForGoodAndNoByteCountsTwice) {
  for (const auto delivery : {UecConfig::Delivery::kRud, UecConfig::Delivery::kRod}) {
    for (const bool has_control : {false, true}) {
      PacketNetwork::Options options = htsim_star();
      uec_of(options).delivery = delivery;
      uec_of(options).queue_pairs = 3;
      if (!has_control) {
        uec_of(options).congestion_control = protocols::congestion::NoControlConfig{};
      }
      const topologies::TopologySpec topology = star(9, 100_Gbps, 1_us);
      Fabric fabric = topologies::build_fabric(topology).value();
      for (Port& port : fabric.ports) port.errors = {1e-3, LinkErrors::Unit::kFrames};
      std::vector<Flow> flows = in_cast(8, 1_MB);
      for (std::uint32_t i = 0; i < 8; ++i) {
        flows.push_back({HostId(i), HostId(8u), 300_KB, 7_us});
        flows.push_back({HostId(i), HostId((i + 3) % 8), 777_KB, 3_us});
      }
      FlowRun run(fabric, topology, options, flows);
      run.completions();
      EXPECT_GT(run.network().totals().error_drops, 5);
      EXPECT_TRUE(run.network().failed_connections().empty());
    }
  }
}

TEST(Uec, AMessageTakesItsZeroLoadTime) {
  const UecOutcome one = send_uec(uec_options(uec_without_control()), 40 * 4'096_B);
  EXPECT_EQ(one.took, 41 * kUecPacket + 2_us + 2 * 6'720_ps + 2_us);
}

// All packets of both contexts count for one window of 1.5 bandwidth-delay products.
// The first packet is answered after its repeat has left, 0.7 us before: no sample of either.
// MODEL.md 15.7
TEST(Uec, RoundTripsOfRepeatedPacketsAreNotMistaken) {
  PacketNetwork::Options options = uec_options(UecConfig());
  uec_of(options).timeout = 4_us;
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 4'096_B, 0_ps}});
  run.completions();
  EXPECT_EQ(run.network().totals().packets_retransmitted, 1U);
  protocols::NetworkState& s = protocols::NetworkStateOf::network(run.network());
  Picoseconds base;
  s.controls.at_context(s.constants.transports[0].control,
                        s.senders.whole(protocols::QueuePairId(0u)).control_slot,
                        [&](auto& control, const auto& /*p*/) { base = control.base_rtt(); });
  EXPECT_GT(base, 4'600_ns);
}

// MODEL.md 15.8
TEST(Uec, ContextsToOneDestinationShareTheirWindow) {
  const auto last = [](std::uint32_t contexts) {
    PacketNetwork::Options options = htsim_star();
    uec_of(options).queue_pairs = contexts;
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 4; ++i) flows.push_back({HostId(0u), HostId(1u), 50_KB, 0_ps});
    FlowRun run(star(2, 100_Gbps, 100_us), options, flows);
    run.network().run_until(50_us);
    return run.network().totals().packets_injected;
  };
  EXPECT_EQ(last(1), 175'284U / 4'150) << "four connections, one destination";
  EXPECT_EQ(last(2), 175'284U / 4'150);
}

TEST(Uec, RodKeepsToOnePathAndDeliversInOrder) {
  topologies::LeafSpineSpec spec;
  spec.racks = spec.servers_per_rack = spec.spines = 4;
  spec.access = spec.uplink = {100_Gbps, 500_ns};
  PacketNetwork::Options options = uec_options(uec_without_control());
  uec_of(options).delivery = UecConfig::Delivery::kRod;
  FlowRun run(spec, options, {{HostId(0u), HostId(15u), 1_MB, 0_ps}});
  run.completions();
  int used = 0;
  for (std::uint32_t i = 0; i < run.fabric().ports.size(); ++i) {
    const Node& node = run.fabric().node(run.fabric().ports[i].node);
    if (node.kind != NodeKind::kSwitch) continue;
    if (run.network().class_counters(PortId(i), ClassId(0)).bytes > 0_B) ++used;
  }
  EXPECT_EQ(used, 3) << "leaf, spine, leaf";
  EXPECT_EQ(run.network().totals().packets_retransmitted, 0U);
}

// uet-htsim at 40ccb05, 100 Gbps, 1 us per link, 1 MB each, which are 245 packets: the last flow
// ends after 166.86 us of 2:1 and 663.38 us of 8:1, of which the wire takes 166.85 and 654.38.
TEST(UecOracle, E5_StarsEndAsInThePeer) {
  const double kPeer[][2] = {{2, 166.86}, {8, 663.38}};
  for (const auto& [senders, microseconds] : kPeer) {
    const auto n = static_cast<std::uint32_t>(senders);
    FlowRun run(star(n + 1, 100_Gbps, 1_us), htsim_star(), in_cast(n, 1_MB));
    const std::vector<Picoseconds> times = run.completions();
    const double last = to_seconds(*std::ranges::max_element(times)) * 1e6;
    RecordProperty("us_" + std::to_string(n), std::to_string(last));
    RecordProperty("repeats_" + std::to_string(n),
                   std::to_string(run.network().totals().packets_retransmitted));
    EXPECT_NEAR(last, microseconds, 0.02 * microseconds) << n;
  }
}

}  // namespace
}  // namespace weft::testing
