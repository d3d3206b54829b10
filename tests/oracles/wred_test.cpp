// WRED that drops: where the queue settles, how much is lost, and whom it spares.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::NoFlowControl;
using protocols::PacketNetwork;

constexpr BitsPerSecond kWredRate = 100_Gbps;
constexpr Bytes kWredPacket = 4178_B;  // 4096 B on the wire

PacketNetwork::Options dropping_early(Bytes min, Bytes max, double probability,
                                      std::uint32_t weight) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.buffer = 100_MB;
  options.switches.data().flow_control = NoFlowControl{};
  options.switches.data().ecn.enabled = false;
  options.switches.data().wred = {
      .enabled = true, .min = min, .max = max, .probability = probability, .weight = weight};
  return options;
}

std::vector<Flow> at_line_rate(std::uint32_t senders, Bytes size) {
  std::vector<Flow> flows;
  for (std::uint32_t from = 1; from <= senders; ++from) {
    flows.push_back({HostId(from), HostId(0u), size, 0_ps});
  }
  return flows;
}

PortId egress_to_0(const FlowRun& run) {
  return run.fabric().port(run.fabric().host(HostId(0u)).first_port).peer;
}

struct Settled {
  double dropped = 0;  ///< of what came
  double queue = 0;    ///< mean, in bytes
};

Settled settle(std::uint32_t senders, const PacketNetwork::Options& options) {
  FlowRun run(star(senders + 1, kWredRate, 500_ns), options, at_line_rate(senders, 100_MB));
  run.network().run_until(1_ms);
  run.network().reset_statistics();
  run.network().run_until(4_ms);
  const protocols::PortCounters counters = run.network().port_counters(egress_to_0(run));
  EXPECT_TRUE(run.network().violated_invariants(false).empty());
  const auto dropped = static_cast<double>(counters.wred_drops);
  EXPECT_EQ(run.network().totals().packets_dropped(), counters.wred_drops);
  const auto came = dropped + static_cast<double>(counters.packets);
  return {dropped / came, static_cast<double>(counters.queue_integral) / 3e9};
}

// MODEL.md 3.3
// N senders at line rate bring N packets for each that leaves, so that 1 - 1/N of
// them are dropped; the queue stays where that is the probability: min + (1 - 1/N) / p (max - min).
// The tolerances are those of some ten thousand draws, and of a queue that a drop more or less
// moves.
TEST(Wred, HoldsTheQueueWhereItDropsWhatIsTooMuch) {
  constexpr Bytes kMin = 50 * kWredPacket;
  constexpr Bytes kMax = 450 * kWredPacket;
  for (const std::uint32_t weight : {0U, 4U}) {
    for (const std::uint32_t senders : {2U, 4U}) {
      const double excess = 1 - 1.0 / senders;
      for (const double probability : {1.0, 0.8}) {
        const Settled found = settle(senders, dropping_early(kMin, kMax, probability, weight));
        EXPECT_NEAR(found.dropped, excess, 0.01) << senders;
        const double queue = static_cast<double>(kMin.count()) +
                             excess / probability * static_cast<double>((kMax - kMin).count());
        EXPECT_NEAR(found.queue / queue, 1, 0.03) << senders << " " << probability << " " << weight;
      }
    }
  }
}

// Nothing is dropped that finds no more than `min`, everything that finds more than `max`.
TEST(Wred, DropsAllAboveItsMaximum) {
  const PacketNetwork::Options options =
      dropping_early(10 * kWredPacket, 10 * kWredPacket + 1_B, 1e-9, 0);
  FlowRun run(star(5, kWredRate, 500_ns), options, at_line_rate(4, 4_MB));
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  EXPECT_EQ(run.network().class_counters(egress_to_0(run), ClassId()).peak_bytes, 11 * kWredPacket);
  const protocols::NetworkTotals totals = run.network().totals();
  EXPECT_GT(totals.wred_drops, 0);
  EXPECT_EQ(totals.packets_injected,
            totals.packets_delivered + static_cast<std::uint64_t>(totals.wred_drops));
  EXPECT_TRUE(run.network().violated_invariants(true).empty());
}

// MODEL.md 3.4
// RFC 3168: what can be marked is, and is not dropped.
TEST(Wred, SparesWhatCanBeMarked) {
  PacketNetwork::Options options = dropping_early(10 * kWredPacket, 20 * kWredPacket, 1, 0);
  options.switches.data().ecn = {.kmin = 10 * kWredPacket, .kmax = 20 * kWredPacket, .pmax = 1};
  FlowRun run(star(3, kWredRate, 500_ns), options, at_line_rate(2, 4_MB));
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  EXPECT_EQ(run.network().totals().wred_drops, 0);
  EXPECT_GT(run.network().totals().ecn_marked, 0);
}

/// Drops of a burst of 400 packets from each of two senders, and of one of 25 at `second`.
std::int64_t drops_of_bursts(std::optional<Picoseconds> second) {
  const PacketNetwork::Options options =
      dropping_early(10 * kWredPacket, 10 * kWredPacket + 1_B, 1, 6);
  std::vector<Flow> flows;
  for (const std::uint32_t from : {1U, 2U}) {
    flows.push_back({HostId(from), HostId(0u), 400 * 4096_B, 0_ps});
    if (second) flows.push_back({HostId(from), HostId(0u), 25 * 4096_B, *second});
  }
  FlowRun run(star(3, kWredRate, 500_ns), options, flows);
  EXPECT_EQ(run.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
  return run.network().totals().wred_drops;
}

// With n packets of both senders the queue is n / 2, and an average over 64 packets
// (n - 64 (1 - e^(-n / 64))) / 2: of 50 it is 8, and none is dropped. Right behind a long burst the
// average still is about 7 of 10 when they begin, and 11 when they end.
TEST(Wred, ForgetsItsAverageWhileTheQueueIsIdle) {
  const std::int64_t one = drops_of_bursts({});
  EXPECT_GT(one, 0);
  EXPECT_EQ(drops_of_bursts(10_ms), one);
  EXPECT_GT(drops_of_bursts(145_us), one);
}

}  // namespace
}  // namespace weft::testing
