#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "protocols/network/lp_cut.hpp"
#include "scenarios/build/experiment.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;

/// Four servers of eight H100 on two leaves and two spines.
std::string cluster(const std::string& partition) {
  return "name: t\nracks: {count: 2, servers: 2, server: hgx-h100}\n"
         "links: {access: {length: 3m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: quantum-2}\n"
         "jobs: [{name: a, type: all-reduce, size: 1MiB}]\n"
         "run: {partition: " +
         partition + "}\n";
}

LpPlan plan_for(const std::string& partition) {
  return plan_of(experiment_of_text(cluster(partition)));
}

std::uint64_t count(const Fabric& fabric, NodeKind kind, bool is_scale_up) {
  std::uint64_t number = 0;
  for (const Node& node : fabric.nodes) {
    number += node.kind == kind && (node.domain >= 0) == is_scale_up ? 1 : 0;
  }
  return number;
}

TEST(Partition, HasNamesForWhereTheFabricIsCut) {
  const Fabric fabric = experiment_of_text(cluster("auto")).fabric;
  const std::uint64_t gpus = fabric.hosts.size();
  const std::uint64_t scale_up = count(fabric, NodeKind::kSwitch, true);
  const std::uint64_t scale_out = count(fabric, NodeKind::kSwitch, false);
  ASSERT_EQ(gpus, 32U);
  ASSERT_EQ(scale_out, 4U);
  EXPECT_EQ(plan_for("one").lp_count, 1U);
  EXPECT_EQ(plan_for("uplinks").lp_count, 2 + 2U) << "a leaf with its servers, and each spine";
  EXPECT_EQ(plan_for("access").lp_count, 4 + scale_out) << "servers stay whole";
  EXPECT_EQ(plan_for("finest").lp_count, gpus + scale_up + scale_out);
}

TEST(Partition, AtUplinksHasTheLongestWindow) {
  const LpPlan uplinks = plan_for("uplinks");
  const LpPlan access = plan_for("access");
  const LpPlan finest = plan_for("finest");
  EXPECT_GT(uplinks.lookahead, access.lookahead);
  EXPECT_GT(access.lookahead, finest.lookahead);
}

TEST(Partition, IsOneWhereThereIsNothingOfTheNameToCut) {
  const std::string one_server =
      "name: t\nracks: {count: 1, servers: 1, server: hgx-h100}\n"
      "fabric: {topology: single-domain}\n"
      "jobs: [{name: a, type: all-reduce, size: 1MiB}]\nrun: {partition: uplinks}\n";
  EXPECT_EQ(plan_of(experiment_of_text(one_server)).lp_count, 1U);
}

TEST(Partition, PutsNeighboursTogetherWhereThreadsShareWindows) {
  // Servers are the logical processes 0 to 3, leaves and spines 4 to 7, on one thread and where
  // windows have too little to share. Else switches stand among the servers.
  const Experiment e = experiment_of_text(cluster("access"));
  const auto last = [&](const protocols::Parallelism& parallelism) {
    const LpPlan plan = plan_of(e, parallelism);
    return plan.lp_of_node[e.fabric.hosts.back().value()];
  };
  EXPECT_EQ(last({.threads = 1, .share_from = 1}), 3U);
  EXPECT_EQ(last({.threads = 2, .share_from = 1'000'000}), 3U);
  EXPECT_GT(last({.threads = 2, .share_from = 1}), 3U);
}

/// What the fabric of `cluster` costs with each cut, by a load of that utilisation.
double cost_of(const std::string& partition, double utilisation,
               const protocols::Parallelism& parallelism = {}) {
  const Experiment e = experiment_of_text(cluster(partition));
  const protocols::ExpectedLoad load{.utilisation = {utilisation, utilisation},
                                     .packet = {Bytes(4096), Bytes(4096)},
                                     .parallelism = parallelism};
  return protocols::predicted_cost(plan_of(e), e.fabric, e.scenario.switches, load);
}

// Where little happens, most of a window is a visit of logical processes that have nothing to do.
TEST(Partition, IsCoarseWhereLittleHappens) {
  EXPECT_LT(cost_of("one", 1e-4), cost_of("access", 1e-4));
  EXPECT_LT(cost_of("access", 1e-4), cost_of("finest", 1e-4));
}

TEST(Partition, IsFineEnoughForTheThreads) {
  const protocols::Parallelism four{.threads = 4, .share_from = 1};
  EXPECT_LT(cost_of("access", 0.5, four), cost_of("one", 0.5, four));
  EXPECT_DOUBLE_EQ(cost_of("one", 1e-4), cost_of("one", 1e-4, {.threads = 4}))
      << "windows of fewer events than are shared stay with one thread";
}

// In windows half as long everything is looked up twice as often: the logical process, and each of
// its ports that is in use.
TEST(Partition, EveryWindowLooksAtThePortsInUse) {
  const Experiment e = experiment_of_text(cluster("one"));
  const auto per_window = [&e](double utilisation) {
    const protocols::ExpectedLoad load{.utilisation = {utilisation, utilisation},
                                       .packet = {Bytes(4096), Bytes(4096)},
                                       .parallelism = {}};
    LpPlan plan = plan_of(e);
    const double window = to_seconds(plan.lookahead) * 1e9;
    const auto cost = [&] {
      return protocols::predicted_cost(plan, e.fabric, e.scenario.switches, load);
    };
    const double longer = cost();
    plan.lookahead = plan.lookahead / 2;
    return (cost() - longer) * window;  // in ns
  };
  const auto ports = static_cast<double>(e.fabric.ports.size());
  EXPECT_LT(per_window(0), 50);
  EXPECT_GT(per_window(0.5), 3 * ports);
  EXPECT_LT(per_window(0.5), 10 * ports);
}

// What ports that send nothing hold is not touched. So where both networks are in use, one logical
// process costs more than the two by themselves, each of which has the cache alone.
TEST(Partition, PortsThatAreNotInUseFillNoCache) {
  const Experiment e = weft::testing::experiment_of("gpt3-175b.yaml", {"run.partition=one"});
  const auto cost = [&e](double scale_out, double scale_up) {
    const protocols::ExpectedLoad load{.utilisation = {scale_out, scale_up},
                                       .packet = {Bytes(4096), Bytes(4096)},
                                       .parallelism = {}};
    return protocols::predicted_cost(plan_of(e), e.fabric, e.scenario.switches, load);
  };
  EXPECT_GT(cost(0.5, 0.5), 1.01 * (cost(0.5, 0) + cost(0, 0.5)));
}

// 64 servers whose memory is many times what a cache holds: cut at the uplinks, half of the servers
// were one logical process (measured: 1.5 times the time).
TEST(Partition, KeepsLogicalProcessesInTheCache) {
  const Experiment e = weft::testing::experiment_of("gpt3-175b.yaml");
  const LpPlan plan = plan_of(e);
  EXPECT_EQ(plan.lp_count, 64 + 16 + 8U) << "servers, leaves, spines";
  EXPECT_GE(plan_of(e, {.threads = 16}).lp_count, 16 * 8U) << "eight for each thread";
}

}  // namespace
}  // namespace weft::scenarios
