// What switches say in packets: what it costs on the wire, that it comes back whole whatever
// becomes of packets, and that nothing depends on who keeps it.

#include "protocols/state/telemetry.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::kTelemetryHops;
using protocols::kTelemetrySize;
using protocols::PacketNetwork;
using protocols::Telemetry;
using protocols::TelemetryRecord;

// MODEL.md 10.2
TEST(Telemetry, ARecordTellsWhatPortsHadSentAndWhatWaits) {
  Telemetry telemetry;
  telemetry.spawn(1);
  telemetry.start({Telemetry::Use::kNothing, Telemetry::Use::kReports}, 3);
  Packet packet;
  packet.flow = 1;
  packet.size = 1'000;
  packet.word = telemetry.take(0, 77);
  Packet other;
  other.size = 400;
  EXPECT_EQ(telemetry.in_use(), 1U);
  telemetry.report(other, 2, 100_Gbps, 0_B, 1_us);  // without telemetry, but the port sends it
  telemetry.report(packet, 2, 100_Gbps, 5'000_B, 2_us);
  telemetry.report(packet, 0, 40_Gbps, 0_B, 3_us);
  const TelemetryRecord& record = telemetry[packet.word];
  ASSERT_EQ(record.reports().size(), 2U);
  EXPECT_EQ(record.hops[0].time, 2_us);
  EXPECT_EQ(record.hops[0].sent, 400_B);
  EXPECT_EQ(record.hops[0].waiting, 5'000U);
  EXPECT_EQ(record.hops[0].rate, 100_Gbps);
  EXPECT_EQ(record.hops[1].port, 0U);
  EXPECT_EQ(record.hops[1].sent, 0_B);
  EXPECT_EQ(telemetry.opened(packet).word, 77U);
  for (int i = 0; i < 10; ++i) telemetry.report(packet, 1, 100_Gbps, 0_B, 4_us);
  EXPECT_EQ(record.reports().size(), kTelemetryHops) << "there is room for no more";
  telemetry.lose(0, other);
  telemetry.lose(0, packet);
  EXPECT_EQ(telemetry.in_use(), 0U);
}

TEST(Telemetry, ThreadsExchangeRecordsInBatches) {
  Telemetry telemetry;
  telemetry.spawn(2);
  telemetry.start({Telemetry::Use::kReports}, 1);
  // What one thread takes the other gives back: memory does not grow with that.
  std::size_t memory = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(3'000);
    for (int i = 0; i < 3'000; ++i) numbers.push_back(telemetry.take(0, 0));
    EXPECT_EQ(telemetry.in_use(), 3'000U);
    for (const std::uint32_t number : numbers) telemetry.give_back(1, number);
    EXPECT_EQ(telemetry.in_use(), 0U);
    if (round == 1) memory = telemetry.memory_bytes();
  }
  EXPECT_EQ(telemetry.memory_bytes(), memory);
}

PacketNetwork::Options under_hpcc() {
  PacketNetwork::Options options = plain_options();
  roce_of(options).congestion_control = protocols::congestion::HpccSpec::default_config();
  return options;
}

// MODEL.md 10.1
TEST(TelemetryOnTheWire, TakesFortyTwoBytesOfEveryPacketAndAck) {
  ASSERT_EQ(kTelemetrySize, 42_B);
  for (const bool has_telemetry : {false, true}) {
    const auto options = has_telemetry ? under_hpcc() : plain_options();
    FlowRun run(star(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 40'960_B, 0_ps}});
    static_cast<void>(run.completions());
    const std::int64_t more = has_telemetry ? 42 : 0;
    for (const NodeId id : run.fabric().hosts) {
      const PortId port = run.fabric().node(id).first_port;
      const std::int64_t sent = run.network().port_counters(port).bytes.count();
      EXPECT_EQ(sent, port == PortId(0u) ? 10 * (4'096 + 82 + more) : 10 * (86 + more));
    }
  }
}

topologies::LeafSpineSpec small_leaf_spine() {
  topologies::LeafSpineSpec spec;
  spec.racks = spec.servers_per_rack = spec.spines = 4;
  spec.access = spec.uplink = {100_Gbps, 500_ns};
  return spec;
}

std::vector<Flow> crossing_flows() {
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i < 16; ++i) {
    flows.push_back({HostId(i), HostId(0u), 60_KB, 0_ps});
    flows.push_back({HostId(i), HostId((i * 7 + 3) % 16), 100_KB, 3_us});
  }
  return flows;
}

std::vector<PacketNetwork::Options> ways() {
  std::vector<PacketNetwork::Options> all;
  for (const bool spray : {false, true}) {
    for (const std::uint32_t ack_every : {1U, 4U}) {
      PacketNetwork::Options options = under_hpcc();
      roce_of(options).receiver = protocols::RoceConfig::Receiver::kAnyOrder;
      roce_of(options).ack_every = ack_every;
      if (spray) options.switches.load_balancing = protocols::LoadBalancing::kSpray;
      all.push_back(options);
    }
  }
  // Full buffers that drop, and go-back-N with old packets and new ones under way.
  all.push_back(under_hpcc());
  all.back().switches.data().flow_control = protocols::NoFlowControl{};
  all.back().switches.buffer = 100_KB;
  roce_of(all.back()).retransmit_timeout = 200_us;
  roce_of(all.back()).retry_limit = 100;
  // A queue pair under PowerTCP beside others without telemetry.
  all.push_back(plain_options());
  protocols::RoceConfig power = roce_of(all.back());
  power.congestion_control = protocols::congestion::PowerTcpSpec::default_config();
  all.back().more_transports = {power};
  return all;
}

// `completions` holds the conservation laws, of which one is that every packet has its record.
TEST(TelemetryInANetwork, IsTheSameForAllThreadsCutsAndPaths) {
  int way = 0;
  for (PacketNetwork::Options options : ways()) {
    const auto run = [&] {
      FlowRun flows(small_leaf_spine(), options, crossing_flows());
      std::vector<Picoseconds> times = flows.completions();
      times.emplace_back(static_cast<std::int64_t>(flows.network().totals().packet_hops));
      times.emplace_back(flows.network().totals().buffer_drops);
      return times;
    };
    const std::vector<Picoseconds> alone = run();
    EXPECT_EQ(alone.back() > 0_ps, way == 4) << "drops";
    options.parallelism = {.threads = way == 0 ? 3U : 2U, .share_from = 0, .waits_for_all = true};
    EXPECT_EQ(run(), alone) << "way " << way << ", several threads";
    options.parallelism = {};
    for (const LpPlan::Cut cut : {LpPlan::Cut::kOne, LpPlan::Cut::kFinest}) {
      options.cut = cut;
      EXPECT_EQ(run(), alone) << "way " << way;
    }
    options.extra_features = protocols::GeneralPath::kFeatures;
    EXPECT_EQ(run(), alone) << "way " << way;
    ++way;
  }
}

}  // namespace
}  // namespace weft::testing
