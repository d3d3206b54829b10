// Ultra Ethernet where many senders share a link: windows after quick adapt, and an oversubscribed
// leaf-spine. Both by the preset `uet-htsim`.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/random.hpp"
#include "tests/support/state_of.hpp"
#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::NetworkState;
using protocols::NetworkStateOf;
using protocols::PacketNetwork;

/// Bytes that a sender may have in flight.
double window_of(PacketNetwork& network, std::uint32_t sender) {
  NetworkState& s = NetworkStateOf::network(network);
  double window = 0;
  s.controls.at_context(s.constants.transports[0].control,
                        s.senders.whole(protocols::QueuePairId(sender)).control_slot,
                        [&](const auto& control, const auto& /*p*/) {
                          window = static_cast<double>(control.window().count());
                        });
  return window;
}

/// In-casts of 32 hosts over links of 2.832 us, whose base round trip is 12 us.
FlowRun adapting_in_cast(PacketNetwork::Options options, bool trims) {
  if (!trims) {
    uec_of(options).uses_trimming = false;
    uec_of(options).timeout = 1_s;
    options.switches.data().trimming.enabled = false;
    options.switches.data().egress_limit = 0_B;
  }
  return {star(33, 100_Gbps, 2'832_ns), options, in_cast(32, 2_MB)};
}

// Each sender's window becomes what it got through in a period of round trip + target = 21 us: all
// of them together 262,500 B, 1.75 bandwidth-delay products. The first period ends 21 us after the
// first answer, which is there after 12 us; windows are averaged over the next one.
// MODEL.md 15.9
TEST(UecOracle, N4_AfterQuickAdaptWindowsTogetherAreWhatAPeriodCarries) {
  FlowRun run = adapting_in_cast(htsim_uec(12_us, 36, 7, 29), true);
  double sum = 0;
  for (int i = 0; i < 21; ++i) {
    run.network().run_until(Picoseconds((33 + i) * 1'000'000));
    for (std::uint32_t sender = 0; sender < 32; ++sender) sum += window_of(run.network(), sender);
  }
  const double mean = sum / 21;
  RecordProperty("bytes", std::to_string(mean));
  EXPECT_NEAR(mean, 262'500, 0.15 * 262'500);
}

// Without trimming the period is 24 us, 2 such products. It ends with an answer, and a sender has
// one per 32 packets of 332 ns: the third, 31.87 us later, so that each gets three packets.
TEST(UecOracle, N4_WithoutTrimmingAPeriodEndsWithAnAnswer) {
  FlowRun run = adapting_in_cast(htsim_uec(12_us, 36, 7, 29), false);
  std::vector<double> window(32, 225'000);
  std::vector<double> adapted(32);
  for (Picoseconds now; now < 200_us; now += 50_ns) {
    run.network().run_until(now);
    for (std::uint32_t i = 0; i < 32; ++i) {
      const double next = window_of(run.network(), i);
      if (adapted[i] == 0 && next < window[i] / 2) adapted[i] = next;
      window[i] = next;
    }
  }
  for (const double bytes : adapted) EXPECT_EQ(bytes, 3 * 4'150);
}

// By the specification's values and 1 ms of RTO: cuts close windows over packets that asked for no
// ACK, and whoever waited for a time-out would end after that.
// MODEL.md 15.3
TEST(UecOracle, T4_NoWindowClosesOverPacketsThatAskForNoAck) {
  topologies::LeafSpineSpec spec;
  spec.racks = 5;
  spec.servers_per_rack = spec.spines = 8;
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  PacketNetwork::Options options = uec_options(protocols::UecConfig());
  protocols::TrafficClass& data = options.switches.data();
  data.egress_limit = 400_KB;
  data.trimming.enabled = true;
  data.ecn = {.enabled = true, .kmin = 80_KB, .kmax = 320_KB, .pmax = 1};
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 32; ++i) flows.push_back({HostId(i), HostId(39u), 1_MiB, 0_ps});
  FlowRun run(spec, options, flows);
  const std::vector<Picoseconds> times = run.completions();
  EXPECT_GT(run.network().totals().packets_trimmed, 1'000U);
  EXPECT_EQ(run.network().totals().timeouts, 0U);
  EXPECT_LT(*std::ranges::max_element(times), 1_ms);
}

// A star has no other hops.
// MODEL.md 15.14
TEST(EcnLastHop, PortsThatLeadToHostsDoNotMark) {
  for (const bool last_hop : {true, false}) {
    PacketNetwork::Options options = htsim_star();
    options.switches.data().ecn.marks_last_hop = last_hop;
    FlowRun run(star(5, 100_Gbps, 1_us), options, in_cast(4, 500_KB));
    run.completions();
    EXPECT_EQ(run.network().totals().ecn_marked > 0, last_hop);
  }
}

/// Nobody sends to itself (Sattolo's algorithm).
std::vector<std::uint32_t> random_permutation(std::uint64_t seed) {
  const RandomStream random(seed, Purpose::kGrantPeriod, 0);
  std::vector<std::uint32_t> to(32);
  std::iota(to.begin(), to.end(), 0U);
  for (std::uint32_t i = 31; i > 0; --i) std::swap(to[i], to[random.below(i, std::uint64_t{i})]);
  return to;
}
/// The most flows that a leaf of eight hosts sends to others, or has from them.
std::uint32_t busiest_leaf(const std::vector<std::uint32_t>& to) {
  std::vector<std::uint32_t> out(4);
  std::vector<std::uint32_t> in(4);
  for (std::uint32_t i = 0; i < 32; ++i) {
    if (i / 8 == to[i] / 8) continue;
    ++out[i / 8];
    ++in[to[i] / 8];
  }
  return std::max(*std::ranges::max_element(out), *std::ranges::max_element(in));
}

// uet-htsim's `leaf_spine_tiny.topo`, 32 hosts on four leaves with two spines, permutations of 2
// MB: 725 and 760 us in two runs, with about 800 trims. Where all eight hosts of a leaf send to
// others, or are sent to, its two uplinks take 8 x 81.25 = 650 us; where at most seven do, 569 us.
// About half of all random permutations are of either kind, so that their median would be a draw:
// that of 20 of the first kind is taken.
TEST(UecOracle, E6_AnOversubscribedLeafSpineEndsAsInThePeer) {
  topologies::LeafSpineSpec spec;
  spec.racks = 4;
  spec.servers_per_rack = 8;
  spec.spines = 2;
  spec.access = spec.uplink = {100_Gbps, 1_us};
  std::vector<double> last;
  for (std::uint64_t seed = 1; last.size() < 20; ++seed) {
    const std::vector<std::uint32_t> to = random_permutation(seed);
    if (busiest_leaf(to) < 8) continue;
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 32; ++i) {
      flows.push_back({HostId(i), HostId(to[i]), 2'000'000_B, 0_ps});
    }
    PacketNetwork::Options options = htsim_star();
    options.seed = seed;
    FlowRun run(spec, options, flows);
    const std::vector<Picoseconds> times = run.completions();
    last.push_back(to_seconds(*std::ranges::max_element(times)) * 1e6);
  }
  std::ranges::sort(last);
  const double median = (last[9] + last[10]) / 2;
  RecordProperty("median_us", std::to_string(median));
  EXPECT_GE(last.front(), 650);
  EXPECT_GE(median, 690);
  EXPECT_LE(median, 800);
}

}  // namespace
}  // namespace weft::testing
