// Settings that differ by port: thresholds, headroom, marks, PFC that is off or not obeyed.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::NoFlowControl;
using protocols::PacketNetwork;
using protocols::PfcConfig;
using protocols::PortSettings;

constexpr BitsPerSecond kSettingsRate = 100_Gbps;
constexpr Picoseconds kSettingsWire = 500_ns;
constexpr Bytes kSettingsPacket = 4178_B;  // 4096 B on the wire
constexpr std::int64_t kUsualXoff = 10;
/// What comes after XOFF (headroom_pool_test.cpp).
constexpr std::int64_t kAfterXoff = 8;
constexpr std::int64_t kSent = 100;

PacketNetwork::Options held_by_host_0(Bytes headroom) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.buffer = 100_MB;
  options.switches.pause.response = 1_us;
  options.switches.data().ecn.enabled = false;
  options.switches.data().flow_control = PfcConfig{.xoff = kUsualXoff * kSettingsPacket,
                                                   .xon = 1_B,
                                                   .headroom = PfcConfig::Headroom::kGiven,
                                                   .headroom_bytes = headroom};
  options.faults.push_back({.kind = Fault::Kind::kNicPause, .port = PortId(0u)});
  return options;
}

/// A star whose switch has the ports of its hosts behind those of the hosts.
struct Star {
  explicit Star(std::uint32_t hosts) : spec(star(hosts, kSettingsRate, kSettingsWire)) {
    fabric = topologies::build_fabric(spec).value();
  }
  [[nodiscard]] PortId nic(std::uint32_t host) const {
    return fabric.host(HostId(host)).first_port;
  }
  /// The port of the switch that leads to a host.
  [[nodiscard]] PortId towards(std::uint32_t host) const { return fabric.port(nic(host)).peer; }
  /// As all, for now.
  [[nodiscard]] PortSettings& settings_of(PortId port, PacketNetwork::Options& options) const {
    protocols::SettingsByPort& by_port = options.switches.by_port;
    by_port.of_port.resize(fabric.ports.size());
    by_port.others.push_back(
        {.classes = options.switches.classes, .watchdog = options.switches.watchdog});
    by_port.of_port[port.value()] = static_cast<std::uint16_t>(by_port.others.size());
    return by_port.others.back();
  }

  topologies::TopologySpec spec;
  Fabric fabric;
};

std::vector<Flow> to_host_0(std::uint32_t senders) {
  std::vector<Flow> flows;
  for (std::uint32_t from = 1; from <= senders; ++from) {
    flows.push_back({HostId(from), HostId(0u), kSent * 4096_B, 50_us});
  }
  return flows;
}

void expect_lawful(const PacketNetwork& network, bool is_over) {
  for (const std::string& violation : network.violated_invariants(is_over)) {
    ADD_FAILURE() << violation;
  }
}

// MODEL.md 2.9
// Host 0 takes nothing. Each sender is paused by its own port, after the XOFF of that
// port.
TEST(PortSettings, EveryPortPausesAtItsOwnThreshold) {
  const Star star(4);
  PacketNetwork::Options options = held_by_host_0(1_MB);
  const std::vector<std::int64_t> thresholds{10, 3, 25};
  for (const std::uint32_t host : {2U, 3U}) {
    star.settings_of(star.towards(host), options).classes.front().pfc().xoff =
        thresholds[host - 1] * kSettingsPacket;
  }
  FlowRun run(star.spec, options, to_host_0(3));
  run.network().run_until(300_us);
  EXPECT_EQ(run.network().buffer_peak(SwitchId(0u)),
            (10 + 3 + 25 + 3 * kAfterXoff) * kSettingsPacket);
  EXPECT_EQ(run.network().totals().buffer_drops, 0);
  expect_lawful(run.network(), false);
}

// A port with less headroom than comes after XOFF drops the rest, and no other port does.
TEST(PortSettings, EveryPortHasItsOwnHeadroom) {
  for (const std::int64_t missing : {0, 1, 5}) {
    const Star star(3);
    PacketNetwork::Options options = held_by_host_0(kAfterXoff * kSettingsPacket);
    star.settings_of(star.towards(2), options).classes.front().pfc().headroom_bytes =
        (kAfterXoff - missing) * kSettingsPacket;
    FlowRun run(star.spec, options, to_host_0(2));
    run.network().run_until(300_us);
    EXPECT_EQ(run.network().class_counters(star.towards(1), ClassId()).buffer_drops, 0);
    EXPECT_EQ(run.network().class_counters(star.towards(2), ClassId()).buffer_drops, missing);
    expect_lawful(run.network(), false);
  }
}

// MODEL.md 2.10
// Of 100 packets XOFF and headroom hold 30; a sender that is not held sends the
// others too.
TEST(PortSettings, ANicThatObeysNoPauseOverrunsItsHeadroom) {
  for (const bool has_pfc : {true, false}) {
    const Star star(3);
    PacketNetwork::Options options = held_by_host_0(20 * kSettingsPacket);
    PortSettings& nic = star.settings_of(star.nic(1), options);
    if (has_pfc) {
      nic.honours_pause = false;
    } else {
      nic.classes.front().flow_control = NoFlowControl{};
    }
    FlowRun run(star.spec, options, to_host_0(2));
    run.network().run_until(300_us);
    EXPECT_EQ(run.network().class_counters(star.towards(1), ClassId()).buffer_drops, kSent - 30);
    EXPECT_EQ(run.network().class_counters(star.towards(2), ClassId()).buffer_drops, 0);
    EXPECT_GT(run.network().class_counters(star.nic(1), ClassId()).pauses_received, 0);
    EXPECT_EQ(run.network().class_counters(star.nic(1), ClassId()).paused_time, 0_ps);
    EXPECT_GT(run.network().class_counters(star.nic(2), ClassId()).paused_time, 0_ps);
    expect_lawful(run.network(), false);
  }
}

// Without PFC at its port nobody pauses a sender: all of it comes, and takes the shared part.
TEST(PortSettings, APortWithoutPfcPausesNobody) {
  const Star star(3);
  PacketNetwork::Options options = held_by_host_0(20 * kSettingsPacket);
  star.settings_of(star.towards(1), options).classes.front().flow_control = NoFlowControl{};
  FlowRun run(star.spec, options, to_host_0(2));
  run.network().run_until(300_us);
  EXPECT_EQ(run.network().port_counters(star.towards(1)).pauses_sent, 0);
  EXPECT_GT(run.network().port_counters(star.towards(2)).pauses_sent, 0);
  EXPECT_EQ(run.network().buffer_peak(SwitchId(0u)),
            (kSent + kUsualXoff + kAfterXoff) * kSettingsPacket);
  expect_lawful(run.network(), false);
}

// Lossless and lossy packets share queues with a reserve, and leave in any order: all accounts are
// empty in the end.
TEST(PortSettings, AMixedClassGivesBackAllThatItTook) {
  const Star star(4);
  PacketNetwork::Options options = held_by_host_0(20 * kSettingsPacket);
  options.faults.back().until = 300_us;
  options.switches.data().egress_reserved = 7 * kSettingsPacket;
  options.switches.data().egress_alpha = 0.5;
  PortSettings& lossy = star.settings_of(star.towards(2), options);
  lossy.classes.front().flow_control = NoFlowControl{};
  FlowRun run(star.spec, options, to_host_0(3));
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  EXPECT_EQ(run.network().totals().packets_delivered, 3U * kSent);
  expect_lawful(run.network(), true);
}

// Two senders to each of two hosts; the queue to one of them is marked early, the other never.
TEST(PortSettings, EveryPortMarksByItsOwnThresholds) {
  const Star star(6);
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.buffer = 100_MB;
  options.switches.data().ecn.kmin = 50_MB;
  options.switches.data().ecn.kmax = 60_MB;
  protocols::EcnConfig& early = star.settings_of(star.towards(1), options).classes.front().ecn;
  early.curve = protocols::EcnConfig::Curve::kStep;
  early.kmin = 20 * kSettingsPacket;
  std::vector<Flow> flows;
  for (std::uint32_t from = 2; from < 6; ++from) {
    flows.push_back({HostId(from), HostId(from % 2), kSent * 4096_B, 0_ps});
  }
  FlowRun run(star.spec, options, flows);
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  EXPECT_EQ(run.network().port_counters(star.towards(0)).ecn_marked, 0);
  // The queue grows by a packet while one leaves, to about 100, and falls by one each: as many
  // packets leave more than 20 behind as come to find more, 160 of 200 but for the ends.
  EXPECT_NEAR(static_cast<double>(run.network().port_counters(star.towards(1)).ecn_marked), 160, 3);
  expect_lawful(run.network(), true);
}

}  // namespace
}  // namespace weft::testing
