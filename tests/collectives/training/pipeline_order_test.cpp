// The orders of pipeline schedules: what every one of them must have, and what its memory is.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/training/pipeline/pipeline_time.hpp"
#include "tests/collectives/training/pipeline_grid.hpp"

namespace weft::testing {
namespace {

using collectives::peak_activations;
using collectives::PipelineOutcome;
using collectives::PipelinePlan;
using collectives::PipelineSchedule;
using collectives::PipelineTimes;
using collectives::Slot;
using collectives::SlotKind;
using collectives::SlotStream;
using collectives::StagePlace;

/// A slot as its parts: a pair is a forward and a backward.
std::vector<Slot> parts_of(const Slot& slot) {
  if (slot.kind != SlotKind::kPair) return {slot};
  return {{SlotKind::kForward, slot.micro_batch, slot.chunk},
          {SlotKind::kBackward, slot.backward_micro_batch, slot.backward_chunk}};
}

TEST(PipelineOrder, DoesEveryMicroBatchOnceInEveryStage) {
  for (const PipelinePlan& plan : plans_without_problems()) {
    SCOPED_TRACE(described(plan));
    // How far a (stage, micro-batch) is: forward, gradient of input, gradient of weights.
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> progress;
    for (std::uint32_t r = 0; r < plan.ranks; ++r) {
      for (const Slot& slot : all_slots(plan, r)) {
        for (const Slot& part : parts_of(slot)) {
          ASSERT_LT(part.micro_batch, plan.micro_batches);
          ASSERT_LT(part.chunk, plan.chunks());
          const std::uint32_t stage = stage_of(plan, {r, part.chunk});
          ASSERT_EQ(place_of(plan, stage, part.micro_batch), (StagePlace{r, part.chunk}));
          int& done = progress[{stage, part.micro_batch}];
          ASSERT_EQ(done, part.kind == SlotKind::kForward           ? 0
                          : part.kind == SlotKind::kBackwardWeights ? 2
                                                                    : 1);
          done = part.kind == SlotKind::kBackward ? 3 : done + 1;
        }
      }
    }
    EXPECT_EQ(progress.size(), std::size_t{plan.stages()} * plan.micro_batches);
    EXPECT_TRUE(std::ranges::all_of(progress, [](const auto& entry) { return entry.second == 3; }));
  }
}

// Receives block and sends are buffered; times and transfers of unlike length must not matter.
TEST(PipelineOrder, ComesToItsEndWhateverSlotsTake) {
  for (const PipelinePlan& plan : plans_without_problems()) {
    SCOPED_TRACE(described(plan));
    PipelineTimes times;
    for (std::uint32_t s = 0; s < plan.stages(); ++s) {
      times.stages.push_back({Picoseconds(100 + 7 * (s % 5)), Picoseconds(120 + 11 * (s % 3)),
                              Picoseconds(80 + 3 * (s % 7))});
    }
    std::uint64_t slots = 0;
    for (std::uint32_t r = 0; r < plan.ranks; ++r) slots += all_slots(plan, r).size();
    for (const Picoseconds transfer : {0_ps, 13_ps, 5'000_ps}) {
      times.transfer = transfer;
      const PipelineOutcome outcome = pipeline_time(plan, times);
      EXPECT_TRUE(outcome.finished());
      EXPECT_EQ(outcome.slots, slots);
    }
  }
}

/// What a rank sends to, or receives from, one chunk of a rank in one direction: micro-batches in
/// order, by sender, sender's chunk, and whether it is a gradient.
using Channel = std::tuple<std::uint32_t, std::uint32_t, bool>;
using Traffic = std::map<Channel, std::vector<std::uint32_t>>;

void note_traffic(const PipelinePlan& plan, std::uint32_t rank, const Slot& part, Traffic& sent,
                  Traffic& received) {
  const StagePlace here{rank, part.chunk};
  const auto next = forward_target(plan, here);
  const auto previous = backward_target(plan, here);
  if (part.kind == SlotKind::kForward) {
    if (next) sent[{rank, part.chunk, false}].push_back(part.micro_batch);
    if (previous) received[{previous->rank, previous->chunk, false}].push_back(part.micro_batch);
  } else if (part.kind != SlotKind::kBackwardWeights) {
    if (previous) sent[{rank, part.chunk, true}].push_back(part.micro_batch);
    if (next) received[{next->rank, next->chunk, true}].push_back(part.micro_batch);
  }
}

// Messages of one connection are matched in order, and nothing says which micro-batch one is of.
TEST(PipelineOrder, ReceivesInTheOrderOfSending) {
  for (const PipelinePlan& plan : plans_without_problems()) {
    Traffic sent;
    Traffic received;
    for (std::uint32_t r = 0; r < plan.ranks; ++r) {
      for (const Slot& slot : all_slots(plan, r)) {
        for (const Slot& part : parts_of(slot)) note_traffic(plan, r, part, sent, received);
      }
    }
    EXPECT_EQ(sent, received) << described(plan);
  }
}

TEST(PipelineOrder, LeadsFromTheFirstStageToTheLastAndBack) {
  for (const PipelinePlan& plan : plans_without_problems()) {
    SCOPED_TRACE(described(plan));
    for (const std::uint32_t micro_batch : {0U, plan.micro_batches - 1}) {
      StagePlace place = place_of(plan, 0, micro_batch);
      for (std::uint32_t s = 0; s + 1 < plan.stages(); ++s) {
        const auto next = forward_target(plan, place);
        ASSERT_TRUE(next.has_value());
        EXPECT_EQ(stage_of(plan, *next), s + 1);
        EXPECT_EQ(backward_target(plan, *next), place);
        EXPECT_NE(next->rank, place.rank);
        place = *next;
      }
      EXPECT_EQ(forward_target(plan, place), std::nullopt);
    }
  }
}

// An order of 2e9 micro-batches would not fit into memory.
TEST(PipelineOrder, IsMadeAsItIsAskedFor) {
  for (const PipelineSchedule schedule :
       {PipelineSchedule::kGpipe, kOneByOne, PipelineSchedule::kZeroBubbleH1,
        PipelineSchedule::kDualPipe}) {
    SlotStream stream = collectives::pipeline_slots({schedule, 4, 1, 2'000'000'000}, 1);
    Slot slot;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(stream.next(slot));
    EXPECT_LE(slot.micro_batch % 1'000'000'000, 1000U);
  }
}

/// An order out of a list.
SlotStream listed(std::vector<Slot> slots) {
  for (const Slot& slot : slots) co_yield slot;
}

// Rank 1 wants micro-batch 1 first, which rank 0 only sends after the backward of micro-batch 0.
TEST(PipelineTime, NamesWhoWaitsForEver) {
  const PipelinePlan plan{kOneByOne, 2, 1, 2};
  const PipelineTimes times{{{1_ns, 1_ns, 1_ns}, {1_ns, 1_ns, 1_ns}}, {}, 0_ps};
  const Slot first_forward{SlotKind::kForward, 0, 0};
  const Slot second_forward{SlotKind::kForward, 1, 0};
  const Slot first_backward{SlotKind::kBackward, 0, 0};
  const Slot second_backward{SlotKind::kBackward, 1, 0};
  std::vector<SlotStream> orders;
  orders.push_back(listed({first_forward, first_backward, second_forward, second_backward}));
  orders.push_back(listed({second_forward, first_forward, first_backward, second_backward}));
  const PipelineOutcome outcome = pipeline_time(plan, std::move(orders), times);
  ASSERT_FALSE(outcome.finished());
  ASSERT_EQ(outcome.blocked.size(), 2U);
  EXPECT_EQ(outcome.slots, 1U);
  EXPECT_EQ(outcome.blocked[0].rank, 0U);
  EXPECT_EQ(outcome.blocked[0].position, 1U);
  EXPECT_EQ(outcome.blocked[0].slot.kind, SlotKind::kBackward);
  EXPECT_EQ(outcome.blocked[1].position, 0U);
  EXPECT_EQ(outcome.blocked[1].slot.micro_batch, 1U);
}

/// The most that a rank's order holds at once.
std::uint32_t max_held(const PipelinePlan& plan, std::uint32_t rank) {
  std::uint32_t held = 0;
  std::uint32_t max = 0;
  for (const Slot& slot : all_slots(plan, rank)) {
    if (slot.kind == SlotKind::kForward || slot.kind == SlotKind::kPair) ++held;
    max = std::max(max, held);
    const bool is_over = slot.kind == SlotKind::kBackward || slot.kind == SlotKind::kPair ||
                         slot.kind == SlotKind::kBackwardWeights;
    if (is_over) --held;
  }
  return max;
}

TEST(PipelineMemory, IsWhatTheOrderHolds) {
  for (const PipelinePlan& plan : plans_without_problems()) {
    for (std::uint32_t r = 0; r < plan.ranks; ++r) {
      EXPECT_EQ(peak_activations(plan, r), max_held(plan, r)) << described(plan) << ", rank " << r;
    }
  }
}

// GPipe holds all. 1F1B holds p - r on rank r, ZB-H1 p on every rank. Interleaved, the first rank
// holds p v + p - 1 shares of 1 / v, a factor 1 + (p - 1) / (p v) above 1F1B (V. Korthikanti et
// al., arXiv 2205.05198, section 4.2.3). DualPipe holds p + 1 (arXiv 2412.19437, table 2).
TEST(PipelineMemory, FollowsThePapers) {
  for (std::uint32_t r = 0; r < 8; ++r) {
    EXPECT_EQ(peak_activations({PipelineSchedule::kGpipe, 8, 1, 32}, r), 32U);
    EXPECT_EQ(peak_activations({kOneByOne, 8, 1, 32}, r), 8 - r);
    EXPECT_EQ(peak_activations({kOneByOne, 8, 1, 4}, r), std::min(8 - r, 4U));
    EXPECT_EQ(peak_activations({PipelineSchedule::kZeroBubbleH1, 8, 1, 32}, r), 8U);
    EXPECT_EQ(peak_activations({PipelineSchedule::kDualPipe, 8, 1, 32}, r), 9U);
  }
  EXPECT_EQ(peak_activations({kOneByOne, 8, 6, 32}, 0), 8U * 6 + 8 - 1);
}

/// The keys of what is wrong.
std::vector<std::string> keys_of_problems(const PipelinePlan& plan) {
  std::vector<schema::Problem> problems;
  check_pipeline(plan, problems);
  std::vector<std::string> keys;
  keys.reserve(problems.size());
  for (const schema::Problem& problem : problems) keys.push_back(problem.key);
  return keys;
}

TEST(PipelinePlan, IsRefusedByTheKeyThatSaysWhy) {
  const std::string stages = "parallelism.virtual_stages";
  const std::string batch = "batch.global";
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys_of_problems({kOneByOne, 4, 2, 8}), Keys{});
  EXPECT_EQ(keys_of_problems({kOneByOne, 4, 2, 6}), Keys{batch});
  EXPECT_EQ(keys_of_problems({kOneByOne, 1, 2, 6}), Keys{stages});
  EXPECT_EQ(keys_of_problems({PipelineSchedule::kGpipe, 4, 2, 8}), Keys{stages});
  EXPECT_EQ(keys_of_problems({PipelineSchedule::kZeroBubbleH1, 4, 2, 8}), Keys{stages});
  EXPECT_EQ(keys_of_problems({PipelineSchedule::kDualPipe, 4, 1, 8}), Keys{});
  EXPECT_EQ(keys_of_problems({PipelineSchedule::kDualPipe, 3, 1, 8}), Keys{"parallelism.pipeline"});
  EXPECT_EQ(keys_of_problems({PipelineSchedule::kDualPipe, 4, 1, 6}), Keys{batch});
  EXPECT_EQ(keys_of_problems({PipelineSchedule::kDualPipe, 4, 1, 9}), Keys{batch});
  EXPECT_EQ(keys_of_problems({kOneByOne, 4, 1, 0}), Keys{batch});
  EXPECT_EQ(keys_of_problems({kOneByOne, 4, 2, 2'000'000'000}), Keys{batch});
}

}  // namespace
}  // namespace weft::testing
