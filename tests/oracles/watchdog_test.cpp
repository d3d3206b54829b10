// The PFC watchdog: when it finds a storm, what becomes of packets, and when it is over. Looks are
// counted from when the pause takes effect.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::PacketNetwork;
using protocols::PfcWatchdogConfig;

constexpr BitsPerSecond kStormRate = 100_Gbps;
constexpr Picoseconds kStormWire = 500_ns;
constexpr std::int64_t kStormPackets = 100;
constexpr Picoseconds kLook = 10_us;

/// From the fault of the NIC until its switch obeys: the frame, the wire, the response.
Picoseconds obeys_after() { return transmission_time(84_B, kStormRate) + kStormWire + 1_us; }

PacketNetwork::Options watched(PfcWatchdogConfig::Action action) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.buffer = 100_MB;
  options.switches.pause.response = 1_us;
  options.switches.data().ecn.enabled = false;
  options.switches.data().flow_control = protocols::PfcConfig{.xoff = 10 * 4178_B, .xon = 1_B};
  options.switches.watchdog = {.enabled = true,
                               .detection = 3 * kLook,
                               .restoration = 2 * kLook,
                               .action = action,
                               .poll = kLook};
  options.faults.push_back({.kind = Fault::Kind::kNicPause, .port = PortId(0u)});
  return options;
}

struct StormRun : FlowRun {
  explicit StormRun(const PacketNetwork::Options& options,
                    std::vector<Picoseconds> starts = {50_us})
      : FlowRun(star(2, kStormRate, kStormWire), options, flows(starts)) {}

  static std::vector<Flow> flows(const std::vector<Picoseconds>& starts) {
    std::vector<Flow> all;
    for (const Picoseconds start : starts) {
      all.push_back({HostId(1u), HostId(0u), kStormPackets * 4096_B, start});
    }
    return all;
  }
  protocols::NetworkTotals at(Picoseconds time) {
    network().run_until(time);
    for (const std::string& violation : network().violated_invariants(false)) {
      ADD_FAILURE() << violation;
    }
    return network().totals();
  }
};

// MODEL.md 7.3
// Packets wait from 51 us on. The looks after 50, 60 and 70 us of pause find them
// stuck.
TEST(Watchdog, FindsAStormWhenItsDetectionTimeIsOver) {
  const Picoseconds storm = obeys_after() + 7 * kLook;
  StormRun run(watched(PfcWatchdogConfig::Action::kDrop));
  EXPECT_EQ(run.at(storm).pause_storms, 0);
  EXPECT_EQ(run.at(storm).watchdog_drops, 0);
  const protocols::NetworkTotals after = run.at(storm + 1_ps);
  EXPECT_EQ(after.pause_storms, 1);
  EXPECT_GE(after.watchdog_drops, 10) << "what waited: XOFF, and what came after it";
  EXPECT_LT(after.watchdog_drops, kStormPackets) << "the sender was paused";
  // Its sender is not paused any more, and all the rest is dropped as it comes.
  const protocols::NetworkTotals end = run.at(2_ms);
  EXPECT_EQ(end.watchdog_drops, kStormPackets);
  EXPECT_EQ(end.packets_delivered, 0U);
  EXPECT_EQ(end.pause_storms, 1);
  EXPECT_EQ(end.packets_dropped(), kStormPackets);
}

TEST(Watchdog, ForwardsAsIfThereWereNoPause) {
  const Picoseconds storm = obeys_after() + 7 * kLook;
  StormRun run(watched(PfcWatchdogConfig::Action::kForward));
  EXPECT_EQ(run.at(storm).packets_delivered, 0U);
  const protocols::NetworkTotals end = run.at(2_ms);
  EXPECT_EQ(end.packets_delivered, static_cast<std::uint64_t>(kStormPackets));
  EXPECT_EQ(end.packets_dropped(), 0);
  EXPECT_EQ(end.pause_storms, 1);
  const PortId egress = run.fabric().port(PortId(0u)).peer;
  EXPECT_EQ(run.network().class_counters(egress, ClassId()).paused_time, 7 * kLook)
      << "it is paused until the storm is found";
}

// Nobody waits: the longest pause is no storm.
TEST(Watchdog, FindsNoStormWhereNothingWaits) {
  StormRun run(watched(PfcWatchdogConfig::Action::kDrop), {3_ms});
  EXPECT_EQ(run.at(2_ms).pause_storms, 0);
  EXPECT_EQ(run.at(4_ms).pause_storms, 1);
}

// A pause that ends before is none, and the next one counts from its own beginning.
TEST(Watchdog, CountsEveryPauseAnew) {
  PacketNetwork::Options options = watched(PfcWatchdogConfig::Action::kDrop);
  options.faults.back().until = 65_us;
  options.faults.push_back(
      {.kind = Fault::Kind::kNicPause, .port = PortId(0u), .at = 67_us, .until = 92_us});
  StormRun run(options);
  const protocols::NetworkTotals end = run.at(2_ms);
  EXPECT_EQ(end.pause_storms, 0) << "40 us together, and neither for 30 us with packets that wait";
  EXPECT_EQ(end.packets_delivered, static_cast<std::uint64_t>(kStormPackets));
}

// MODEL.md 7.4
// The NIC resumes 195 us after it began. The looks 200 and 210 us after the pause
// find no pause since the one before: then the queue is as it was. A packet that comes before is
// dropped.
TEST(Watchdog, RestoresTheQueueWhenNoPauseComesAnyMore) {
  PacketNetwork::Options options = watched(PfcWatchdogConfig::Action::kDrop);
  options.faults.back().until = 195_us;
  const Picoseconds restored = obeys_after() + 21 * kLook;
  StormRun run(options, {50_us, 205_us});
  const protocols::NetworkTotals before = run.at(restored);
  EXPECT_GT(before.watchdog_drops, kStormPackets);
  EXPECT_EQ(before.packets_delivered, 0U);
  const protocols::NetworkTotals end = run.at(2_ms);
  EXPECT_EQ(end.watchdog_drops, before.watchdog_drops);
  EXPECT_EQ(end.packets_delivered,
            static_cast<std::uint64_t>(2 * kStormPackets - end.watchdog_drops));
  // Once it is over, pauses are obeyed again, and found again.
  options.faults.push_back({.kind = Fault::Kind::kNicPause, .port = PortId(0u), .at = 1_ms});
  StormRun again(options, {50_us, 1'100_us});
  EXPECT_EQ(again.at(1'110_us).pause_storms, 1);
  EXPECT_EQ(again.at(2_ms).pause_storms, 2);
}

// Measuring from a time on changes nothing of what happens.
TEST(Watchdog, DoesNotDependOnTheMeasurement) {
  const Picoseconds storm = obeys_after() + 7 * kLook;
  StormRun run(watched(PfcWatchdogConfig::Action::kDrop));
  run.network().run_until(65_us);
  run.network().reset_statistics();
  EXPECT_EQ(run.at(storm).pause_storms, 0);
  EXPECT_EQ(run.at(storm + 1_ps).pause_storms, 1);
  run.network().reset_statistics();
  EXPECT_EQ(run.network().totals().pause_storms, 0);
  EXPECT_EQ(run.network().totals().watchdog_drops, 0);
}

// A port goes by its own times, or has no watchdog.
TEST(Watchdog, HasItsOwnSettingsAtAPort) {
  PacketNetwork::Options options = watched(PfcWatchdogConfig::Action::kDrop);
  const Fabric fabric = topologies::build_fabric(star(2, kStormRate, kStormWire)).value();
  protocols::SettingsByPort& by_port = options.switches.by_port;
  by_port.of_port.resize(fabric.ports.size());
  by_port.of_port[fabric.port(PortId(0u)).peer.value()] = 1;
  by_port.others.push_back({.classes = options.switches.classes, .watchdog = {}});
  StormRun none(options);
  EXPECT_EQ(none.at(2_ms).pause_storms, 0);
  by_port.others.front().watchdog = options.switches.watchdog;
  by_port.others.front().watchdog.detection = 5 * kLook;
  const Picoseconds storm = obeys_after() + 9 * kLook;
  StormRun later(options);
  EXPECT_EQ(later.at(storm).pause_storms, 0);
  EXPECT_EQ(later.at(storm + 1_ps).pause_storms, 1);
}

}  // namespace
}  // namespace weft::testing
