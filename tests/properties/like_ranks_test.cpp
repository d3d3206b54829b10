#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/tasks/task_program.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/memo/part_fabric.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/zero_load/call_alone.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "tests/properties/random_plan.hpp"
#include "tests/properties/random_training.hpp"
#include "tests/support/engines.hpp"

/// Ideal times of jobs are the same to the picosecond whether all ranks run or one of those that do
/// the same, and whether calls inside domains are looked at each or, where they begin alike, once.
namespace weft::testing {
namespace {

using scenarios::Experiment;
using scenarios::LikeRanks;
using scenarios::ZeroLoadTimes;

ZeroLoadTimes ideals_of(const Experiment& e) {
  return {e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload};
}

/// Nothing: the language refuses the text.
std::optional<Experiment> experiment_if_valid(const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, "plan.yaml");
  if (!loaded.ok()) return std::nullopt;
  auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment.ok()) return std::nullopt;
  return std::move(experiment.value());
}

void expect_equal(const std::vector<ZeroLoadTimes::Job>& a,
                  const std::vector<ZeroLoadTimes::Job>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    EXPECT_EQ(a[j].time, b[j].time) << "job " << j;
    EXPECT_EQ(a[j].set_by, b[j].set_by) << "job " << j;
  }
}

TEST(ZeroLoadCalls, ThatBeginAlikeAreLookedAtOnce) {
  int with_gpu_sets = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Experiment e = experiment_of_text(RandomTraining(seed).text());
    SCOPED_TRACE("seed " + std::to_string(seed));
    const collectives::GpuSets inside = scenarios::gpu_sets_inside(e.fabric, e.workload);
    if (!inside.all.empty()) ++with_gpu_sets;
    ZeroLoadTimes ideals = ideals_of(e);
    expect_equal(ideals.jobs({}, {}, ZeroLoadTimes::Ranks::kAll),
                 ideals.jobs(inside, {}, ZeroLoadTimes::Ranks::kAll));
  }
  EXPECT_GT(with_gpu_sets, 30);
}

/// Of `experiments` with classes worth it.
struct LikeCount {
  int all = 0;
  int reduced = 0;
};

void compare_ranks(const Experiment& e, LikeCount& count) {
  ZeroLoadTimes ideals = ideals_of(e);
  const std::vector<ZeroLoadTimes::Job> all = ideals.jobs({}, {}, ZeroLoadTimes::Ranks::kAll);
  expect_equal(all, ideals.jobs());
  ++count.all;
  if (ideals.like_ranks().is_closed_and_small(e.workload)) ++count.reduced;
}

/// Of the first random plans those that the language takes.
template <class Visit>
void for_each_plan(std::uint64_t plans, Visit visit) {
  for (std::uint64_t seed = 1; seed <= plans; ++seed) {
    SCOPED_TRACE("plan " + std::to_string(seed));
    if (const auto e = experiment_if_valid(RandomPlan(seed).text())) visit(*e);
  }
}

TEST(LikeRanks, OneOfThemHasTheTimesOfAll) {
  LikeCount trainings;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("training " + std::to_string(seed));
    compare_ranks(experiment_of_text(RandomTraining(seed).text()), trainings);
  }
  LikeCount plans;
  for_each_plan(120, [&plans](const Experiment& e) { compare_ranks(e, plans); });
  EXPECT_GT(trainings.reduced, trainings.all / 2);
  EXPECT_GT(plans.reduced, plans.all / 2);
}

/// What a script tells of a task: when its call is which of its communicator, streams by number.
using TaskFacts = std::tuple<std::uint32_t, std::int64_t, std::uint32_t, std::uint32_t,
                             std::vector<std::pair<std::uint32_t, std::int64_t>>>;

std::vector<TaskFacts> facts_of(const collectives::TaskProgram& program, std::uint32_t rank) {
  std::vector<TaskFacts> facts;
  const auto numbers = collectives::numbers_of_calls(program);
  const collectives::LanePlan& lanes = program.lane_plan();
  for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
    collectives::StreamOf of = collectives::StreamOf::compute();
    if (stream > 0) {
      const auto member = lanes.member(rank, stream);
      if (!member) continue;
      of = collectives::StreamOf::communicator(member->communicator);
    }
    collectives::TaskStream tasks = program.task_set().tasks(rank, of, 0);
    for (collectives::Task task; tasks.next(task);) {
      std::vector<std::pair<std::uint32_t, std::int64_t>> after;
      for (const auto& d : task.after) after.emplace_back(lanes.number_of(d.stream), d.count);
      facts.emplace_back(stream, task.time.count(), stream == 0 ? 0 : numbers[task.call],
                         task.label, std::move(after));
    }
  }
  return facts;
}

TEST(LikeRanks, OfOneScriptHaveTheSameTasks) {
  int shared = 0;
  for_each_plan(80, [&](const Experiment& e) {
    const collectives::JobPlan& job = e.workload.jobs().front();
    const collectives::TaskProgram& program = *scenarios::task_program_of(job);
    std::map<std::uint32_t, std::vector<TaskFacts>> of_script;
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
      std::vector<TaskFacts> facts = facts_of(program, rank);
      const auto [known, is_new] = of_script.emplace(program.task_set().script_of(rank), facts);
      if (is_new) continue;
      ++shared;
      ASSERT_EQ(known->second, facts) << "rank " << rank;
    }
  });
  EXPECT_GT(shared, 300);
}

TEST(LikeRanks, OfOneScriptSendWhatTheirOwnCallsSend) {
  using Sent = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>;
  int ranks = 0;
  for_each_plan(80, [&](const Experiment& e) {
    const collectives::JobPlan& job = e.workload.jobs().front();
    const collectives::TaskProgram& program = *scenarios::task_program_of(job);
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
      std::vector<Sent> all;
      std::vector<Sent> expected;
      const auto add_to = [](std::vector<Sent>& list) {
        return [&list](const collectives::SendCount& send) {
          list.emplace_back(send.lane, send.step.peer, send.step.bytes().count(), send.count);
        };
      };
      program.for_each_send(rank, add_to(all));
      std::vector<std::uint32_t> communicators;
      for (std::uint32_t stream = 1; stream < program.streams(); ++stream) {
        const auto member = program.lane_plan().member(rank, stream);
        if (member) communicators.push_back(member->communicator);
      }
      // Counted task by task, not as training counts its own.
      const auto& tasks = program.task_set();
      for (const auto& [call, count] : tasks.TaskSet::call_counts(rank, communicators)) {
        program.for_each_send_of_call(call, rank, count, add_to(expected));
      }
      ASSERT_EQ(all, expected) << "rank " << rank;
      ++ranks;
    }
  });
  EXPECT_GT(ranks, 300);
}

/// Four servers of eight GPUs on a leaf for each rail.
std::string on_four_servers(const std::string& jobs, const std::string& changes = "") {
  return "name: t\nracks: {count: 4, servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}" +
         changes +
         "}\nfabric: {topology: rail-optimised, group: 4, spines: 2, switch: quantum-2, "
         "load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\njobs:\n" +
         jobs;
}

std::string training(const std::string& parallelism, const std::string& more = "") {
  return "  - {name: train, type: training, model: {preset: gpt-13b, layers: 4}, parallelism: {" +
         parallelism + "}, batch: {micro: 1, global: 4}" + more + "}\n";
}

TEST(LikeRanks, DataParallelRanksOfOneLeafAreOneClassPerStage) {
  const Experiment e =
      experiment_of_text(on_four_servers(training("tensor: 8, pipeline: 2, data: 2")));
  LikeRanks ranks = ideals_of(e).like_ranks();
  const std::vector<ProcessId> first{ProcessId(0U), ProcessId(16U)};
  EXPECT_EQ(ranks.first_of, first);
  EXPECT_TRUE(ranks.is_closed_and_small(e.workload));
  for (std::uint32_t p = 0; p < 32; ++p) EXPECT_EQ(ranks.class_of[p], p / 16);
  ranks.first_of[1] = ProcessId(24U);
  EXPECT_FALSE(ranks.is_closed_and_small(e.workload)) << "rank 0 sends to rank 16, which is idle";
}

TEST(LikeRanks, ThatAreToBeApartAreInClassesOfTheirOwn) {
  const Experiment e = experiment_of_text(on_four_servers(training("tensor: 8, data: 4")));
  std::vector<std::uint32_t> apart(32, 0);
  EXPECT_EQ(ideals_of(e).like_ranks(apart).first_of.size(), 1);
  apart[3] = 1;
  const LikeRanks ranks = ideals_of(e).like_ranks(apart);
  EXPECT_EQ(std::ranges::count(ranks.class_of, ranks.class_of[3]), 1);
}

TEST(LikeRanks, ASlowRankIsAClassOfItsOwn) {
  const Experiment e = experiment_of_text(
      on_four_servers(training("tensor: 8, data: 4", ", noise: [{ranks: 9, factor: 1.5}]")));
  const LikeRanks ranks = ideals_of(e).like_ranks();
  EXPECT_EQ(std::ranges::count(ranks.class_of, ranks.class_of[9]), 1);
  // Its neighbours in the server wait for it, and those of its rail.
  EXPECT_NE(ranks.class_of[8], ranks.class_of[0]);
  EXPECT_NE(ranks.class_of[1], ranks.class_of[0]);
  EXPECT_EQ(ranks.class_of[16], ranks.class_of[0]);
}

TEST(LikeRanks, BehindASlowLinkAreNotLikeOthers) {
  const Experiment e = experiment_of_text(
      on_four_servers(training("tensor: 8, data: 4"), ", changes: [{from: gpu9, rate: 50Gbps}]"));
  const LikeRanks ranks = ideals_of(e).like_ranks();
  EXPECT_NE(ranks.class_of[9], ranks.class_of[8]);
  LikeCount count;
  compare_ranks(e, count);
}

TEST(LikeRanks, OfGroupsThatLieOtherwiseInDomainsAreNotLikeOthers) {
  const Experiment e = experiment_of_text(
      on_four_servers(training("tensor: 8, data: 2", ", ranks: {hosts: [0-11, 16-19]}")));
  // Whatever the paths: algorithms go by domains.
  const LikeRanks ranks =
      scenarios::find_like_ranks(e.workload, [](ConnectionId /*connection*/) { return 0U; });
  EXPECT_NE(ranks.class_of[8], ranks.class_of[0]);
}

TEST(LikeRanks, OfExpertsThatGetEquallyManyTokensAreOneClass) {
  const Experiment e = experiment_of_text(on_four_servers(
      "  - {name: train, type: training, model: {preset: gpt-13b, layers: 4, experts: 8, top_k: 2, "
      "expert_ffn: 512}, parallelism: {data: 32, expert: 8}, experts: {exchange: high-throughput}, "
      "batch: {micro: 1, global: 32}}\n"));
  const LikeRanks ranks = ideals_of(e).like_ranks();
  EXPECT_TRUE(ranks.is_closed_and_small(e.workload));
  EXPECT_EQ(ranks.first_of.size(), 1);
  LikeCount count;
  compare_ranks(e, count);
}

TEST(LikeRanks, OfJobsThatWaitForOthersAllRun) {
  const Experiment e = experiment_of_text(
      on_four_servers(training("tensor: 8, data: 4") +
                      "  - {name: then, type: training, after: train, model: {preset: gpt-13b, "
                      "layers: 2}, parallelism: {tensor: 8, data: 4}, batch: {micro: 1, global: "
                      "4}}\n"));
  EXPECT_EQ(ideals_of(e).like_ranks().first_of.size(), 64);
  LikeCount count;
  compare_ranks(e, count);
}

TEST(LikeRanks, WhereMessagesAreRelayedAllRun) {
  const Experiment e = experiment_of_text(
      on_four_servers(
          training("tensor: 8, data: 4") +
          "  - {name: all, type: all-to-all, ranks: {hosts: [0, 1, 8, 9]}, size: 32KiB}\n") +
      "pxn: {enabled: true}\n");
  ASSERT_FALSE(e.workload.relays().empty());
  LikeCount count;
  compare_ranks(e, count);
  EXPECT_EQ(count.reduced, 0);
}

}  // namespace
}  // namespace weft::testing
