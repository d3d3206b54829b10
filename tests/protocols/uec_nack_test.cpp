// Why receivers of Ultra Ethernet ask for a packet again, besides trims (UE
// specification 1.0, 3.5): what they cannot keep track of, what their NIC has no room for, and what
// they take for lost. On `line(2)` with links of 1 us at 100 Gbps a packet of 4,218 B takes 337.44
// ns and a NACK of 84 B 6.72 ns.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::NetworkTotals;
using protocols::PacketNetwork;

constexpr Picoseconds kNackPacket{337'440};
constexpr Picoseconds kNack{6'720};
constexpr Bytes kHundredPackets{100 * 4'096};

/// The packet of this number is lost on its way to the switch.
void lose_number(PacketNetwork::Options& options, std::int64_t number) {
  options.faults.push_back({.kind = protocols::Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = number * kNackPacket + 1_us + 1_ns,
                            .until = (number + 1) * kNackPacket + 1_us + 1_ns,
                            .errors = {1, LinkErrors::Unit::kFrames}});
}
NetworkTotals totals_of(const PacketNetwork::Options& options) {
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), kHundredPackets, 0_ps}});
  run.completions();
  EXPECT_TRUE(run.network().failed_connections().empty());
  return run.network().totals();
}

// Packet 40 is missing until its time-out. Packet 99 lies 59 beyond it: a receiver that keeps track
// of 60 packets takes it, and one that keeps track of 59 asks for it again each time that it comes.
// MODEL.md 15.16
TEST(UecNacks, WhatLiesBeyondTheBitmapIsAskedForAgain) {
  PacketNetwork::Options options = uec_options(uec_without_control());
  uec_of(options).timeout = 60_us;
  lose_number(options, 40);
  for (const std::uint32_t tracked : {60U, 59U}) {
    uec_of(options).tracked = tracked;
    const NetworkTotals totals = totals_of(options);
    EXPECT_EQ(totals.error_drops, 1);
    EXPECT_EQ(totals.timeouts, 1U);
    if (tracked == 60) {
      EXPECT_EQ(totals.packets_retransmitted, 1U);
    } else {
      // It is asked for at 34.7 us first, a round trip of 4.7 us apart; the time-out is at 73.5 us.
      EXPECT_NEAR(static_cast<double>(totals.packets_retransmitted), 1 + (73.5 - 34.7) / 4.69, 1);
    }
  }
}

// The NIC takes in half of what comes. Each packet that finds no room has a NACK, and is sent again
// once for each: no time-out is needed.
// MODEL.md 15.16
TEST(UecNacks, WhatTheNicHasNoRoomForIsAskedForAgain) {
  PacketNetwork::Options options = uec_options(uec_without_control());
  options.nic.receive_rate = 50_Gbps;
  options.nic.receive_buffer = 64_KB;
  const NetworkTotals totals = totals_of(options);
  EXPECT_GT(totals.packets_dropped(), 20);
  EXPECT_EQ(totals.timeouts, 0U);
  EXPECT_EQ(totals.packets_retransmitted, static_cast<std::uint64_t>(totals.packets_dropped()));
}

// Packet 40 is asked for when packet 40 + gap has come, and not when the one before has: that is
// behind two links of 1 us, as the NACK is then.
// MODEL.md 15.16
TEST(UecNacks, AReceiverAsksForWhatEnoughPacketsHaveOvertaken) {
  PacketNetwork::Options options = uec_options(uec_without_control());
  lose_number(options, 40);
  for (const std::uint32_t gap : {1U, 3U, 8U}) {
    uec_of(options).receiver_gap = gap;
    FlowRun run(line(2, 100_Gbps, 1_us), options,
                {{HostId(0u), HostId(1u), kHundredPackets, 0_ps}});
    const Picoseconds heard = (40 + std::int64_t{gap} + 2) * kNackPacket + 2_us + 2 * kNack + 2_us;
    run.network().run_until(heard);
    EXPECT_EQ(run.network().totals().packets_retransmitted, 0U) << gap;
    run.network().run_until(heard + kNackPacket + 1_ns);
    EXPECT_EQ(run.network().totals().packets_retransmitted, 1U) << gap;
    run.completions();
    EXPECT_EQ(run.network().totals().losses_inferred, 1U);
    EXPECT_EQ(run.network().totals().packets_retransmitted, 1U) << "it is asked for once";
    EXPECT_EQ(run.network().totals().timeouts, 0U);
  }
  uec_of(options).receiver_gap = 60;  // 59 come after it
  EXPECT_EQ(totals_of(options).timeouts, 1U);
}

}  // namespace
}  // namespace weft::testing
