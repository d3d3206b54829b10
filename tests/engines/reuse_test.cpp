#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/obstacles.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/reuse_runs.hpp"

/// Calls that are simulated once give what calls that are simulated each give, to the bit. The
/// digest covers every table, the histogram of packet latencies and a sum over all messages; what
/// it leaves out (rows, percentiles, totals) is compared here.
namespace weft::testing {
namespace {

using scenarios::Experiment;
using scenarios::MessageResult;
using scenarios::Results;
using scenarios::Reuse;

MessageRun run_with(Experiment& e, Reuse reuse, const protocols::Parallelism& parallelism = {}) {
  e.scenario.run.reuse.mode = reuse;
  return MessageRun([&](const scenarios::MessageSink& sink) {
    return scenarios::simulate(e, {}, nullptr, parallelism, sink);
  });
}

std::vector<std::int64_t> row(const MessageResult& m) {
  const Picoseconds never(-1);
  return {m.job,
          m.source_rank,
          m.destination_rank,
          m.bytes.count(),
          m.start.count(),
          m.delivered.value_or(never).count(),
          m.completed.value_or(never).count(),
          m.ideal.count()};
}

/// Both runs in the order in which a sink saw them.
void expect_equal(const MessageRun& a, const MessageRun& b) {
  EXPECT_EQ(a.results.digest(), b.results.digest());
  EXPECT_EQ(a.results.simulated, b.results.simulated);
  EXPECT_EQ(a.results.outcome, b.results.outcome);
  EXPECT_EQ(a.results.totals.packet_hops, b.results.totals.packet_hops);
  EXPECT_EQ(a.results.totals.credit_stalls, b.results.totals.credit_stalls);
  EXPECT_EQ(a.results.totals.credit_stall_time, b.results.totals.credit_stall_time);
  EXPECT_EQ(a.results.packet_latency, b.results.packet_latency);
  EXPECT_EQ(a.results.packet_latency_by_size, b.results.packet_latency_by_size);
  EXPECT_EQ(a.results.logical_processes, b.results.logical_processes);
  ASSERT_EQ(a.messages.size(), b.messages.size());
  for (std::size_t i = 0; i < a.messages.size(); ++i) {
    ASSERT_EQ(row(a.messages[i]), row(b.messages[i])) << "message " << i;
  }
}

/// Returns the results with reuse.
Results expect_the_same(const std::string& text) {
  Experiment e = experiment_of_text(text);
  const MessageRun off = run_with(e, Reuse::kOff);
  const MessageRun on = run_with(e, Reuse::kOn);
  expect_equal(off, on);
  expect_equal(off, run_with(e, Reuse::kVerify));
  return on.results;
}

std::string server(const std::string& jobs, const std::string& rest = "") {
  return "name: reuse\nracks: {count: 1, servers: 1, server: hgx-h100}\nfabric: {topology: "
         "none}\n" +
         rest + "jobs:\n" + jobs;
}

TEST(Reuse, OfTensorParallelCallsInOneServerIsExact) {
  const Results on = expect_the_same(server(reuse_training("tensor: 8")));
  EXPECT_EQ(on.reuse.gpu_sets, 1U);
  EXPECT_EQ(on.reuse.gpus, 8U);
  EXPECT_GT(on.reuse.epochs, 100U);
  EXPECT_LT(on.reuse.simulated, on.reuse.epochs / 4);
  EXPECT_LT(on.reuse.simulated_hops, on.totals.packet_hops / 2);
}

TEST(Reuse, OfTwoGroupsOfFourIsThatOfTwoComponents) {
  // Gradients of the two data-parallel copies cross NVLink as well: all eight GPUs are one
  // GPU set.
  EXPECT_EQ(expect_the_same(server(reuse_training("tensor: 4, data: 2"))).reuse.gpu_sets, 1U);
}

TEST(Reuse, WithSequenceParallelismAndChunks) {
  expect_the_same(server(reuse_training("tensor: 8, sequence_parallel: true")));
  expect_the_same(server(reuse_training("tensor: 8, context: 1", ", overlap: {tensor: true}")));
}

TEST(Reuse, OfDataParallelismAndZeroInOneServer) {
  expect_the_same(server(reuse_training("tensor: 1, data: 8")));
  expect_the_same(server(reuse_training("tensor: 2, data: 4, zero: 3")));
}

TEST(Reuse, OfPipelinesInOneServer) {
  expect_the_same(server(reuse_training("tensor: 2, pipeline: 2, data: 2, schedule: 1f1b")));
}

/// Two servers by leaves and spines, and a job of four copies or so of a model of 2 layers.
std::string two_layers(const std::string& racks, const std::string& fabric,
                       const std::string& parallelism, const std::string& rest) {
  return "name: two-layers\nseed: 401\nracks: {count: " + racks +
         ", servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n" +
         fabric +
         "jobs:\n  - {name: train, type: training, model: {preset: gpt-13b, layers: 2, hidden: "
         "512, heads: 8, head_size: 64, ffn: 1024, vocabulary: 1024, sequence: 128}, parallelism: "
         "{" +
         parallelism + rest;
}

// Where a stage only sends to the next one, the call ends as it begins, and calls of other streams
// begin at the same picosecond: in this order, which is not that of the streams' numbers.

// MODEL.md 12.2
TEST(Reuse, KeepsCallsInOrderThatARankBeginsAtOneTime) {
  expect_the_same(two_layers(
      "2",
      "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4, load_balancing: spray, "
      "flow_control: pfc}\n"
      "transport: {type: roce, receiver: any-order, congestion_control: none}\n",
      "tensor: 4, pipeline: 2, data: 2, schedule: gpipe, sequence_parallel: true, zero: 1}",
      ", batch: {micro: 1, global: 6}, iterations: 2}\n"));
}

// A fault ends less than a lookahead before the run does, and nothing else is left: whether the
// last window ends there or another one follows was told from the outcome.
TEST(Reuse, AtRestARunIsOverWhateverTheCutAndTheLimit) {
  Experiment e = experiment_of_text(
      two_layers("3",
                 "fabric: {topology: rail-optimised, group: 3, spines: 2, switch: spectrum-4}\n"
                 "transport: {type: roce, congestion_control: dcqcn}\n",
                 "tensor: 4, data: 6, sequence_parallel: true, zero: 1}",
                 ", batch: {micro: 1, global: 6}}\n"
                 "faults: [{type: bit-errors, from: gpu11, frame_loss_rate: 0.03, at: 520us, "
                 "until: 699.7us}]\n"
                 "run: {warmup: 600us, until: 700us}\n"));
  std::vector<Picoseconds> simulated;
  for (const LpPlan::Cut cut : {LpPlan::Cut::kOne, LpPlan::Cut::kAuto, LpPlan::Cut::kFinest}) {
    e.scenario.run.partition = cut;
    for (const Reuse reuse : {Reuse::kOff, Reuse::kOn}) {
      simulated.push_back(run_with(e, reuse).results.simulated);
    }
  }
  EXPECT_LT(simulated.front(), 500_us);
  for (const Picoseconds s : simulated) EXPECT_EQ(s, simulated.front());
}

// MODEL.md 12.3
TEST(Reuse, OverServersIsExactAndSharesWhatDomainsHaveInCommon) {
  const Results on = expect_the_same(
      reuse_servers(4, reuse_training("tensor: 8, pipeline: 2, data: 2, schedule: 1f1b")));
  EXPECT_EQ(on.reuse.gpu_sets, 4U);
  EXPECT_LT(on.reuse.simulated, on.reuse.epochs / 2);
}

// Gradients of eight rails: the eight GPUs of a server begin at times of their own, those of a rail
// alike.
TEST(Reuse, OfGradientsBetweenServersIsThatOfOneRail) {
  const Results on = expect_the_same(reuse_servers(4, reuse_training("tensor: 8, data: 4")));
  EXPECT_EQ(on.reuse.rails, 8U);
  EXPECT_EQ(on.reuse.rail_gpus, 32U);
  EXPECT_GT(on.reuse.rail_epochs, 7U);
  EXPECT_LE(on.reuse.rail_simulated, on.reuse.rail_epochs / 4);
  EXPECT_LT(on.reuse.simulated_hops, on.totals.packet_hops / 2);
}

TEST(Reuse, OfGradientsInShardsAndBucketsIsExact) {
  expect_the_same(reuse_servers(4, reuse_training("tensor: 8, data: 4, zero: 1")));
  expect_the_same(
      reuse_servers(2, reuse_training("tensor: 8, data: 2, zero: 3", ", iterations: 2")));
}

// When a call's last message was posted tells waiting for others from sending; of calls that are
// taken over it is that of the calls before, too, where these received later ones.
TEST(Reuse, TellsExposedCommunicationFromBubblesAsItIs) {
  expect_the_same(reuse_servers(
      4, reuse_training("sequence_parallel: true, tensor: 8, pipeline: 2, data: 2, schedule: zb-h1",
                        ", iterations: 2")));
}

// Receivers wait for their messages, which meet gradients on the way.
TEST(Reuse, OfPipelinesBetweenServersIsExact) {
  for (const char* schedule : {"gpipe", "1f1b", "zb-h1"}) {
    SCOPED_TRACE(schedule);
    const Results on = expect_the_same(reuse_servers(
        4, reuse_training(std::string("tensor: 8, pipeline: 4, schedule: ") + schedule)));
    EXPECT_GT(on.reuse.rail_epochs, 0U);
    EXPECT_LT(on.reuse.rail_simulated, on.reuse.rail_epochs);
  }
}

/// A job on servers of rails, in which messages are long: a wide layer for each of its stages.
std::string long_messages(int servers, const std::string& parallelism) {
  return "name: long-messages\nseed: 3\nracks: {count: " + std::to_string(servers) +
         ", servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
         "fabric: {topology: rail-optimised, group: 8, spines: 2, switch: quantum-2}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "jobs:\n  - {name: train, type: training, model: {preset: gpt-13b, layers: 2, hidden: "
         "2048, heads: 16, ffn: 8192, vocabulary: 4096, sequence: 2048}, parallelism: {" +
         parallelism + "}, batch: {micro: 1, global: 4}}\n";
}

TEST(Reuse, SkipsWhatRecursInsideLongMessages) {
  const Results rails = expect_the_same(long_messages(2, "tensor: 8, data: 2"));
  EXPECT_GT(rails.reuse.skips.count, 0U);
  EXPECT_LT(rails.reuse.simulated_hops, rails.totals.packet_hops / 4);
  const Results stages =
      expect_the_same(long_messages(4, "tensor: 8, pipeline: 2, data: 2, schedule: 1f1b"));
  EXPECT_GT(stages.reuse.skips.packet_hops, stages.reuse.simulated_hops / 2);
}

// The end of a run, and of a warm-up, in the middle of what recurs.
TEST(Reuse, SkipsNoFurtherThanTheScenarioLooks) {
  Experiment e = experiment_of_text(long_messages(2, "tensor: 8, data: 2"));
  const Picoseconds whole = run_with(e, Reuse::kOff).results.simulated;
  for (int i = 1; i < 4; ++i) {
    e.scenario.run.until = whole - i * whole / 16 + Picoseconds(i);
    e.scenario.run.warmup = i * whole / 5;
    SCOPED_TRACE(i);
    expect_equal(run_with(e, Reuse::kOff), run_with(e, Reuse::kOn));
  }
}

/// Hosts on leaves of credits, and jobs that send between them.
std::string hosts(const std::string& jobs, const std::string& rest = "") {
  return "name: hosts\nracks: {count: 2, servers: 8}\nfabric: {topology: leaf-spine, spines: 4, "
         "switch: quantum-2, load_balancing: ecmp}\n"
         "transport: {type: roce, congestion_control: none}\n" +
         rest + "jobs:\n" + jobs;
}

TEST(ReuseOfWholeRuns, SkipsWhatRecursInLongMessages) {
  for (const char* job : {"{name: a, type: all-reduce, algorithm: ring, size: 128MiB}",
                          "{name: a, type: incast, senders: 7, size: 8MiB}"}) {
    SCOPED_TRACE(job);
    Experiment e = experiment_of_text(hosts(std::string("  - ") + job + "\n"));
    const FolderOfRun on = folder_of_run(e, Reuse::kOn);
    expect_equal_folders(folder_of_run(e, Reuse::kOff), on);
    EXPECT_GT(on.results.reuse.skips.packet_hops, on.results.totals.packet_hops / 4);
    EXPECT_EQ(folder_of_run(e, Reuse::kOn, {.threads = 2}).results.reuse.skips.count, 0U);
  }
}

// Warm-ups and ends inside what recurs, and who is to blame, for whom packets are looked at again.
TEST(ReuseOfWholeRuns, IsExactWhoeverLooks) {
  const std::string job = "  - {name: a, type: all-reduce, algorithm: ring, size: 128MiB}\n";
  for (const char* rest :
       {"run: {warmup: 300us}\n", "run: {until: 777us}\n", "observe: {blame: true}\n"}) {
    SCOPED_TRACE(rest);
    Experiment e = experiment_of_text(hosts(job, rest));
    const FolderOfRun on = folder_of_run(e, Reuse::kOn);
    expect_equal_folders(folder_of_run(e, Reuse::kOff), on);
    EXPECT_GT(on.results.reuse.skips.count, 0U);
  }
}

// Where flows of a permutation collide at random, nothing recurs early on.
TEST(ReuseOfWholeRuns, BeginAnewInSeveralCellsWhereNothingIsLeftOut) {
  Experiment e = experiment_of_text(hosts("  - {name: a, type: permutation, size: 48MiB}\n"));
  e.scenario.run.reuse.mode = Reuse::kOn;
  ASSERT_TRUE(scenarios::trial_of_skips(e).has_value());
  const FolderOfRun on = folder_of_run(e, Reuse::kOn);
  expect_equal_folders(folder_of_run(e, Reuse::kOff), on);
  EXPECT_EQ(on.results.reuse.skips.count, 0U);
}

TEST(ReuseOfWholeRuns, LooksForNothingWhereMessagesAreShort) {
  Experiment e = experiment_of_text(hosts("  - {name: a, type: permutation, size: 64KiB}\n"));
  EXPECT_EQ(folder_of_run(e, Reuse::kOn).results.reuse.skips.count, 0U);
}

TEST(Reuse, BetweenServersIsCutOffWhereTheScenarioSays) {
  Experiment e =
      experiment_of_text(reuse_servers(4, reuse_training("tensor: 8, pipeline: 2, data: 2")));
  const Picoseconds whole = run_with(e, Reuse::kOff).results.simulated;
  for (int i = 1; i <= 12; ++i) {
    e.scenario.run.until = i * whole / 12 + Picoseconds(i % 3);
    SCOPED_TRACE(e.scenario.run.until->count());
    expect_equal(run_with(e, Reuse::kOff), run_with(e, Reuse::kOn));
  }
}

TEST(Reuse, SaysWhyCallsBetweenServersAreSimulatedEach) {
  const auto reason = [](const std::string& fabric, const std::string& plan) {
    Experiment e = experiment_of_text("name: r\nracks: {count: 4, servers: 1, server: hgx-h100}\n" +
                                      fabric + "jobs:\n" + reuse_training(plan));
    return run_with(e, Reuse::kOn).results.reuse.refusals;
  };
  const std::string roce = "transport: {type: roce, receiver: any-order}\n";
  EXPECT_THAT(reason("fabric: {topology: rail-optimised, group: 4, spines: 2}\n" + roce,
                     "tensor: 8, data: 4"),
              ::testing::Contains(::testing::HasSubstr("share buffers")));
  EXPECT_THAT(reason("fabric: {topology: rail-optimised, group: 2, spines: 2, switch: quantum-2}\n",
                     "tensor: 8, data: 4"),
              ::testing::Contains(::testing::HasSubstr("several switches")));
}

/// A pipeline of mixtures of experts, whose calls inside a server never come to rest together.
std::string restless_plan(const std::string& servers, const std::string& model,
                          const std::string& parallelism, const std::string& rest) {
  return "name: t\nracks: {count: " + servers +
         ", servers: 1, server: hgx-h100}\n"
         "fabric: {topology: rail-optimised, group: " +
         servers +
         ", spines: 8, switch: quantum-2, load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "jobs:\n  - {name: t, type: training, recomputation: none, model: {hidden: 512, heads: 8, "
         "sequence: 512, vocabulary: 2048, dense_layers: 1, experts: 32, gated_ffn: true, " +
         model + "}, parallelism: {" + parallelism + "}, " + rest + "}\n";
}

// Ends of calls between servers are asked for once per time: a credit that takes effect at the same
// time without an event is none that is still to come. This plan once did not end.
TEST(Reuse, AsksOnceAtATime) {
  Experiment e = experiment_of_text(restless_plan(
      "4", "layers: 4, ffn: 4096, expert_ffn: 512, top_k: 2, shared_experts: 0",
      "data: 8, pipeline: 4, expert: 2, schedule: 1f1b, gradient_sync: micro-batch",
      "batch: {global: 16, micro: 1}, compute: {kernels: roofline}, framework: deepseek, experts: "
      "{exchange: all-to-all}, overlap: {pipeline: true, prefetch: true, shared_experts: true}, "
      "precision: {exchange: {combine: bf16, dispatch: fp8}}, routing: {skew: 1}"));
  expect_equal(run_with(e, Reuse::kOff), run_with(e, Reuse::kOn));
}

// What is given up tells no more ends; the run that then comes to rest has not stood still.
TEST(Reuse, GivesUpCallsThatNeverRestTogether) {
  Experiment e = experiment_of_text(restless_plan(
      "2", "layers: 2, ffn: 2048, expert_ffn: 256, top_k: 4, shared_experts: 1",
      "data: 4, tensor: 2, pipeline: 2, expert: 8, expert_tensor: 1, schedule: gpipe, "
      "sequence_parallel: true",
      "batch: {global: 8, micro: 1}, compute: {kernels: constant}, experts: {exchange: "
      "low-latency}, overlap: {experts: halves, pipeline: true, prefetch: false}"));
  const MessageRun on = run_with(e, Reuse::kOn);
  EXPECT_THAT(on.results.reuse.refusals,
              ::testing::ElementsAre(::testing::HasSubstr("costs more than it spares")));
  expect_equal(run_with(e, Reuse::kOff), on);
}

TEST(Reuse, OfNoiseMissesAndIsExact) {
  const Results on = expect_the_same(
      server(reuse_training("tensor: 8", ", noise: [{jitter: {type: exponential, mean: 1us}}]")));
  EXPECT_EQ(on.reuse.gpu_sets, 1U);
}

TEST(Reuse, OfOneSlowGpuHits) {
  const Results on =
      expect_the_same(server(reuse_training("tensor: 8", ", noise: [{ranks: 3, factor: 1.3}]")));
  EXPECT_LT(on.reuse.simulated, on.reuse.epochs / 2);
}

TEST(Reuse, IsTheSameOnThreadsAndForEveryCut) {
  Experiment e =
      experiment_of_text(reuse_servers(4, reuse_training("tensor: 8, data: 4", ", iterations: 2")));
  const MessageRun off = run_with(e, Reuse::kOff);
  for (const LpPlan::Cut cut : {LpPlan::Cut::kAuto, LpPlan::Cut::kOne, LpPlan::Cut::kFinest}) {
    e.scenario.run.partition = cut;
    for (const std::uint32_t threads : {1U, 3U}) {
      const MessageRun on = run_with(e, Reuse::kOn, {.threads = threads, .share_from = 1});
      EXPECT_EQ(on.results.digest(), off.results.digest());
    }
  }
}

TEST(Reuse, StopsWhereTheScenarioSays) {
  const std::string text = server(reuse_training("tensor: 8"));
  Experiment e = experiment_of_text(text);
  const Picoseconds whole = run_with(e, Reuse::kOff).results.simulated;
  for (int i = 1; i <= 40; ++i) {
    e.scenario.run.until = i * whole / 40 + Picoseconds(i % 3);
    SCOPED_TRACE(e.scenario.run.until->count());
    expect_equal(run_with(e, Reuse::kOff), run_with(e, Reuse::kOn));
  }
}

TEST(Reuse, LeavesGpusAloneWhoseLinksOthersUse) {
  const Results on = expect_the_same(
      server(reuse_training("tensor: 8", ", ranks: 0-7") +
             "  - {name: other, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-3}\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 0U);
  ASSERT_EQ(on.reuse.refusals.size(), 1U);
}

TEST(Reuse, OfGraphs) {
  expect_the_same(
      server("  - name: g\n    type: graph\n    ranks: 0-7\n    iterations: 20\n"
             "    nodes:\n"
             "      - {name: c, type: compute, time: 20us}\n"
             "      - {name: r, type: all-reduce, size: 1MiB, after: c}\n"
             "      - {name: b, type: broadcast, size: 256KiB, after: r}\n"
             "      - {name: give, type: send, size: 64KiB, from: 0-3, to: 4-7, after: r}\n"));
}

// MODEL.md 12.1
TEST(Reuse, AuditSeesThatPhasesWhichBeginAlikeEndAlike) {
  Experiment e = experiment_of_text(server(reuse_training("tensor: 8")));
  const MessageRun off = run_with(e, Reuse::kOff);
  const MessageRun audited = run_with(e, Reuse::kAudit);
  expect_equal(off, audited);
  EXPECT_EQ(audited.results.reuse.ended_otherwise, 0U);
  // A call may begin while ACKs of the one before are under way: there it is one epoch with it.
  EXPECT_GE(audited.results.reuse.epochs, run_with(e, Reuse::kOn).results.reuse.epochs);
  EXPECT_LT(audited.results.reuse.simulated, audited.results.reuse.epochs / 4);
}

TEST(Reuse, SaysWhyNothingIsReused) {
  Experiment e =
      experiment_of_text(server(reuse_training("tensor: 8"), "observe: {credits: true}\n"));
  const Results results = run_with(e, Reuse::kOn).results;
  ASSERT_EQ(results.reuse.refusals.size(), 1U);
  EXPECT_EQ(results.reuse.refusals.front(),
            "nothing is reused: waits for credits are written down wherever they are");
}

}  // namespace
}  // namespace weft::testing
