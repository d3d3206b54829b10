// Which paths ACKs take.
//
// NCCL's queue pairs carry data one way, so the ACKs of A to B and the data of B to A have nothing
// in common: over m spines they share an uplink with chance 1/m. A queue pair that both sides send
// by has one pair of keys, so that they always do.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "simcore/base/random.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

constexpr std::uint32_t kSpines = 8;
constexpr std::uint32_t kServers = 8;

/// How many of the second leaf's uplinks carry anything while one host under each leaf sends to the
/// other: the data of one direction and the ACKs of the other cross them.
int used_uplinks(std::uint64_t seed, std::uint32_t pair, QueuePairUse use) {
  topologies::LeafSpineSpec spec;
  spec.racks = 2;
  spec.servers_per_rack = kServers;
  spec.spines = kSpines;
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  protocols::PacketNetwork::Options options = plain_options();
  options.seed = seed;
  roce_of(options).queue_pair_use = use;
  const HostId a(pair);
  const HostId b(kServers + pair);
  FlowRun run(spec, options, {{a, b, 100_KB, 0_ps, {}, 7}, {b, a, 100_KB, 0_ps, {}, 7}});
  (void)run.completions();
  const Fabric& fabric = run.fabric();
  const NodeId leaf = fabric.peer_node(fabric.host(b).first_port);
  int used = 0;
  for (std::uint32_t i = 0; i < fabric.node(leaf).port_count; ++i) {
    const PortId port(fabric.node(leaf).first_port.value() + i);
    const bool leads_up = fabric.node(fabric.peer_node(port)).kind == NodeKind::kSwitch;
    if (leads_up && run.network().port_counters(port).packets > 0) ++used;
  }
  return used;
}

int shared_uplinks(QueuePairUse use, int seeds) {
  int shared = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    for (std::uint32_t pair = 0; pair < kServers; ++pair) {
      shared += used_uplinks(static_cast<std::uint64_t>(seed), pair, use) == 1 ? 1 : 0;
    }
  }
  return shared;
}

TEST(ResponsePaths, ShareAnUplinkWithTheOtherDirectionsDataByChanceOnly) {
  // 40 seeds, 8 pairs each: binomial with n = 320 and p = 1/8, mean 40, deviation 5.9; four of
  // them.
  const int shared = shared_uplinks(QueuePairUse::kOneWay, 40);
  EXPECT_GE(shared, 17);
  EXPECT_LE(shared, 63);
}

// MODEL.md 5.2
TEST(ResponsePaths, AreThoseOfTheOtherDirectionsDataWhereAQueuePairCarriesBoth) {
  EXPECT_EQ(shared_uplinks(QueuePairUse::kBothWays, 5), 5 * static_cast<int>(kServers));
}

/// A permutation of 128 hosts and its inverse; the two directions of a pair have one label, as in
/// one job, or two, as in two.
std::vector<Flow> both_ways(std::uint64_t seed, bool is_one_job) {
  std::vector<std::uint32_t> order(128);
  std::iota(order.begin(), order.end(), 0U);
  const RandomStream random(seed, Purpose::kTestScenario, 0);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(i, i + 1)]);
  }
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const HostId a(order[i]);
    const HostId b(order[(i + 1) % order.size()]);
    flows.push_back({a, b, 500_KB, 0_ps, {}, 0});
    flows.push_back({b, a, 500_KB, 0_ps, {}, is_one_job ? 0U : 1U});
  }
  return flows;
}

/// Of 20 seeds: the mean of all completions.
double mean_completion(bool is_one_job, QueuePairUse use) {
  topologies::FatTreeSpec fat_tree;
  fat_tree.k = 8;
  fat_tree.access = fat_tree.uplink = {100_Gbps, 1_us};
  constexpr int kSeeds = 20;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    protocols::PacketNetwork::Options options = plain_options();
    options.seed = seed;
    roce_of(options).queue_pair_use = use;
    FlowRun run(fat_tree, options, both_ways(seed, is_one_job));
    const std::vector<Picoseconds> times = run.completions();
    for (const Picoseconds time : times) {
      mean += to_seconds(time) / static_cast<double>(times.size()) / kSeeds;
    }
  }
  return mean;
}

TEST(ResponsePaths, APermutationBothWaysTakesAsLongInOneJobAsInTwo) {
  // HPCC's ns-3 hashes all four flows of a pair on their own. What is left is chance: 20 seeds.
  const double one = mean_completion(true, QueuePairUse::kOneWay);
  const double two = mean_completion(false, QueuePairUse::kOneWay);
  RecordProperty("one_job_us", std::to_string(one * 1e6));
  RecordProperty("two_jobs_us", std::to_string(two * 1e6));
  const double shared = mean_completion(true, QueuePairUse::kBothWays);
  RecordProperty("one_job_shared_us", std::to_string(shared * 1e6));
  EXPECT_NEAR(one, two, 0.02 * two);
}

}  // namespace
}  // namespace weft::testing
