// What a collective does of which nothing but the operation and the size is said, and what stands
// beside its time.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

const std::string kFabricOfHosts =
    "name: t\n"
    "racks: {count: 2, servers: 4, server: host-400g}\n"
    "links:\n"
    "  access: {rate: 400Gbps, length: 3m, cable: copper}\n"
    "  uplink: {rate: 400Gbps, length: 30m, cable: fibre}\n"
    "fabric: {topology: leaf-spine, spines: 4, switch: spectrum-4, load_balancing: spray}\n"
    "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
    "jobs:\n";

std::string of_servers(const std::string& server) {
  return "name: t\n"
         "racks: {count: 2, servers: 1, server: " +
         server +
         "}\n"
         "links: {access: {rate: 400Gbps, length: 3m, cable: copper}, uplink: {rate: 400Gbps, "
         "length: 30m, cable: fibre}}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 8, switch: spectrum-4, "
         "load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "jobs:\n";
}

JobResult only_job(const std::string& text) {
  const auto loaded = load_scenario_text(text, "t.yaml");
  EXPECT_TRUE(loaded.ok()) << text << loaded.errors()[0].to_string();
  const auto experiment = build_experiment(loaded.value().scenario);
  EXPECT_TRUE(experiment.ok()) << experiment.errors()[0].to_string();
  return simulate(experiment.value()).jobs.at(0);
}

double jct(const std::string& text) { return to_seconds(only_job(text).jct); }

// A chain that hands the vector on whole takes it n - 1 times; one in chunks hardly more than once.
TEST(DefaultCollective, IsPipelinedWhereThereAreNoGpus) {
  const std::string job = kFabricOfHosts + "  - {name: a, type: broadcast, size: 64MiB";
  const JobResult by_default = only_job(job + "}\n");
  const double once = to_seconds(by_default.bound.value());
  EXPECT_LT(to_seconds(by_default.jct), 1.1 * once);
  EXPECT_GT(jct(job + ", algorithm: ring}\n"), 6 * once);
  EXPECT_NE(by_default.choice.find("in chunks of"), std::string::npos) << by_default.choice;
}

// Pairs in turn wait for each other; all at once do not.
TEST(DefaultCollective, OfAnAllToAllIsOneShot) {
  const JobResult job =
      only_job(kFabricOfHosts + "  - {name: a, type: all-to-all, size: 256KiB}\n");
  EXPECT_EQ(job.algorithm, "one-shot");
  EXPECT_LT(to_seconds(job.jct), 1.25 * to_seconds(job.bound.value()));
}

// Of every operation it is as quick as the best of the algorithms that it might have been, within a
// tenth: they are chosen by closed forms, and run by packets.
TEST(DefaultCollective, IsAboutAsQuickAsAnyOther) {
  using namespace collectives;
  for (const std::string& operation : operation_names()) {
    if (operation == "all-to-all-v" || operation == "barrier") continue;
    const std::string job = std::string(kFabricOfHosts)
                                .append("  - {name: a, type: ")
                                .append(operation)
                                .append(", size: 4MiB");
    const double by_default = jct(job + "}\n");
    for (const Algorithm algorithm : algorithms_for(*operation_named(operation))) {
      const std::string name = name_of(algorithm);
      const std::string with = std::string(job).append(", algorithm: ").append(name).append("}\n");
      const auto loaded = load_scenario_text(with, "t.yaml");
      const auto experiment = build_experiment(loaded.value().scenario);
      if (!experiment) continue;  // not on this fabric
      EXPECT_LT(by_default, 1.1 * to_seconds(simulate(experiment.value()).jobs[0].jct))
          << operation << " by " << name;
    }
  }
}

TEST(DefaultCollective, OnGpusIsWhatNcclDoesWithItsExecution) {
  for (const std::string server : {"hgx-h100", "hgx-b200", "dgx-a100", "dgx-2"}) {
    const std::string job = of_servers(server) + "  - {name: a, type: all-reduce, size: 1MiB";
    const JobResult by_default = only_job(job + "}\n");
    const std::string generation = server == "hgx-h100"   ? "hopper"
                                   : server == "hgx-b200" ? "blackwell"
                                   : server == "dgx-2"    ? "volta"
                                                          : "ampere";
    const std::string words = ", algorithm: nccl, execution: nccl, generation: ";
    const JobResult named =
        only_job(std::string(job).append(words).append(generation).append("}\n"));
    EXPECT_EQ(by_default.jct, named.jct) << server;
    EXPECT_EQ(by_default.protocol, named.protocol) << server;
    EXPECT_EQ(by_default.choice.find("NCCL's model: "), 0U) << by_default.choice;
  }
}

// NCCL's choice goes by what NCCL does with it: sent whole it would be of no use.
TEST(DefaultCollective, ThatIsNcclsHasItsExecution) {
  const std::string job =
      of_servers("hgx-h100") + "  - {name: a, type: broadcast, size: 64MiB, algorithm: nccl";
  EXPECT_EQ(jct(job + "}\n"), jct(job + ", execution: nccl}\n"));
  EXPECT_GT(jct(job + ", execution: plain}\n"), 2 * jct(job + "}\n"));
}

TEST(DefaultCollective, TakesTheExecutionThatIsGiven) {
  const std::string job = kFabricOfHosts + "  - {name: a, type: broadcast, size: 4MiB";
  EXPECT_EQ(jct(job + ", execution: {chunk: 1MiB}}\n"),
            jct(job + ", execution: {preset: plain, chunk: 1MiB}}\n"));
}

struct Bound {
  const char* job;
  double bytes;  ///< that pass a NIC of 400 Gbps, or a share of one
};
class OperationBounds : public ::testing::TestWithParam<Bound> {};

// Eight hosts with a NIC each.
TEST_P(OperationBounds, AreTheBytesThatMustPassANic) {
  const JobResult job =
      only_job(kFabricOfHosts + "  - {name: a, " + std::string(GetParam().job) + "}\n");
  const double seconds = to_seconds(job.bound.value());
  const double at_line_rate = GetParam().bytes / 50e9;
  EXPECT_GE(seconds, at_line_rate);
  EXPECT_LE(seconds, 1.03 * at_line_rate) << "headers take less than 3 %";
  EXPECT_LE(job.bound.value(), job.ideal);
  EXPECT_EQ(job.bound_set_by.find("links of"), 0U) << job.bound_set_by;
}

constexpr double kMiB = 1 << 20;
INSTANTIATE_TEST_SUITE_P(
    Operations, OperationBounds,
    ::testing::Values(Bound{"type: all-reduce, size: 8MiB", 2 * 7 * kMiB},
                      Bound{"type: all-reduce, size: 8MiB, iterations: 3", 3 * 2 * 7 * kMiB},
                      Bound{"type: all-gather, size: 8MiB", 7 * kMiB},
                      Bound{"type: reduce-scatter, size: 8MiB", 7 * kMiB},
                      Bound{"type: broadcast, size: 8MiB", 8 * kMiB},
                      Bound{"type: reduce, size: 8MiB, root: 3", 8 * kMiB},
                      Bound{"type: gather, size: 8MiB", 7 * kMiB},
                      Bound{"type: scatter, size: 8MiB", 7 * kMiB},
                      Bound{"type: all-to-all, size: 1MiB", 7 * kMiB},
                      Bound{"type: send-recv, size: 8MiB", 8 * kMiB},
                      Bound{"type: all-to-all-v, blocks: [{from: 0, to: 1, size: 3MiB}, {from: 2, "
                            "to: 1, size: 2MiB}]",
                            5 * kMiB}));

// A bound that can be beaten is none. Ranks of a gather compute and send on while the root still
// takes in what the last iteration had for it: 6 x 100 us of computing, and 7/8 of 1 MiB once.
TEST(OperationBound, LetsIterationsOverlap) {
  const JobResult job = only_job(
      kFabricOfHosts + "  - {name: a, type: gather, size: 1MiB, iterations: 6, compute: 100us}\n");
  EXPECT_GE(job.jct, job.bound.value());
  EXPECT_NEAR(to_seconds(job.bound.value()), 600e-6 + 7 * kMiB / 8 / 50e9, 2e-6);
}

// Every rank needs 7/8 of the vector before it can continue: of an all-gather nothing overlaps.
TEST(OperationBound, AddsUpWhatNoRankGoesOnWithout) {
  const JobResult job =
      only_job(kFabricOfHosts +
               "  - {name: a, type: all-gather, size: 1MiB, iterations: 6, compute: 100us}\n");
  EXPECT_GE(job.jct, job.bound.value());
  EXPECT_NEAR(to_seconds(job.bound.value()), 6 * (100e-6 + 7 * kMiB / 8 / 50e9), 6e-6);
}

// An oversubscribed leaf: half of an all-to-all leaves it, over one uplink.
TEST(OperationBound, IsOfTheTightestCut) {
  std::string fabric = kFabricOfHosts;
  fabric.replace(fabric.find("spines: 4"), 9, "spines: 1");
  const JobResult job = only_job(fabric + "  - {name: a, type: all-to-all, size: 1MiB}\n");
  EXPECT_EQ(job.bound_set_by.find("links above leaf"), 0U) << job.bound_set_by;
  EXPECT_NEAR(to_seconds(job.bound.value()), 16 * kMiB / 50e9, 0.03 * 16 * kMiB / 50e9);
}

// MODEL.md 11.8
TEST(DefaultCollective, InTheNetworkNeedsSwitchesThatStorePacketsAndQueueThemAtOutputs) {
  const auto error_of = [](const std::string& fabric) -> std::string {
    const auto loaded = load_scenario_text(
        "name: t\n"
        "racks: {count: 1, servers: 1, server: hgx-h100}\n"
        "fabric: {topology: single-domain" +
            fabric +
            "}\n"
            "jobs:\n"
            "  - {name: a, type: all-reduce, algorithm: nvls, size: 1MiB}\n",
        "t.yaml");
    if (!loaded.ok()) return loaded.errors()[0].to_string();
    const auto experiment = build_experiment(loaded.value().scenario);
    return experiment.ok() ? "" : experiment.errors()[0].to_string();
  };
  const std::string none = "needs switches that add and multicast; this network has none";
  EXPECT_EQ(error_of(""), "");
  EXPECT_NE(error_of(", forwarding: cut-through").find(none), std::string::npos);
  EXPECT_NE(error_of(", queueing: input").find(none), std::string::npos);
}

// Switches that reduce: S + S/n over the NVLinks of a rank, where a ring takes 2 (n-1)/n S.
TEST(OperationBound, CountsSwitchesThatReduce) {
  const std::string fabric = of_servers("hgx-h100");
  const std::string job = "  - {name: a, type: all-reduce, size: 64MiB, ranks: 0-7";
  const JobResult ring = only_job(fabric + job + ", algorithm: ring}\n");
  const JobResult nvls = only_job(fabric + job + ", algorithm: nvls}\n");
  EXPECT_EQ(ring.bound, nvls.bound) << "whatever the algorithm";
  EXPECT_LE(ring.bound.value(), nvls.ideal);
  // 18 links of 25 GB/s with 0.824 for payload, and a NIC of 50 GB/s.
  const double rate = 18 * 25e9 * 0.824 + 50e9;
  EXPECT_NEAR(to_seconds(ring.bound.value()), (64 + 8) * kMiB / rate, 0.01 * 72 * kMiB / rate);
}

// What scale-up switches work on takes all links in turn, so that its ideal time does not depend on
// how other traffic is spread; and no message is faster than its own.
TEST(IdealTime, OfWhatSwitchesReduceIsThatOfAllLinks) {
  const std::string job =
      "  - {name: a, type: all-reduce, size: 1MiB, ranks: 0-7, algorithm: nvls}\n";
  const JobResult in_turn = only_job(of_servers("hgx-h100") + job);
  const JobResult by_flow =
      only_job(of_servers("{part: hgx-h100, scale_up: {spreading: flow}}") + job);
  EXPECT_EQ(in_turn.ideal, by_flow.ideal);
  EXPECT_EQ(in_turn.jct, by_flow.jct);
}

// Two servers: a server's sum crosses its NICs once each way, whatever happens inside.
TEST(OperationBound, LooksAtScaleUpDomains) {
  const JobResult job =
      only_job(of_servers("hgx-h100") + "  - {name: a, type: all-reduce, size: 64MiB}\n");
  EXPECT_NE(job.bound_set_by.find("scale-up domain"), std::string::npos) << job.bound_set_by;
  const double seconds = 64 * kMiB / (8 * 50e9);
  EXPECT_NEAR(to_seconds(job.bound.value()), seconds, 0.03 * seconds);
}

}  // namespace
}  // namespace weft::scenarios
