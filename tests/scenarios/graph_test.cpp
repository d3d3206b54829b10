// Graphs from the scenario language to their results, by packets.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/properties/variations.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;
using weft::testing::kVariations;
using weft::testing::simulate_as;
using weft::testing::Variation;

/// Two racks of four servers.
std::string eight_hosts(const std::string& jobs) {
  return "name: t\n"
         "racks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n" +
         jobs;
}

/// Two servers of eight H100 on eight rails.
std::string two_connected_servers(const std::string& jobs, const std::string& rest = "") {
  return "name: t\n"
         "racks: {count: 2, servers: 1, server: hgx-h100}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 4, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n" +
         rest + "jobs:\n" + jobs;
}

/// A step of everything: groups across each other, messages between stages, repeats.
const std::string kStep =
    "  - name: step\n"
    "    type: graph\n"
    "    iterations: 2\n"
    "    groups:\n"
    "      - {name: tp, kind: tensor, size: 4}\n"
    "      - {name: dp, kind: data, size: 2, stride: 4}\n"
    "    nodes:\n"
    "      - {name: forward, type: compute, time: 20us}\n"
    "      - {name: sum, type: all-reduce, algorithm: ring, size: 200KB, group: tp, after: "
    "forward}\n"
    "      - {name: backward, type: compute, time: 30us, after: sum}\n"
    "      - {name: gradients, type: all-reduce, algorithm: ring, size: 1MB, group: dp, after: "
    "backward,\n"
    "         execution: {preset: nccl, channels: 2, chunk: 64KiB}}\n"
    "      - {name: give, type: send, size: 100KB, from: 0-3, to: 4-7, after: backward}\n"
    "      - {name: step, type: compute, time: 5us, after: [gradients, give]}\n"
    "    repeats:\n"
    "      - {first: forward, last: give, times: 3}\n";

/// Of all that ranks do in an iteration, as the mean rank does it.
Picoseconds accounted_for(const IterationResult& i) {
  return i.compute + i.bubble + i.exposed_in_all();
}

TEST(Graph, RunsOnPacketsByIterations) {
  const Results results = simulate(experiment_of_text(eight_hosts(kStep)));
  ASSERT_EQ(results.outcome, Outcome::kFinished);
  ASSERT_EQ(results.iterations.size(), 2U);
  for (const IterationResult& i : results.iterations) {
    EXPECT_EQ(i.compute, 3 * 50_us + 5_us);
    EXPECT_GE(i.end - i.start, i.compute);
    EXPECT_GT(i.exposed[static_cast<std::size_t>(collectives::Communicator::Kind::kTensor)], 0_us);
    EXPECT_GT(i.exposed[static_cast<std::size_t>(collectives::Communicator::Kind::kData)], 0_us);
    // Eight means, each rounded down.
    EXPECT_LE(accounted_for(i), i.end - i.start);
    EXPECT_GE(accounted_for(i) + 8_ps, i.end - i.start - i.start_skew - i.end_skew);
  }
  EXPECT_GE(results.jobs[0].jct, results.jobs[0].ideal);
}

// Half of the ranks compute for 17 us and have posted their messages long before. The others wait
// 10 us for senders that compute, then for the messages, and compute for 17 us.
TEST(Graph, WhatRanksSpendAnIterationOnAddsUpToTheMeanRank) {
  const Results results = simulate(experiment_of_text(eight_hosts(
      "  - name: a\n"
      "    type: graph\n"
      "    nodes:\n"
      "      - {name: first, type: compute, time: 10us, ranks: 0-3}\n"
      "      - {name: give, type: send, size: 300KB, from: 0-3, to: 4-7, after: first}\n"
      "      - {name: second, type: compute, time: 17us, ranks: 4-7, after: give}\n"
      "      - {name: last, type: compute, time: 7us, ranks: 0-3, after: give}\n")));
  ASSERT_EQ(results.iterations.size(), 1U);
  const IterationResult& i = results.iterations[0];
  EXPECT_EQ(i.compute, 17_us);
  EXPECT_EQ(i.bubble, 5_us);
  EXPECT_EQ(i.exposed[static_cast<std::size_t>(collectives::Communicator::Kind::kPipeline)],
            i.exposed_in_all());
  EXPECT_EQ(i.end_skew, i.end - 17_us);
  EXPECT_LE(accounted_for(i), (17_us + i.end) / 2);
  EXPECT_GT(accounted_for(i), (17_us + 27_us) / 2);
}

TEST(Graph, WithoutSkewTheMeanRanksIterationIsTheTimeOfTheTable) {
  const Results results = simulate(experiment_of_text(eight_hosts(
      "  - name: a\n"
      "    type: graph\n"
      "    ranks: [h0, h4]\n"
      "    nodes:\n"
      "      - {name: first, type: compute, time: 10us}\n"
      "      - {name: sum, type: all-reduce, algorithm: ring, size: 300KB, after: first}\n"
      "      - {name: last, type: compute, time: 7us, after: sum}\n")));
  ASSERT_EQ(results.iterations.size(), 1U);
  const IterationResult& i = results.iterations[0];
  EXPECT_EQ(i.end_skew, 0_us) << "both ways are alike";
  EXPECT_EQ(accounted_for(i), i.end - i.start);
  EXPECT_EQ(i.bubble, 0_us);
}

// The same connections, so the same packets at the same times.
TEST(Graph, OfOneCollectiveTakesWhatTheCollectiveTakes) {
  for (const char* call :
       {"type: all-reduce, size: 1000KB", "type: all-gather, size: 1000KB, algorithm: one-shot",
        "type: all-to-all, size: 100KB", "type: broadcast, size: 1000KB, root: 5",
        "type: all-reduce, size: 1000KB, algorithm: double-binary-tree, execution: {in_flight: 4}",
        "type: all-reduce, size: 1000KB, algorithm: best",
        "type: all-reduce, size: 1000KB, algorithm: nccl, execution: nccl"}) {
    SCOPED_TRACE(call);
    const Results job =
        simulate(experiment_of_text(eight_hosts("  - {name: a, " + std::string(call) + "}\n")));
    const Results graph = simulate(experiment_of_text(eight_hosts(
        "  - {name: a, type: graph, nodes: [{name: call, " + std::string(call) + "}]}\n")));
    ASSERT_EQ(graph.outcome, Outcome::kFinished);
    EXPECT_EQ(graph.jobs[0].jct, job.jobs[0].jct);
    EXPECT_EQ(graph.jobs[0].ideal, job.jobs[0].ideal);
    EXPECT_EQ(graph.jobs[0].bytes, job.jobs[0].bytes);
    ASSERT_EQ(graph.iterations.size(), 1U);
    EXPECT_EQ(graph.iterations[0].end - graph.iterations[0].start,
              job.collectives[0].end - job.collectives[0].start);
    EXPECT_EQ(graph.iterations[0].end_skew, job.collectives[0].end_skew);
  }
}

TEST(Graph, GivesTheSameBitsHoweverItIsRun) {
  for (const std::string& text :
       {eight_hosts(kStep), two_connected_servers(kStep, "pxn: true\nseed: 5\n")}) {
    Experiment e = experiment_of_text(text);
    const std::string digest = simulate(e).digest();
    for (const Variation& variation : kVariations) {
      EXPECT_EQ(simulate_as(variation, e).digest(), digest) << variation.name;
    }
    e.scenario.run.partition = LpPlan::Cut::kFinest;
    for (const std::uint32_t threads : {1U, 2U, 3U}) {
      const protocols::Parallelism parallelism{
          .threads = threads, .share_from = 0, .waits_for_all = threads == 2};
      EXPECT_EQ(simulate(e, {}, nullptr, parallelism).digest(), digest) << threads << " threads";
    }
  }
}

TEST(Graph, ResolvedIsTheSameGraph) {
  const auto loaded = load_scenario_text(eight_hosts(kStep), "t.yaml");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(simulate(experiment_of_text(loaded.value().resolved_yaml("test"))).digest(),
            simulate(experiment_of_text(eight_hosts(kStep))).digest());
}

// The traffic of each communicator is drawn apart: they are not alike.
TEST(Graph, RoutesTokensInEveryCommunicator) {
  const Experiment e = experiment_of_text(
      eight_hosts("  - name: a\n"
                  "    type: graph\n"
                  "    groups: [{name: ep, kind: expert, size: 4}]\n"
                  "    nodes:\n"
                  "      - {name: dispatch, type: all-to-all-v, algorithm: pairwise, group: ep,\n"
                  "         routing: {tokens: 64, token_size: 4KiB, top_k: 2, skew: 1}}\n"
                  "      - {name: experts, type: compute, time: 10us, after: dispatch}\n"));
  std::vector<std::int64_t> bytes(2);
  const Results results = simulate(e, {}, nullptr, {}, [&](const MessageResult& m) {
    bytes[m.source_rank / 4] += m.bytes.count();
    EXPECT_EQ(m.source_rank / 4, m.destination_rank / 4) << "nobody leaves the communicator";
  });
  ASSERT_EQ(results.outcome, Outcome::kFinished);
  // 4 ranks x 64 tokens x 2 experts of 4 KiB, less those that stay.
  for (const std::int64_t of_communicator : bytes) {
    EXPECT_GT(of_communicator, 0);
    EXPECT_LT(of_communicator, 4 * 64 * 2 * 4096);
  }
  EXPECT_NE(bytes[0], bytes[1]);
}

// Each server's switches add up for two communicators side by side, with those in common.
TEST(Graph, ReducesInTheNetworkForSeveralCommunicators) {
  const auto run_of = [](const std::string& groups) {
    return simulate(experiment_of_text(two_connected_servers(
        "  - name: a\n"
        "    type: graph\n"
        "    groups: [" +
        groups +
        "]\n"
        "    nodes:\n"
        "      - {name: sum, type: all-reduce, size: 1MiB, algorithm: nvls, group: g}\n"
        "      - {name: then, type: compute, time: 10us, after: sum}\n"
        "      - {name: again, type: all-reduce, size: 1MiB, algorithm: nvls, group: g,\n"
        "         after: then}\n")));
  };
  const Results eights = run_of("{name: g, kind: tensor, size: 8}");
  const Results fours = run_of("{name: g, kind: tensor, size: 4}");
  const Results strided = run_of("{name: g, kind: tensor, size: 4, stride: 2}");
  for (const Results* results : {&eights, &fours, &strided}) {
    ASSERT_EQ(results->outcome, Outcome::kFinished);
    EXPECT_GT(results->iterations[0].exposed_in_all(), 0_us);
  }
}

TEST(Graph, ForwardsFromRailToRail) {
  const std::string jobs =
      "  - name: a\n"
      "    type: graph\n"
      "    groups: [{name: g, size: 4, stride: 4}]\n"
      "    nodes:\n"
      "      - {name: swap, type: all-to-all, algorithm: pairwise, size: 200KB}\n"
      "      - {name: exchange, type: all-to-all, algorithm: pairwise, size: 200KB, group: g}\n"
      "      - {name: give, type: send, size: 300KB, from: 0-6, to: 9-15, after: swap}\n";
  const Results straight = simulate(experiment_of_text(two_connected_servers(jobs)));
  const Results forwarded =
      simulate(experiment_of_text(two_connected_servers(jobs, "pxn: true\n")));
  const auto to_spines = [](const Results& results) {
    std::int64_t bytes = 0;
    for (const auto& port : results.ports) {
      if (port.peer_node.starts_with("spine")) bytes += port.counters.bytes.count();
    }
    return bytes;
  };
  ASSERT_EQ(forwarded.outcome, Outcome::kFinished);
  EXPECT_GT(to_spines(straight), 0);
  EXPECT_EQ(to_spines(forwarded), 0);
  EXPECT_EQ(forwarded.jobs[0].bytes, straight.jobs[0].bytes);
}

std::string graph_error(const std::string& body) {
  const auto loaded =
      load_scenario_text(eight_hosts("  - {name: a, type: graph, " + body + "}\n"), "t.yaml");
  if (!loaded.ok()) return loaded.errors()[0].to_string();
  const auto built = build_experiment(loaded.value().scenario);
  return built.ok() ? "none" : loaded.value().located(built.errors())[0].to_string();
}

TEST(Graph, ErrorsNameTheirPlaceInTheFile) {
  EXPECT_EQ(graph_error("nodes: [{name: x, type: compute, time: 1us, ranks: 3-1}]"),
            "t.yaml:6:79: jobs[0].nodes[0].ranks: `3-1` names no ranks; the job has ranks 0 to 7");
  EXPECT_EQ(
      graph_error("nodes: [{name: x, type: all-reduce, size: 1KB, algorithm: nvls}]").substr(0, 44),
      "t.yaml:6:86: jobs[0].nodes[0].algorithm: `nv");
  EXPECT_NE(graph_error("nodes: [{name: x, type: all-redcue, size: 1KB}]")
                .find("did you mean `all-reduce`?"),
            std::string::npos);
  EXPECT_NE(graph_error("nodes: [{name: x, type: compute, time: 1us, size: 1KB}]")
                .find("unknown key `size`"),
            std::string::npos);
  EXPECT_NE(graph_error("nodes: [{name: x, type: compute, time: 1us}], ranks: 1")
                .find("at least 2 are needed"),
            std::string::npos);
  EXPECT_NE(graph_error("nodes: [{name: \"\", type: compute, time: 1us}]").find("is empty"),
            std::string::npos);
  EXPECT_NE(graph_error("nodes: [{name: x, type: compute, time: 1us}], repeats: [{first: x, last: "
                        "x, times: 1000000}], iterations: 1000")
                .find("with 8 ranks there are at most 125000000"),
            std::string::npos);
  EXPECT_EQ(graph_error("nodes: [{name: x, type: compute, time: 0us}]"), "none");
}

}  // namespace
}  // namespace weft::scenarios
