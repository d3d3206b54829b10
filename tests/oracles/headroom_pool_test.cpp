// A headroom pool that N ports draw on at once: when it is empty, to the packet.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::PacketNetwork;
using protocols::PfcConfig;

constexpr BitsPerSecond kPortRate = 100_Gbps;
constexpr Picoseconds kWire = 500_ns;
constexpr Picoseconds kResponse = 1'000_ns;
constexpr Bytes kPoolPacket = 4178_B;  // 4096 B on the wire
constexpr std::int64_t kToXoff = 10;

// Senders 1 to N send full packets back to back to host 0, which takes none. At a port of the
// switch, packet 11 crosses XOFF, 10 packets, and goes to the headroom. The sender continues from
// the end of that packet, which was a wire ago, until it obeys: the pause frame, which has nothing
// to wait for, takes t(F) and a wire, and the sender its response. In L = t(F) + 2 wires + response
// ceil(L / t(packet)) packets begin. So each port needs 1 + ceil(L / t(packet)) packets.
std::int64_t packets_after_xoff() {
  const Picoseconds loop = transmission_time(84_B, kPortRate) + 2 * kWire + kResponse;
  const Picoseconds packet = transmission_time(kPoolPacket, kPortRate);
  return 1 + (loop + packet - Picoseconds(1)) / packet;
}

PacketNetwork::Options with_pool(Bytes pool, Bytes reserved) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.buffer = 100_MB;
  options.switches.headroom_pool = pool;
  options.switches.pause.response = kResponse;
  options.switches.data().ecn.enabled = false;
  options.switches.data().flow_control = PfcConfig{.xoff = kToXoff * kPoolPacket,
                                                   .xon = 1_B,
                                                   .headroom = PfcConfig::Headroom::kGiven,
                                                   .headroom_bytes = 1_MB,
                                                   .headroom_reserved = reserved};
  options.faults.push_back({.kind = Fault::Kind::kNicPause, .port = PortId(0u)});
  return options;
}

struct Outcome {
  std::int64_t drops = 0;
  std::int64_t of_pool = 0;
  Bytes peak;
};

/// After `senders` ports are paused for good.
Outcome outcome(std::uint32_t senders, const PacketNetwork::Options& options) {
  std::vector<Flow> flows;
  for (std::uint32_t from = 1; from <= senders; ++from) {
    flows.push_back({HostId(from), HostId(0u), 100 * 4096_B, 50_us});
  }
  FlowRun run(star(senders + 1, kPortRate, kWire), options, flows);
  run.network().run_until(300_us);
  EXPECT_TRUE(run.network().violated_invariants(false).empty())
      << run.network().violated_invariants(false).front();
  const protocols::NetworkTotals totals = run.network().totals();
  EXPECT_EQ(totals.headroom_pool_peak, run.network().headroom_pool_peak(SwitchId(0u)));
  return {totals.buffer_drops, totals.headroom_pool_drops, totals.headroom_pool_peak};
}

// MODEL.md 2.8
TEST(HeadroomPool, IsEmptyWhenAllPortsHaveDrawnWhatTheyNeed) {
  const std::int64_t each = packets_after_xoff();
  ASSERT_EQ(each, 8);
  for (const std::uint32_t senders : {1U, 2U, 7U, 20U}) {
    const std::int64_t all = senders * each;
    const Outcome enough = outcome(senders, with_pool(all * kPoolPacket, 0_B));
    EXPECT_EQ(enough.drops, 0) << senders;
    EXPECT_EQ(enough.peak, all * kPoolPacket) << "it is full to the last byte";
    for (const std::int64_t missing : {std::int64_t{1}, all / 2}) {
      const Outcome short_of = outcome(senders, with_pool((all - missing) * kPoolPacket, 0_B));
      EXPECT_EQ(short_of.drops, missing) << senders;
      EXPECT_EQ(short_of.of_pool, missing) << senders;
      EXPECT_EQ(short_of.peak, (all - missing) * kPoolPacket) << "never more than it has";
    }
    const Outcome less = outcome(senders, with_pool(all * kPoolPacket - 1_B, 0_B));
    EXPECT_EQ(less.of_pool, 1) << "a byte less, and the last packet is lost";
  }
}

// What a port has to itself it does not draw: of 8 packets at each port 3, so 5 from the pool.
TEST(HeadroomPool, GivesWhatIsBeyondAPortsOwnHeadroom) {
  const std::int64_t each = packets_after_xoff();
  const Outcome own = outcome(7, with_pool(100 * kPoolPacket, 3 * kPoolPacket));
  EXPECT_EQ(own.drops, 0);
  EXPECT_EQ(own.peak, 7 * (each - 3) * kPoolPacket);
  EXPECT_EQ(outcome(7, with_pool(7 * (each - 3) * kPoolPacket - 1_B, 3 * kPoolPacket)).of_pool, 1);
}

// Without a pool each port has its headroom to itself, whatever `headroom_reserved` says.
TEST(HeadroomPool, IsNotAskedWhereThereIsNone) {
  const Outcome none = outcome(7, with_pool(0_B, 3 * kPoolPacket));
  EXPECT_EQ(none.drops, 0);
  EXPECT_EQ(none.peak, 0_B);
}

// A port's own limit counts before the pool does, and its drops are none of the pool's.
TEST(HeadroomPool, LendsAPortNoMoreThanItsHeadroom) {
  PacketNetwork::Options options = with_pool(10_MB, 0_B);
  options.switches.data().pfc().headroom_bytes = 6 * kPoolPacket;
  const Outcome limited = outcome(4, options);
  EXPECT_EQ(limited.drops, 4 * 2);
  EXPECT_EQ(limited.of_pool, 0);
  EXPECT_EQ(limited.peak, 4 * 6 * kPoolPacket);
}

}  // namespace
}  // namespace weft::testing
