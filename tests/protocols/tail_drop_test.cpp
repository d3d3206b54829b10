// Senders at one rate into a full tail-drop queue. Packets take the same time everywhere, so that
// those of one sender always come first after a departure; yet all lose alike (place_order.hpp), as
// measured switches have them (openfabric-systems/simllm#196: within 0.5 % over eight streams).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;

constexpr std::int64_t kDropPackets = 250'000;

/// Unreliable, with a buffer of 1 MB.
PacketNetwork::Options dropping() {
  PacketNetwork::Options options = plain_options();
  options.transport = protocols::DatagramConfig{};
  options.switches.buffer = 1_MB;
  options.switches.data().flow_control = protocols::NoFlowControl{};
  return options;
}

/// Drops of each of `senders` hosts that send as much to host 0, each `apart` later.
std::vector<std::int64_t> drops_of(std::uint32_t senders, Picoseconds apart,
                                   PacketNetwork::Options options, std::uint64_t seed) {
  options.seed = seed;
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= senders; ++i) {
    flows.push_back({HostId(i), HostId(0u), kDropPackets * 4096_B, i * apart});
  }
  FlowRun run(star(senders + 1, 100_Gbps, 1_us), options, flows);
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  EXPECT_TRUE(run.network().violated_invariants(true).empty());
  std::vector<std::int64_t> drops;
  for (std::uint32_t i = 1; i <= senders; ++i) {
    const PortId in = run.fabric().port(run.fabric().host(HostId(i)).first_port).peer;
    drops.push_back(run.network().port_counters(in).buffer_drops);
  }
  EXPECT_EQ(std::accumulate(drops.begin(), drops.end(), std::int64_t{0}),
            run.network().totals().buffer_drops);
  return drops;
}

/// How far the one that loses most or least is from the mean of all.
double imbalance(const std::vector<std::int64_t>& drops) {
  const double mean = static_cast<double>(std::accumulate(drops.begin(), drops.end(), 0LL)) /
                      static_cast<double>(drops.size());
  const auto [min, max] = std::ranges::minmax(drops);
  return std::max(static_cast<double>(max) - mean, mean - static_cast<double>(min)) / mean;
}

// Phases pass through all values within some ten thousand departures, of which there are a quarter
// of a million; what the last, unfinished round leaves is a few per cent.

// MODEL.md 4.2
TEST(TailDrop, SendersAtOneRateLoseAlikeWheneverTheyBegin) {
  for (const Picoseconds apart : {0_ns, 100_ns, 170_ns, 3'300_ns}) {
    EXPECT_LE(imbalance(drops_of(2, apart, dropping(), 1)), 0.04) << apart.count();
  }
  for (std::uint64_t seed = 2; seed <= 5; ++seed) {
    EXPECT_LE(imbalance(drops_of(2, 0_ps, dropping(), seed)), 0.04) << seed;
  }
}

TEST(TailDrop, ThreeAndSevenSendersLoseAlike) {
  EXPECT_LE(imbalance(drops_of(3, 0_ps, dropping(), 1)), 0.08);
  EXPECT_LE(imbalance(drops_of(7, 0_ps, dropping(), 1)), 0.08);
}

// As many are lost as come and find no place, whoever loses them: 2 x 250,000 come at twice the
// rate at which they leave, and 1 MB / 4,178 B = 239 wait when the last has come.
TEST(TailDrop, LosesWhatTheLinkCannotCarry) {
  const std::vector<std::int64_t> drops = drops_of(2, 0_ps, dropping(), 1);
  EXPECT_NEAR(static_cast<double>(drops[0] + drops[1]), kDropPackets - 239.0, 3);
}

// A sender at 400 Gbps among three at 100 comes four times as often, and gets most of the places:
// it is first by the quarter of a departure's time in which the others may be before it.
TEST(TailDrop, WhoComesMoreOftenGetsMore) {
  topologies::CustomSpec fabric = std::get<topologies::CustomSpec>(star(3, 100_Gbps, 1_us));
  fabric.links[1].link.rate = 400_Gbps;
  const auto flow = [](std::uint32_t host, std::int64_t packets) {
    return Flow{HostId(host), HostId(0u), packets * 4096_B, 0_ps};
  };
  FlowRun run(fabric, dropping(), {flow(1, 400'000), flow(2, 100'000)});
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  const PortId slow = run.fabric().port(run.fabric().host(HostId(2u)).first_port).peer;
  const auto lost = static_cast<double>(run.network().port_counters(slow).buffer_drops);
  EXPECT_NEAR(lost / 100'000, 0.875, 0.04);
}

}  // namespace
}  // namespace weft::testing
