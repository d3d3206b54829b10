#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/reuse_runs.hpp"

/// Runs in which somebody looks or interferes while calls are memoised: where faults are, traces,
/// or the end of a warm-up. What is memoised follows from what concerns its links; all that is
/// written is the same to the byte.
namespace weft::testing {
namespace {

using scenarios::Experiment;
using scenarios::Results;
using scenarios::Reuse;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A step of four servers: tensor parallelism inside, gradients over eight rails.
std::string step(const std::string& rest) {
  return reuse_servers(4, reuse_training("tensor: 8, data: 4"), rest);
}

/// Some over leaves with PFC, where rails share buffers; what is lost is sent again after so long.
std::string step_over_ethernet(const std::string& rest, const std::string& timeout = "200us",
                               const std::string& training = reuse_training(
                                   "tensor: 8, pipeline: 2, data: 2, schedule: 1f1b")) {
  return "name: reuse\nracks: {count: 4, servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 2, switch: spectrum-4, "
         "convergence: 20us}\ntransport: {type: roce, retransmit_timeout: " +
         timeout + "}\n" + rest + "jobs:\n" + training;
}

TEST(ReuseWithFaults, ElsewhereTakesAllOver) {
  for (const char* fault :
       {"{type: link-down, from: leaf0, to: spine0, at: 30us, until: 200us}",
        "{type: switch-down, switch: spine1, at: 100us}",
        "{type: link-rate, from: leaf3, to: spine1, rate: 25Gbps, at: 20us, until: 300us}",
        "{type: link-latency, from: leaf3, to: spine1, added: 5us, at: 1us, until: 2ms}",
        "{type: bit-errors, from: leaf2, to: spine0, at: 1us, frame_loss_rate: 0.05}"}) {
    SCOPED_TRACE(fault);
    const Results on = expect_equal_folders_of(step("faults: [" + std::string(fault) + "]\n"));
    EXPECT_EQ(on.reuse.gpu_sets, 4U);
    EXPECT_EQ(on.reuse.rails, 8U);
    EXPECT_THAT(on.reuse.refusals, IsEmpty());
    EXPECT_LT(on.reuse.simulated_hops, on.totals.packet_hops / 2);
  }
}

TEST(ReuseWithFaults, OfOneRailLeavesTheOthersToBeTakenOver) {
  for (const char* fault : {"{type: link-rate, from: gpu11, rate: 25Gbps, at: 20us, until: 300us}",
                            "{type: link-latency, from: gpu11, added: 700ns}",
                            "{type: link-down, from: gpu11, at: 150us, until: 190us}",
                            "{type: bit-errors, from: gpu11, at: 1us, frame_loss_rate: 0.01}"}) {
    SCOPED_TRACE(fault);
    const Results on = expect_equal_folders_of(step("faults: [" + std::string(fault) + "]\n"));
    EXPECT_EQ(on.reuse.gpu_sets, 4U);
    EXPECT_EQ(on.reuse.rails, 7U);
    EXPECT_EQ(on.reuse.rail_gpus, 28U);
    EXPECT_THAT(on.reuse.refusals, Contains(HasSubstr("of 4 GPUs are simulated each: a fault")));
  }
}

TEST(ReuseWithFaults, OfOneDomainLeavesTheOthersToBeTakenOver) {
  const Results on = expect_equal_folders_of(step(
      "faults: [{type: link-rate, from: gpu13, network: scale-up, rate: 50Gbps, at: 50us}]\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 3U);
  EXPECT_EQ(on.reuse.gpus, 24U);
  EXPECT_EQ(on.reuse.rails, 8U);
  EXPECT_THAT(on.reuse.refusals, Contains(HasSubstr("among 8 GPUs are simulated each: a fault")));
}

TEST(ReuseWithFaults, WhichChangeRoutesDoesNotDisturbDomains) {
  for (const char* fault : {"{type: switch-down, switch: spine0, at: 30us, until: 130us}",
                            "{type: link-down, from: leaf1, to: spine1, at: 51us}",
                            "{type: nic-pause, host: gpu9, at: 40us, until: 90us}",
                            "{type: link-down, from: gpu3, at: 40us, until: 90us}"}) {
    SCOPED_TRACE(fault);
    const Results on =
        expect_equal_folders_of(step_over_ethernet("faults: [" + std::string(fault) + "]\n"));
    EXPECT_EQ(on.reuse.gpu_sets, 4U);
    EXPECT_LT(on.reuse.simulated, on.reuse.epochs / 2);
  }
}

// Whether anything arrived for ten milliseconds depends on what is memoised as well.
TEST(ReuseWithFaults, SeesThatNothingIsDelivered) {
  const Results on = expect_equal_folders_of(
      reuse_servers(4, reuse_training("tensor: 8, data: 4"),
                    "faults: [{type: link-down, from: gpu11, at: 150us, until: 35ms}]\n", "60ms"));
  EXPECT_EQ(on.reuse.gpu_sets, 4U);
  EXPECT_EQ(on.reuse.rails, 7U);
  EXPECT_THAT(on.warnings, Contains(HasSubstr("nothing was delivered from")));
}

// Others of the server wait for the GPU, with contributions that its scale-up switches hold.
TEST(ReuseWithFaults, TakesNothingOverWhereCallsInsideStandStillToo) {
  const Results on = expect_equal_folders_of(step_over_ethernet(
      "faults: [{type: link-down, from: gpu3, at: 40us, until: 35ms}]\n", "60ms"));
  EXPECT_EQ(on.reuse.gpu_sets, 0U);
  EXPECT_THAT(on.warnings, Contains(HasSubstr("nothing was delivered from")));
}

TEST(ReuseWithFaults, ThatNothingEndsTakesNothingOver) {
  const Results on = expect_equal_folders_of(
      step_over_ethernet("faults: [{type: link-down, from: gpu3, at: 40us}]\n"));
  EXPECT_EQ(on.outcome, scenarios::Outcome::kStuck);
  EXPECT_EQ(on.reuse.gpu_sets, 0U);
  EXPECT_THAT(on.reuse.refusals, Contains(HasSubstr("messages stand still")));
}

TEST(ReuseWithFaults, IsTheSameOnThreadsAndForEveryCut) {
  Experiment e = experiment_of_text(
      step("faults: [{type: link-down, from: gpu11, at: 150us, until: 190us}, {type: link-rate, "
           "from: gpu13, network: scale-up, rate: 50Gbps}]\n"));
  const FolderOfRun off = folder_of_run(e, Reuse::kOff);
  for (const LpPlan::Cut cut : {LpPlan::Cut::kOne, LpPlan::Cut::kFinest}) {
    e.scenario.run.partition = cut;
    for (const std::uint32_t threads : {1U, 3U}) {
      const FolderOfRun on = folder_of_run(e, Reuse::kOn, {.threads = threads, .share_from = 1});
      EXPECT_EQ(on.results.digest(), off.results.digest());
    }
  }
}

TEST(ReuseWithTraces, TakesOverWhereNobodyLooks) {
  const Results on = expect_equal_folders_of(
      step("observe: {queues: {ports: [\"leaf2->*\"]}, packets: {flows: [\"train:8->9\"]}, "
           "pauses: true}\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 3U);
  EXPECT_EQ(on.reuse.rails, 7U);
  EXPECT_THAT(on.reuse.refusals, Contains(HasSubstr("their packets are written down")));
  EXPECT_THAT(on.reuse.refusals, Contains(HasSubstr("what waits for their links is written")));
}

TEST(ReuseWithTraces, OfPacketsBetweenServersLeaveDomainsToBeTakenOver) {
  const Results on =
      expect_equal_folders_of(step("observe: {packets: {flows: [\"train:3->11\"]}}\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 4U);
  EXPECT_EQ(on.reuse.rails, 7U);
}

TEST(ReuseWithTraces, OfSamplesOfQueuesIsExact) {
  const Results on = expect_equal_folders_of(step_over_ethernet(
      "observe: {queues: {ports: [\"leaf1->*\"], period: 3us}}\nrun: {until: 300us}\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 4U);
}

// Where a run restarts its traces do, too.
TEST(ReuseWithTraces, BeginsThemAnewWithTheRun) {
  const Results on = expect_equal_folders_of(
      step_over_ethernet("faults: [{type: link-down, from: gpu3, at: 40us}]\n"
                         "observe: {queues: {ports: [\"leaf1->*\"]}, packets: {flows: "
                         "[\"train:0->16\"]}}\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 0U);
}

TEST(ReuseWithTraces, OfEverythingTakesNothingOver) {
  for (const char* observe : {"{credits: true}", "{rates: {flows: [train]}}"}) {
    SCOPED_TRACE(observe);
    const Results on = expect_equal_folders_of(step("observe: " + std::string(observe) + "\n"));
    EXPECT_THAT(on.reuse.refusals, Contains(HasSubstr("nothing is reused: ")));
  }
}

/// What of critical paths passed on links inside servers.
Picoseconds blamed_inside_servers(const Results& results) {
  Picoseconds all;
  for (const scenarios::BlameResult& row : results.blame) {
    if (row.port.find("chip") != std::string::npos) all += row.time;
  }
  return all;
}

// Paths lead through calls that were memoised: their epochs are simulated once more for that.
TEST(ReuseWithBlame, FollowsPathsThroughWhatIsTakenOver) {
  // Calls of the last one come to rest so rarely that they are simulated each, but for those
  // between servers.
  for (const auto& [parallelism, sets] :
       {std::pair("tensor: 8, data: 4", 4U),
        std::pair("tensor: 8, pipeline: 2, data: 2, schedule: 1f1b", 4U),
        std::pair("sequence_parallel: true, tensor: 8, pipeline: 4, schedule: zb-h1", 0U)}) {
    SCOPED_TRACE(parallelism);
    const Results on = expect_equal_folders_of(reuse_servers(
        4, reuse_training(parallelism, ", iterations: 2, communication: {algorithm: ring}"),
        "observe: {blame: true}\n"));
    EXPECT_EQ(on.reuse.gpu_sets, sets);
    EXPECT_GT(on.reuse.rails, 0U);
    EXPECT_GT(blamed_inside_servers(on), 1_us);
  }
}

// Messages over leaves are simulated each, in the run and in the one that looks at their packets.
TEST(ReuseWithBlame, FollowsPathsThroughWhatIsNot) {
  const Results on = expect_equal_folders_of(step_over_ethernet(
      "observe: {blame: true}\n", "200us",
      reuse_training("tensor: 8, data: 4", ", communication: {algorithm: ring}")));
  EXPECT_EQ(on.reuse.gpu_sets, 4U);
  EXPECT_EQ(on.reuse.rails, 0U);
  EXPECT_GT(blamed_inside_servers(on), 1_us);
}

// Tensor parallelism of few bytes is by NVLS, whose messages are split by their zero-load times.
TEST(ReuseWithBlame, FollowsWhatSwitchesReduce) {
  const Results on = expect_equal_folders_of(step("observe: {blame: true}\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 4U);
  EXPECT_THAT(on.blame, Contains(Field(&scenarios::BlameResult::culprit_kind, "job")));
}

// A path comes to where a rank began a call by any lane of its stream. What the rank waited for
// before is in the log of the stream's last lane alone, which does for all of them.
TEST(ReuseWithBlame, FollowsWhatARankWaitedForFromAnyLane) {
  const Results on = expect_equal_folders_of(
      reuse_servers(2, reuse_training("tensor: 8, pipeline: 2, sequence_parallel: true"),
                    "observe: {blame: true}\n"));
  EXPECT_EQ(on.reuse.gpu_sets, 2U);
  EXPECT_THAT(on.blame, Not(Contains(Field(&scenarios::BlameResult::cause, "schedule"))));
}

TEST(ReuseWithBlame, AfterAWarmupAndCutOff) {
  Experiment e = experiment_of_text(step("observe: {blame: true}\n"));
  const Picoseconds whole = folder_of_run(e, Reuse::kOff).results.simulated;
  e.scenario.run.warmup = whole / 3;
  expect_equal_folders(folder_of_run(e, Reuse::kOff), folder_of_run(e, Reuse::kOn));
  e.scenario.run.until = whole / 2;
  expect_equal_folders(folder_of_run(e, Reuse::kOff), folder_of_run(e, Reuse::kOn));
}

/// Compares off and on with warm-ups that end at `edges` times spread over the run, some of them
/// cut off.
void expect_equal_after_warmups(const std::string& text, int edges) {
  Experiment e = experiment_of_text(text);
  const Picoseconds whole = folder_of_run(e, Reuse::kOff).results.simulated;
  for (int i = 1; i <= edges; ++i) {
    e.scenario.run.warmup = i * whole / edges + Picoseconds(i % 3 - 1);
    e.scenario.run.until.reset();
    if (i % 4 == 0) e.scenario.run.until = e.scenario.run.warmup + i % 8 * 300_ns;
    SCOPED_TRACE(e.scenario.run.warmup.count());
    const FolderOfRun on = folder_of_run(e, Reuse::kOn);
    expect_equal_folders(folder_of_run(e, Reuse::kOff), on);
    EXPECT_GT(on.results.reuse.epochs, 0U);
  }
}

// The edge is in the middle of calls, or between them, or behind all.
TEST(ReuseWithWarmup, CountsWhatComesAfterIt) {
  expect_equal_after_warmups(
      "name: reuse\nracks: {count: 1, servers: 1, server: hgx-h100}\nfabric: {topology: "
      "single-domain}\n"
      "jobs:\n" +
          reuse_training("tensor: 8"),
      40);
}

TEST(ReuseWithWarmup, CountsWhatComesAfterItBetweenServers) {
  expect_equal_after_warmups(
      reuse_servers(4, reuse_training("tensor: 8, pipeline: 2, data: 2, schedule: 1f1b")), 16);
}

// Wherever it ends in an epoch, all of that epoch is simulated once more, its begin included.
TEST(ReuseWithWarmup, SimulatesAPhaseOnceMore) {
  Experiment e = experiment_of_text(
      "name: reuse\nracks: {count: 1, servers: 1, server: hgx-h100}\nfabric: {topology: "
      "single-domain}\n"
      "jobs:\n" +
      reuse_training("tensor: 8"));
  const scenarios::ReuseReport without = folder_of_run(e, Reuse::kOn).results.reuse;
  const auto work = [](const scenarios::ReuseReport& reuse) {
    return reuse.simulated_hops + reuse.skips.packet_hops;
  };
  std::vector<std::uint64_t> more;
  for (const Picoseconds warmup : {201_us, 202_us}) {
    e.scenario.run.warmup = warmup;
    const scenarios::ReuseReport with = folder_of_run(e, Reuse::kOn).results.reuse;
    EXPECT_EQ(with.simulated, without.simulated + 1);
    more.push_back(work(with) - work(without));
  }
  EXPECT_GT(more[0], 0U);
  EXPECT_EQ(more[0], more[1]);
}

TEST(ReuseWithWarmup, EndsBehindTheRun) {
  Experiment e = experiment_of_text(step("run: {warmup: 1s}\n"));
  expect_equal_folders(folder_of_run(e, Reuse::kOff), folder_of_run(e, Reuse::kOn));
  e.scenario.run.until = Picoseconds(100'000'000);
  expect_equal_folders(folder_of_run(e, Reuse::kOff), folder_of_run(e, Reuse::kOn));
}

TEST(ReuseWithWarmup, IsVerified) { expect_equal_folders_of(step("run: {warmup: 130us}\n")); }

}  // namespace
}  // namespace weft::testing
