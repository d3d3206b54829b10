// How long a training step takes, against closed forms, on the ideal network.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "collectives/jobs/training/training_stage.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/pipeline/pipeline_time.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "tests/collectives/jobs/training_run.hpp"

namespace weft {
namespace {

using collectives::PipelineSchedule;
using collectives::TrainingSpec;
using testing::small_training;
using testing::TrainingRun;

TrainingSpec piped(std::uint32_t ranks, std::uint32_t micro_batches, PipelineSchedule schedule) {
  TrainingSpec spec = small_training();
  spec.parallelism.pipeline = ranks;
  spec.parallelism.schedule = schedule;
  spec.batch.global = micro_batches;
  return spec;
}

/// Of a layer: T_F, and T_B of inputs and weights together.
constexpr Picoseconds kForward = 4_us;
constexpr Picoseconds kBackward = 8_us;

// With free communication the bubble is (p - 1) / m of the ideal time m (T_F + T_B) for 1F1B and
// GPipe (arXiv 2104.04473, section 2.2): exactly.
TEST(TrainingTime, BubbleOfOneForwardOneBackwardAndGpipe) {
  for (const auto& [p, m] : {std::pair(2U, 4U), {4U, 8U}, {8U, 32U}, {8U, 64U}}) {
    for (const auto schedule :
         {PipelineSchedule::kOneForwardOneBackward, PipelineSchedule::kGpipe}) {
      const TrainingRun run(piped(p, m, schedule), p);
      ASSERT_TRUE(run.is_finished());
      const std::int64_t layers = 16 / p;
      EXPECT_EQ(run.end(), (m + p - 1) * layers * (kForward + kBackward)) << p << " ranks";
    }
  }
}

// Interleaved: (p - 1) / (v m), p dividing m.
TEST(TrainingTime, BubbleOfInterleavedStages) {
  for (const std::uint32_t v : {2U, 4U}) {
    for (const auto& [p, m] : {std::pair(2U, 4U), {4U, 8U}, {4U, 32U}}) {
      TrainingSpec spec = piped(p, m, PipelineSchedule::kOneForwardOneBackward);
      spec.parallelism.virtual_stages = v;
      const TrainingRun run(spec, p);
      ASSERT_TRUE(run.is_finished());
      const std::int64_t layers = 16 / p;  // of a rank
      EXPECT_EQ(run.end(), m * layers * (kForward + kBackward) +
                               (p - 1) * layers * (kForward + kBackward) / v);
    }
  }
}

// A job is its pipeline's order, as the evaluator of orders has it: every schedule, to the
// picosecond, with stages that differ and messages that take a while. Its transfers are messages of
// that latency.
TEST(TrainingTime, IsThatOfThePipelinesOrder) {
  for (const auto schedule : {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward,
                              PipelineSchedule::kZeroBubbleH1, PipelineSchedule::kDualPipe}) {
    for (const Picoseconds latency : {0_us, 3_us, 50_us}) {
      TrainingSpec spec = piped(4, 12, schedule);
      spec.parallelism.stage_layers = {5, 4, 4, 3};
      const TrainingRun run(spec, 4, latency);
      ASSERT_TRUE(run.is_finished());
      collectives::PipelineTimes times;
      for (const std::uint32_t layers : spec.parallelism.stage_layers) {
        const std::int64_t n = layers;
        times.stages.push_back({n * 4_us, n * 4_us, n * 4_us});
      }
      times.transfer = latency;
      const auto order = collectives::pipeline_time(collectives::pipeline_of(spec), times);
      // DualPipe adds up gradients of the stages that two ranks hold: a ring of two messages.
      const Picoseconds mirror =
          schedule == PipelineSchedule::kDualPipe ? 2 * latency : Picoseconds(0);
      EXPECT_GE(run.end(), order.makespan) << static_cast<int>(schedule);
      EXPECT_LE(run.end(), order.makespan + mirror) << static_cast<int>(schedule);
    }
  }
}

// Computing, bubble and exposed communication are all that a rank spends an iteration on.
TEST(TrainingTime, IsComputingAndWaiting) {
  TrainingSpec spec = piped(4, 8, PipelineSchedule::kOneForwardOneBackward);
  spec.parallelism.tensor = 2;
  spec.parallelism.data = 2;
  spec.batch.global = 16;
  spec.iterations = 2;
  const TrainingRun run(spec, 16, 2_us, 400_Gbps);
  ASSERT_TRUE(run.is_finished());
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    const auto& log = run.executor().iterations(ProcessId(rank));
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto& streams = log.streams(i);
      Picoseconds sum = streams[0].busy;
      for (const auto& stream : streams) {
        sum += stream.waited;
        EXPECT_LE(stream.late, stream.waited);
      }
      EXPECT_EQ(sum, log[i].end - log[i].begin) << "rank " << rank;
      EXPECT_EQ(streams[0].busy, 8LL * 4 * (kForward + kBackward));
    }
  }
}

/// A ring all-reduce of `size` bytes: 2 (n - 1) messages of size / n.
Picoseconds ring(Bytes size, std::int64_t n, BitsPerSecond rate) {
  return 2 * (n - 1) * transmission_time(Bytes(size.count() / n), rate);
}

// Without overlap a tensor-parallel job is the sum of its products and of its 4 all-reduces per
// layer, one for the embedding and one for the output layer's input.
TEST(TrainingTime, TensorParallelSumsAddUpWhereNothingOverlaps) {
  TrainingSpec spec = small_training();
  spec.parallelism.tensor = 8;
  const TrainingRun run(spec, 8, 0_us, 100_Gbps);
  ASSERT_TRUE(run.is_finished());
  const Picoseconds one = ring(Bytes(2LL * 768 * 3072), 8, 100_Gbps);
  EXPECT_EQ(run.end(), 16 * (kForward + kBackward) + (16 * 4 + 2) * one);
}

// Exposed is max(0, T_comm - T_overlap) of what happens beside: one bucket per layer, each on its
// way while the next layer's gradients are computed; the last one is exposed whole, and what is
// longer than a layer's backward pass is behind by the difference each time.
TEST(TrainingTime, BucketsOfGradientsHideBehindTheBackwardPass) {
  for (const BitsPerSecond rate : {4000_Gbps, 400_Gbps, 40_Gbps}) {
    TrainingSpec spec = small_training();
    spec.parallelism.data = 4;
    spec.batch.global = 4;
    spec.overlap.bucket = 1_B;
    const TrainingRun run(spec, 4, 0_us, rate);
    ASSERT_TRUE(run.is_finished());
    TrainingSpec whole = spec;
    whole.model = collectives::completed(spec.model);
    const auto stage = collectives::TrainingStage::of(whole, collectives::pipeline_of(whole), 0);
    // Buckets become ready one after the other; each begins when it is ready and the one before it
    // is over.
    Picoseconds ready = 16 * kForward;
    Picoseconds sent = ready;
    const auto& units = stage.chunks[0].units;
    for (std::size_t i = units.size(); i-- > 0;) {
      if (units[i].is_layer()) ready += kBackward;
      sent = std::max(sent, ready) + ring(units[i].gradients, 4, rate);
    }
    // Parts of a vector that do not divide are a byte longer: a message takes up to 20 ps more.
    EXPECT_NEAR(to_seconds(run.end()), to_seconds(sent), 1e-9);
  }
}

// Exposed gradients without overlap: all of them after the last backward pass.
TEST(TrainingTime, WithoutOverlapGradientsComeAfterTheBackwardPass) {
  TrainingSpec spec = small_training();
  spec.parallelism.data = 2;
  spec.batch.global = 2;
  spec.overlap.gradients = false;
  const TrainingRun run(spec, 2, 0_us, 400_Gbps);
  ASSERT_TRUE(run.is_finished());
  TrainingSpec whole = spec;
  whole.model = collectives::completed(spec.model);
  const auto stage = collectives::TrainingStage::of(whole, collectives::pipeline_of(whole), 0);
  Bytes gradients;
  for (const auto& unit : stage.chunks[0].units) gradients += unit.gradients;
  EXPECT_NEAR(to_seconds(run.end()),
              to_seconds(16 * (kForward + kBackward) + ring(gradients, 2, 400_Gbps)), 1e-9);
}

// Chunked products: while one chunk is summed the next one is computed. The last sum is exposed,
// and where sums take longer than a chunk, they follow each other.
TEST(TrainingTime, ChunksOfProductsHideTheirSums) {
  TrainingSpec spec = small_training();
  spec.parallelism.tensor = 8;
  const TrainingRun apart(spec, 8, 0_us, 3200_Gbps);
  spec.overlap.tensor = true;
  spec.overlap.tensor_chunks = 4;
  const TrainingRun beside(spec, 8, 0_us, 3200_Gbps);
  ASSERT_TRUE(apart.is_finished() && beside.is_finished());
  const Picoseconds one = ring(Bytes(2LL * 768 * 3072), 8, 3200_Gbps);
  // A half of a layer takes 2 us forward, 4 backward, of which a quarter is 0.5 or 1.
  const auto half = [&](Picoseconds time) {
    const Picoseconds chunk = time / 4;
    const Picoseconds sum = one / 4;
    return chunk + std::max(3 * chunk + sum, 4 * sum);
  };
  EXPECT_EQ(apart.end(), 16 * (kForward + kBackward) + (16 * 4 + 2) * one);
  EXPECT_NEAR(to_seconds(beside.end()),
              to_seconds(16LL * 2 * (half(kForward / 2) + half(kBackward / 2)) + 2 * one), 1e-9);
}

}  // namespace
}  // namespace weft
