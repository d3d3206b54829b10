// What ranks of a training job send is counted without walking through a long iteration.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/jobs/training/training_calls.hpp"
#include "collectives/jobs/training/training_script.hpp"
#include "collectives/jobs/training/training_tasks.hpp"
#include "tests/collectives/jobs/training_matrix.hpp"

namespace weft {
namespace {

using collectives::CallCounts;
using collectives::JobProgram;
using collectives::SendCount;
using collectives::Step;
using testing::MatrixPlan;

/// By lane, kind, peer, and bytes.
using Sends =
    std::map<std::tuple<std::uint32_t, Step::Kind, std::uint32_t, std::int64_t>, std::int64_t>;

void add(Sends& sends, const SendCount& send) {
  sends[{send.lane, send.step.kind, send.step.peer, send.step.amount}] += send.count;
}

/// Of every pipeline order, kind of sharding and group.
std::vector<MatrixPlan> long_plans() {
  using enum collectives::PipelineSchedule;
  std::vector<MatrixPlan> plans;
  for (const std::uint32_t pipeline : {1U, 2U, 4U}) {
    for (const std::uint32_t zero : {0U, 1U, 3U}) {
      for (const auto order : {kGpipe, kOneForwardOneBackward, kZeroBubbleH1, kDualPipe}) {
        plans.push_back({pipeline, 2, 2, 1, zero, order, 1});
      }
      plans.push_back({pipeline, 1, 4, 4, zero, kOneForwardOneBackward, 2});
    }
  }
  return plans;
}

// Two short iterations say what a long one has; exact.
TEST(TrainingCalls, OfLongIterationsAreThoseThatTheirTasksMake) {
  int compared = 0;
  for (const MatrixPlan& plan : long_plans()) {
    SCOPED_TRACE(plan.text());
    // Odd multiples too, but where the order goes in rounds, or from both ends.
    for (const std::uint32_t per_stage : {3U, 5U, 11U}) {
      collectives::TrainingSpec spec = plan.spec();
      const bool is_any_number =
          plan.virtual_stages == 1 && plan.schedule != collectives::PipelineSchedule::kDualPipe;
      spec.batch.global = plan.data * (per_stage * 2 * plan.pipeline + (is_any_number ? 1 : 0));
      collectives::Problems problems;
      collectives::Training::check(spec, plan.ranks(), problems);
      if (!problems.empty()) continue;
      const collectives::TrainingTasks parts(spec);
      for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank) {
        std::vector<std::uint32_t> all;
        for (std::uint32_t c = 0; c < parts.communicators().size(); ++c) {
          if (std::ranges::count(parts.communicators()[c].ranks, rank) > 0) all.push_back(c);
        }
        EXPECT_EQ(parts.call_counts(rank, all), parts.TaskSet::call_counts(rank, all));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

// A lane that asks for one stream gets that stream's tasks, with the same waits, and holds no more
// than a part of a slot.
TEST(TrainingScript, OfOneStreamMakesItsTasksAloneAndAFewAtATime) {
  using collectives::StreamOf;
  for (const MatrixPlan& plan : long_plans()) {
    SCOPED_TRACE(plan.text());
    collectives::Problems problems;
    collectives::Training::check(plan.spec(), plan.ranks(), problems);
    if (!problems.empty()) continue;
    const collectives::TrainingTasks parts(plan.spec());
    using Seen = std::vector<std::tuple<std::int64_t, std::uint32_t, std::size_t, std::uint32_t>>;
    std::map<StreamOf, Seen> all;
    const auto note = [](Seen& seen, const collectives::ScriptedTask& task) {
      std::vector<collectives::Dependency> after;
      task.after.copy_to(after);
      seen.emplace_back(task.time.count(), task.call, after.size(), task.label);
      for (const collectives::Dependency& d : after) {
        seen.emplace_back(d.count, d.stream.is_compute() ? 0 : d.stream.number() + 1, 0, 0);
      }
    };
    collectives::TrainingScript whole(parts.plan(), 0);
    while (whole.next()) {
      for (const collectives::ScriptedTask& task : whole.tasks()) note(all[task.stream], task);
    }
    ASSERT_GT(all.size(), 1U);
    for (const auto& [stream, expected] : all) {
      Seen seen;
      collectives::TrainingScript script(parts.plan(), 0);
      script.keep_only(stream);
      std::size_t largest = 0;
      while (script.next()) {
        largest = std::max(largest, script.tasks().size());
        for (const collectives::ScriptedTask& task : script.tasks()) {
          EXPECT_EQ(task.stream, stream);
          note(seen, task);
        }
      }
      EXPECT_EQ(seen, expected);
      if (stream.is_compute()) {
        EXPECT_LT(largest, 8U);
      }
    }
  }
}

TEST(TrainingCalls, BecomeTheSendsOfEveryLane) {
  for (const MatrixPlan& plan : long_plans()) {
    SCOPED_TRACE(plan.text());
    collectives::Problems problems;
    collectives::Training::check(plan.spec(), plan.ranks(), problems);
    if (!problems.empty()) continue;
    const testing::TrainingRun run(plan.spec(), plan.ranks());
    for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank) {
      Sends counted;
      Sends walked;
      run.program().for_each_send(rank, [&](const SendCount& send) { add(counted, send); });
      run.program().JobProgram::for_each_send(rank,
                                              [&](const SendCount& send) { add(walked, send); });
      EXPECT_EQ(counted, walked);
      EXPECT_FALSE(walked.empty());
    }
  }
}

}  // namespace
}  // namespace weft
