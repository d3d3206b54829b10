// Collectives from the scenario language to their results.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/collective_tables.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

const std::string kFabric =
    "name: t\n"
    "racks: {count: 2, servers: 4, server: host-400g}\n"
    "links:\n"
    "  access: {rate: 400Gbps, length: 3m, cable: copper}\n"
    "  uplink: {rate: 400Gbps, length: 30m, cable: fibre}\n"
    "fabric: {topology: leaf-spine, spines: 4, switch: spectrum-4}\n"
    "transport: {type: roce, congestion_control: none}\n"
    "jobs:\n";

Result<Experiment> build_collective(const std::string& jobs) {
  const auto loaded = load_scenario_text(kFabric + jobs, "t.yaml");
  if (!loaded) return loaded.errors();
  auto experiment = build_experiment(loaded.value().scenario);
  if (!experiment) return loaded.value().located(experiment.errors());
  return experiment;
}

Results run(const std::string& jobs) {
  const auto experiment = build_collective(jobs);
  EXPECT_TRUE(experiment.ok()) << experiment.errors()[0].to_string();
  return simulate(experiment.value());
}

// Every operation by every algorithm that the fabric allows, as one run with everything switched
// on.
TEST(Collectives, RunOnPacketsWithEverythingSwitchedOn) {
  const std::vector<std::string> jobs = {
      "  - {name: a, type: all-reduce, algorithm: double-binary-tree, size: 100007B",
      "  - {name: a, type: all-reduce, algorithm: hierarchical, domain_size: 4, size: 100007B",
      "  - {name: a, type: all-gather, algorithm: hierarchical, domain_size: 4, size: 100007B",
      "  - {name: a, type: all-to-all, algorithm: hierarchical, domain_size: 4, size: 10007B",
      "  - {name: a, type: reduce-scatter, algorithm: one-shot, size: 100007B",
      "  - {name: a, type: broadcast, algorithm: ring, root: 3, size: 1000007B",
      "  - {name: a, type: all-to-all, algorithm: one-shot, size: 10007B",
      std::string("  - {name: a, type: all-to-all-v, algorithm: pairwise, ") +
          "routing: {tokens: 50, token_size: 1KiB, skew: 1}",
      "  - {name: a, type: send-recv, size: 100007B",
  };
  for (const std::string& job : jobs) {
    SCOPED_TRACE(job);
    const Results results =
        run(job +
            ", iterations: 2, compute: 3us, execution: {preset: nccl, channels: 2, chunk: 8KiB},"
            " jitter: {type: normal, mean: 5us, deviation: 2us},"
            " stragglers: [{ranks: 2-3, late: 4us, compute: 2, reduce: 3}]}\n");
    EXPECT_EQ(results.outcome, Outcome::kFinished);
    ASSERT_EQ(results.collectives.size(), 2U);
    for (const CollectiveResult& c : results.collectives) {
      EXPECT_EQ(c.path.total(), c.end - c.start) << "the parts of the critical path are the whole";
      EXPECT_GE(c.path.launch, 10_us);
      EXPECT_GT(c.path.wire, 0_ps);
      EXPECT_GT(c.bus_bandwidth.value_or(0), 0);
    }
  }
}

// 8 ranks, nothing in the way: time = JCT; busbw = 2 (n-1)/n of algbw; the path is all wire, 14
// messages of it.
TEST(Collectives, OfAPlainRingAreAllWire) {
  const Results results = run("  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB}\n");
  ASSERT_EQ(results.collectives.size(), 1U);
  const CollectiveResult& c = results.collectives[0];
  EXPECT_EQ(c.end - c.start, results.jobs[0].jct);
  EXPECT_EQ(c.path.messages, 14U);
  EXPECT_EQ(c.path.total(), c.path.wire + c.path.queueing);
  EXPECT_LT(c.path.queueing, c.path.wire / 20) << "ACKs of the other direction";
  EXPECT_NEAR(*c.bus_bandwidth / *c.algorithm_bandwidth, 1.75, 1e-9);
}

// Three iterations of 16 MiB in 1, 1 and 10 ms: 48 MiB in 12 ms are 4.19 GB/s. The mean of their
// rates would be 11.7.
TEST(Collectives, AverageBandwidthsAsBytesOverTime) {
  Results results;
  results.jobs.emplace_back().name = "a";
  for (const Picoseconds time : {1_ms, 1_ms, 10_ms}) {
    CollectiveResult c;
    c.size = 16_MiB;
    c.bus = 28_MiB;
    c.end = time;
    c.algorithm_bandwidth = static_cast<double>(c.size.count()) / to_seconds(time);
    c.bus_bandwidth = static_cast<double>(c.bus.count()) / to_seconds(time);
    results.collectives.push_back(c);
  }
  const std::string table = collectives_text(results);
  EXPECT_NE(table.find(" 4.19 "), std::string::npos) << table;
  EXPECT_NE(table.find(" 7.34 "), std::string::npos) << table;
}

// A barrier has no bytes.
TEST(Collectives, HaveNoBandwidthWithoutBytes) {
  const Results results =
      run("  - {name: a, type: barrier, algorithm: dissemination, iterations: 2}\n");
  const std::string table = collectives_text(results);
  EXPECT_EQ(table.find(" 0.00 "), std::string::npos) << table;
}

// Eight ranks in two domains of four: of the 14 hops of a chunk in a row up to 4 cross.
TEST(Collectives, TakeTheirNetworkStepsBetweenDomainsOnly) {
  const Results results =
      run("  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, domain_size: 4,\n"
          "     execution: {network_step_latency: 100us}}\n");
  ASSERT_EQ(results.collectives.size(), 1U);
  EXPECT_EQ(results.collectives[0].path.protocol, 400_us);
  EXPECT_EQ(results.collectives[0].path.total(),
            results.collectives[0].end - results.collectives[0].start);
}

TEST(Collectives, BlameALateRank) {
  const Results results =
      run("  - {name: a, type: all-reduce, algorithm: ring, size: 64KiB, stragglers: [{ranks: 5, "
          "late: 1ms}]}\n");
  ASSERT_EQ(results.collectives.size(), 1U);
  const CollectiveResult& c = results.collectives[0];
  EXPECT_EQ(c.start_skew, 1_ms);
  EXPECT_EQ(c.path.late, 1_ms);
  EXPECT_GT(c.mean_wait, 800_us);
}

TEST(Collectives, SayWhatWasChosenAndWhy) {
  const Results results =
      run("  - {name: a, type: all-reduce, algorithm: best, size: 1KiB}\n"
          "  - {name: b, type: all-reduce, algorithm: nccl, size: 1KiB, start: 1ms}\n");
  EXPECT_EQ(results.outcome, Outcome::kFinished);
  EXPECT_NE(results.jobs[0].choice.find("cost model: " + results.jobs[0].algorithm),
            std::string::npos);
  EXPECT_NE(results.jobs[1].choice.find("NCCL's model: "), std::string::npos);
  EXPECT_NE(results.jobs[1].protocol, "none");
}

// Two jobs between the same servers, ECMP over four spines. A queue pair keeps to a path, and
// messages take queue pairs in turn: with one, all messages of a connection have one ECMP key, with
// four they have four, whatever the transport says for the other job.
TEST(Collectives, HaveQueuePairsOfTheirOwn) {
  const std::string jobs =
      "  - {name: a, type: send-recv, size: 64KiB, ranks: [h0, h5], queue_pairs: 4,\n"
      "     execution: {chunk: 4KiB}}\n"
      "  - {name: b, type: send-recv, size: 64KiB, ranks: [h0, h5], execution: {chunk: 4KiB}}\n";
  const auto experiment = build_collective(jobs);
  ASSERT_TRUE(experiment.ok()) << experiment.errors()[0].to_string();
  const collectives::Workload& workload = experiment.value().workload;
  for (const Connection& c : workload.connections()) {
    EXPECT_EQ(c.queue_pairs, workload.job_of(c.source) == 0 ? 4 : 0);
  }
  const Results results = simulate(experiment.value());
  EXPECT_EQ(results.outcome, Outcome::kFinished);
  ASSERT_EQ(results.jobs.size(), 2U);
  const auto loaded = load_scenario_text(kFabric + jobs, "t.yaml");
  EXPECT_NE(loaded.value().resolved_yaml("test").find("queue_pairs: 4"), std::string::npos);
}

TEST(Collectives, RefuseQueuePairsWhereThereAreNone) {
  const auto datagrams = load_scenario_text(
      kFabric + "  - {name: a, type: all-reduce, algorithm: ring, size: 1KiB, queue_pairs: 2}\n",
      "t.yaml", {"transport={type: datagram}"});
  ASSERT_FALSE(datagrams.ok());
  EXPECT_NE(datagrams.errors()[0].to_string().find("reliable connections"), std::string::npos);
  const auto lone = load_scenario_text(
      "name: t\n"
      "racks: {count: 1, servers: 1, server: hgx-h100}\n"
      "fabric: {topology: single-domain}\n"
      "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1KiB, queue_pairs: 2}]\n",
      "t.yaml");
  ASSERT_FALSE(lone.ok());
  EXPECT_NE(lone.errors()[0].to_string().find("t.yaml:4"), std::string::npos);
  EXPECT_NE(lone.errors()[0].to_string().find("links between servers"), std::string::npos);
}

TEST(Collectives, RefuseWhatCannotBe) {
  const auto error = [](const std::string& job) {
    const auto built = build_collective("  - {name: a, " + job + "}\n");
    return built.ok() ? std::string("none") : built.errors()[0].to_string();
  };
  EXPECT_NE(error("type: gather, algorithm: ring, size: 1KiB").find("is no algorithm for gather"),
            std::string::npos);
  EXPECT_NE(error("type: gather, algorithm: ring, size: 1KiB").find("t.yaml:9"), std::string::npos);
  EXPECT_NE(error("type: all-reduce, algorithm: hierarchical, size: 1KiB").find("alone"),
            std::string::npos);
  EXPECT_NE(
      error("type: all-reduce, algorithm: nvls, domain_size: 8, size: 1KiB").find("multicast"),
      std::string::npos);
  const auto no_tree = [&](const std::string& domains) {
    return error("type: all-reduce, algorithm: nvls-tree, size: 1KiB" + domains);
  };
  EXPECT_NE(no_tree(", domain_size: 4").find("multicast"), std::string::npos);
  EXPECT_NE(no_tree(", domain_size: 8").find("several scale-up domains"), std::string::npos);
  EXPECT_NE(no_tree(", domain_size: 3").find("as many ranks"), std::string::npos);
  EXPECT_NE(no_tree("").find("t.yaml:9"), std::string::npos);
  EXPECT_NE(error("type: broadcast, algorithm: ring, root: 8, size: 1KiB").find("ranks 0 to 7"),
            std::string::npos);
  EXPECT_NE(error("type: all-reduce, algorithm: ring, size: 1KiB, stragglers: [{ranks: 9}]")
                .find("names no ranks"),
            std::string::npos);
  EXPECT_NE(error("type: all-to-all-v, algorithm: pairwise").find("blocks"), std::string::npos);
  EXPECT_NE(error("type: all-reduce, algorithm: ring, size: 1KiB, jitter: {type: exponential, "
                  "mean: 1us, deviation: "
                  "1us}")
                .find("deviation"),
            std::string::npos);
}

// Of 32 GiB by rings, chunks of 2 MiB in two slices are some hundred thousand messages, of 1 KiB
// hundreds of millions; a run can follow 50 million of an iteration.
TEST(Collectives, AreRefusedByTheMessagesThatTheyWillTakeNotByTheMostThatNcclMight) {
  const std::string job = "  - {name: a, type: all-reduce, size: 16GiB, iterations: 2, ";
  const auto left_to_nccl =
      build_collective(job + "generation: hopper, algorithm: nccl, execution: nccl}\n");
  EXPECT_TRUE(left_to_nccl.ok()) << left_to_nccl.errors()[0].to_string();
  const auto in_small_chunks =
      build_collective(job + "algorithm: ring, execution: {chunk: 1KiB}}\n");
  ASSERT_FALSE(in_small_chunks.ok());
  EXPECT_NE(in_small_chunks.errors()[0].message.find("messages at once"), std::string::npos);
}

}  // namespace
}  // namespace weft::scenarios
