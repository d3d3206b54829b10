// What pipelines lose, with free communication and stages of equal length. F is the time of a
// stage's forward, B of the gradient of its input, W of the gradient of its weights; p ranks, v
// virtual stages each, m micro-batches. All numbers are integers, and the claims are exact.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/training/pipeline/pipeline_time.hpp"
#include "tests/collectives/training/pipeline_grid.hpp"

namespace weft::testing {
namespace {

using collectives::PipelineOutcome;
using collectives::PipelinePlan;
using collectives::PipelineSchedule;
using collectives::PipelineTimes;
using collectives::StageTimes;

using PipelineShape = std::pair<std::uint32_t, std::uint32_t>;
const std::vector<PipelineShape> kPipelines = {{2, 4}, {4, 8}, {8, 32}, {8, 64}};

struct StageWork {
  std::int64_t forward;
  std::int64_t input;
  std::int64_t weights;

  [[nodiscard]] std::int64_t sum() const { return forward + input + weights; }
};

PipelineOutcome evaluated(const PipelinePlan& plan, const StageWork& work, std::int64_t pair = 0,
                          Picoseconds transfer = {}) {
  PipelineTimes times;
  times.stages.assign(plan.stages(), {Picoseconds(work.forward), Picoseconds(work.input),
                                      Picoseconds(work.weights)});
  if (pair > 0) times.pairs.assign(plan.ranks, Picoseconds(pair));
  times.transfer = transfer;
  return pipeline_time(plan, times);
}

/// What every rank idles, where all idle for the same time.
std::int64_t idle_of_all(const PipelineOutcome& outcome) {
  EXPECT_TRUE(outcome.finished());
  for (const Picoseconds idle : outcome.idle) EXPECT_EQ(idle, outcome.idle[0]);
  return outcome.idle[0].count();
}

// The last rank begins p - 1 forwards late, and p - 1 backwards follow its last one: (p - 1) / m of
// the ideal time m (F + B + W).
TEST(PipelineBubble, IsRanksLessOneOverMicroBatches) {
  const StageWork work{100, 130, 90};
  for (const auto& [p, m] : kPipelines) {
    for (const PipelineSchedule schedule : {PipelineSchedule::kGpipe, kOneByOne}) {
      const std::int64_t idle = idle_of_all(evaluated({schedule, p, 1, m}, work));
      EXPECT_EQ(idle * m, (p - 1) * (m * work.sum())) << "p " << p << ", m " << m;
    }
  }
}

/// GPipe on two ranks of four micro-batches: forward 1, backward 2, results 3 on their way.
PipelineOutcome slow_sends(bool blocks) {
  const Picoseconds sent(3);
  const std::vector<Picoseconds> none{Picoseconds(0), sent};
  const std::vector<Picoseconds> back{sent, Picoseconds(0)};
  PipelineTimes times;
  times.stages.assign(2, {Picoseconds(1), Picoseconds(1), Picoseconds(1)});
  times.transfers = times.occupied = {none, back};
  times.blocks = blocks;
  return pipeline_time({PipelineSchedule::kGpipe, 2, 1, 4}, times);
}

// Rank 0 is through its forward passes at 4. Their results are at rank 1 at 4, 7, 10 and 13, for
// they follow each other on the link; those of its backward passes, from 14 on, at 19, 22, 25 and
// 28. Rank 0 waits 12 until the first of them is on its way, and 3 + 3 * 1 for what is; rank 1
// waits 1, and 3 + 3 * 2.
TEST(PipelineBubble, EndsWhereAResultIsOnItsWayBehindOthers) {
  const PipelineOutcome outcome = slow_sends(false);
  EXPECT_EQ(outcome.makespan, Picoseconds(30));
  EXPECT_EQ(outcome.awaited, (std::vector{Picoseconds(6), Picoseconds(9)}));
  EXPECT_EQ(outcome.busy[0], Picoseconds(12));
}

// Rank 0 continues at 4, 8, 12 and 16, rank 1 computes at 4, 8, 12 and 16 to 19, and its results
// are there at 22, 27, 32 and 37. Each waits for four of its own and four of the other's.
TEST(PipelineBubble, IsLessWhereSendsBlock) {
  const PipelineOutcome outcome = slow_sends(true);
  EXPECT_EQ(outcome.makespan, Picoseconds(39));
  EXPECT_EQ(outcome.awaited, (std::vector{Picoseconds(24), Picoseconds(24)}));
}

// Two of the three of a forward pass, and of the four of a backward pass, need no input: rank 1 is
// through at 4 and 8, rank 0 starts its backward pass at 6.
TEST(PipelineBubble, IsLessWherePassesBeginBeforeTheirInputs) {
  PipelineTimes times;
  times.stages.assign(2, {.forward = Picoseconds(3),
                          .backward_input = Picoseconds(4),
                          .backward_weights = Picoseconds(0),
                          .before_forward = Picoseconds(2),
                          .before_backward = Picoseconds(2)});
  const PipelineOutcome outcome = pipeline_time({PipelineSchedule::kGpipe, 2, 1, 1}, times);
  EXPECT_EQ(outcome.makespan, Picoseconds(10));
  EXPECT_EQ(outcome.ends[1], Picoseconds(8));
}

// Rank 0 is through its two forward passes at 6; the results of each are there one later, at 4 and
// 7. Rank 1 computes until 7, 10, 14 and 18; what it has last is there at 15 and 19.
TEST(PipelineBubble, HidesWhatComesAfterAPassBehindTheNext) {
  PipelineTimes times;
  times.stages.assign(2, {.forward = Picoseconds(3),
                          .backward_input = Picoseconds(4),
                          .backward_weights = Picoseconds(0),
                          .after_forward = Picoseconds(1),
                          .after_backward = Picoseconds(1)});
  times.stages[1].after_forward = Picoseconds(0);  // it continues with the loss
  const PipelineOutcome outcome = pipeline_time({PipelineSchedule::kGpipe, 2, 1, 2}, times);
  EXPECT_EQ(outcome.ends[1], Picoseconds(18));
  EXPECT_EQ(outcome.makespan, Picoseconds(23));
}

// Stages are 1 / v as long, and p - 1 of them are waited for: (p - 1) / (v m).
TEST(PipelineBubble, ShrinksByTheVirtualStages) {
  const StageWork work{100, 130, 90};  // of a virtual stage
  for (const auto& [p, m] : kPipelines) {
    for (const std::uint32_t v : {2U, 3U, 6U}) {
      const std::int64_t idle = idle_of_all(evaluated({kOneByOne, p, v, m}, work));
      const std::int64_t ideal = std::int64_t{m} * v * work.sum();
      EXPECT_EQ(idle * v * m, (p - 1) * ideal) << "p " << p << ", v " << v << ", m " << m;
    }
  }
}

// The last rank still begins p - 1 forwards late, p - 1 gradients of inputs still follow its last
// one; but it has p - 1 gradients of weights to do meanwhile: (p - 1) (F + B - W), of the ideal
// time m (F + B + W). Weights cannot fill more than there is: where W is above F or B, what is lost
// is (p - 1) max(F, B).
TEST(PipelineBubble, OfZeroBubbleH1IsFilledByWeights) {
  for (const auto& [p, m] : kPipelines) {
    for (std::int64_t forward = 20; forward <= 140; forward += 40) {
      for (std::int64_t input = 20; input <= 140; input += 30) {
        for (std::int64_t weights = 20; weights <= 160; weights += 20) {
          const StageWork work{forward, input, weights};
          const std::int64_t idle =
              idle_of_all(evaluated({PipelineSchedule::kZeroBubbleH1, p, 1, m}, work));
          EXPECT_EQ(idle, (p - 1) * std::max({forward, input, forward + input - weights}));
          if (weights <= std::min(forward, input)) {
            EXPECT_EQ(idle * m * work.sum(),
                      (p - 1) * (forward + input - weights) * (m * work.sum()));
          }
        }
      }
    }
  }
}

// DualPipe. With T the time of a pair, the report's table 2 has (p / 2 - 1) (T + (B + W) - 3 W),
// that is (p / 2 - 1) (T + B - 2 W). What the orders come to, W <= F and W <= B and T at least as
// long as either of its parts (otherwise pairs are not what everybody waits for):
// - B = F: exactly that, on the two ranks in the middle, whatever T and m are. The report's figure
//   draws such slots.
// - B < F: exactly (p / 2 - 1) (T + F - 2 W) there. The forwards of the other direction are then
//   what is waited for where the report counts gradients of inputs.
// - B > F: from (p / 2 - 1) (T + F - 2 W) to the report's form, which is never exceeded.
// A rank is busy for m (F + B + W) less (F + B + W - T) for each of its pairs, and a rank that is
// nearer to an end by one has one pair fewer (those in the middle do their first two apart, so
// that they have as many as their neighbours). Nearer to the ends ranks therefore idle for less by
// F + B + W - T at each step: all idle for the same time only where T = F + B + W.
struct Dual {
  std::uint32_t ranks;
  std::uint32_t micro_batches;
  StageWork work;
  std::int64_t pair;

  [[nodiscard]] PipelineOutcome outcome() const {
    return evaluated({PipelineSchedule::kDualPipe, ranks, 1, micro_batches}, work, pair);
  }
  [[nodiscard]] std::int64_t reported() const {
    return (ranks / 2 - 1) * (pair + work.input - 2 * work.weights);
  }
  [[nodiscard]] std::int64_t with_forward() const {
    return (ranks / 2 - 1) * (pair + work.forward - 2 * work.weights);
  }
};

std::vector<Dual> dual_cases() {
  std::vector<Dual> cases;
  for (const auto& [p, m] :
       std::vector<PipelineShape>{{2, 4}, {4, 8}, {8, 20}, {8, 40}, {16, 64}}) {
    for (const std::int64_t forward : {60, 100, 140}) {
      for (const std::int64_t input : {60, 80, 100, 140}) {
        for (const std::int64_t weights : {20, 60, 100}) {
          const StageWork work{forward, input, weights};
          if (weights > forward || weights > input) continue;
          for (const std::int64_t saved : {0, 20, 60}) {
            const std::int64_t pair = work.sum() - saved;
            if (pair < forward || pair < input + weights) continue;
            cases.push_back({p, m, work, pair});
          }
        }
      }
    }
  }
  return cases;
}

TEST(PipelineBubble, OfDualPipeIsAsReportedWhereForwardAndInputTakeTheSame) {
  std::size_t exact = 0;
  for (const Dual& dual : dual_cases()) {
    const PipelineOutcome outcome = dual.outcome();
    ASSERT_TRUE(outcome.finished());
    const std::int64_t middle = outcome.idle[dual.ranks / 2].count();
    EXPECT_EQ(middle, outcome.idle[dual.ranks / 2 - 1].count());
    if (dual.work.forward >= dual.work.input) {
      EXPECT_EQ(middle, dual.with_forward());
    } else {
      EXPECT_GE(middle, dual.with_forward());
      EXPECT_LE(middle, dual.reported());
    }
    if (dual.work.forward == dual.work.input) {
      EXPECT_EQ(middle, dual.reported());
      ++exact;
    }
  }
  EXPECT_GT(exact, 20U);
}

TEST(PipelineBubble, OfDualPipeIsLessTowardsTheEndsWherePairsSaveTime) {
  for (const Dual& dual : dual_cases()) {
    const PipelineOutcome outcome = dual.outcome();
    const std::int64_t saved = dual.work.sum() - dual.pair;
    const std::uint32_t half = dual.ranks / 2;
    for (std::uint32_t r = 0; r < half; ++r) {
      const std::int64_t steps = r + 1 == half ? 0 : half - 2 - r;  // from the middle's neighbour
      EXPECT_EQ(outcome.idle[r].count(), outcome.idle[half].count() - steps * saved);
      EXPECT_EQ(outcome.idle[r], outcome.idle[dual.ranks - 1 - r]);
    }
  }
}

// In GPipe a transfer of x each is waited for p - 1 times on the way to the last rank and as often
// on the way back: micro-batches follow one another without a gap, whatever x is.
TEST(PipelineTime, AddsTransfersOnTheWayThereAndBack) {
  const StageWork work{100, 100, 100};
  for (const std::uint32_t p : {2U, 4U, 8U}) {
    const PipelinePlan plan{PipelineSchedule::kGpipe, p, 1, 2 * p};
    const PipelineOutcome free = evaluated(plan, work);
    const PipelineOutcome slow = evaluated(plan, work, 0, 17_ps);
    EXPECT_EQ((slow.makespan - free.makespan).count(), 2 * (p - 1) * 17);
  }
}

}  // namespace
}  // namespace weft::testing
