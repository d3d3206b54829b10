// What a training job sends, counted message by message on the ideal network, is what the closed
// forms of volumes_of say (which tests of their own hold to the formulas of their papers): exactly,
// by kind of group, for every rank. Rings and pairwise exchanges send the least that there is, and
// all sizes divide.
#include <gtest/gtest.h>

#include <string>

#include "tests/collectives/jobs/training_run.hpp"
#include "tests/collectives/jobs/training_volumes.hpp"

namespace weft {
namespace {

using collectives::TrainingSpec;
using testing::expect_volumes;
using testing::small_training;

TEST(TrainingVolumes, TensorParallelSumsAreFourPerLayerAndSixWithFullRecomputation) {
  for (const std::uint32_t tensor : {2U, 3U, 8U, 24U}) {
    for (const bool is_sequence_parallel : {false, true}) {
      for (const auto again :
           {collectives::Recomputation::kNone, collectives::Recomputation::kFull}) {
        TrainingSpec spec = small_training();
        spec.parallelism.tensor = tensor;
        spec.parallelism.sequence_parallel = is_sequence_parallel;
        spec.recomputation = again;
        spec.batch.global = 2;
        expect_volumes(spec, tensor, "tensor " + std::to_string(tensor));
      }
    }
  }
}

TEST(TrainingVolumes, ChunkedProductsSendTheSame) {
  TrainingSpec spec = small_training();
  spec.parallelism.tensor = 4;
  spec.overlap.tensor = true;
  expect_volumes(spec, 4, "chunks");
  spec.parallelism.sequence_parallel = true;
  expect_volumes(spec, 4, "sequence-parallel chunks");
}

TEST(TrainingVolumes, DataParallelAndZeroSendWhatTheirPaperSays) {
  for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) {
    for (const bool overlaps : {false, true}) {
      TrainingSpec spec = small_training();
      spec.parallelism.data = 4;
      spec.parallelism.zero = zero;
      spec.batch.global = 8;
      spec.overlap.gradients = spec.overlap.prefetch = overlaps;
      expect_volumes(spec, 4, "zero " + std::to_string(zero));
      if (zero == 0) continue;
      spec.parallelism.shard_ranks = 2;
      expect_volumes(spec, 4, "hybrid zero " + std::to_string(zero));
    }
  }
}

TEST(TrainingVolumes, StagesPassOnActivationsAndGradients) {
  for (const auto schedule :
       {collectives::PipelineSchedule::kGpipe,
        collectives::PipelineSchedule::kOneForwardOneBackward,
        collectives::PipelineSchedule::kZeroBubbleH1, collectives::PipelineSchedule::kDualPipe}) {
    TrainingSpec spec = small_training();
    spec.parallelism.pipeline = 4;
    spec.parallelism.tensor = 2;
    spec.parallelism.schedule = schedule;
    spec.batch.global = 8;
    expect_volumes(spec, 8, "schedule " + std::to_string(static_cast<int>(schedule)));
    spec.parallelism.sequence_parallel = true;
    expect_volumes(spec, 8, "sharded, schedule " + std::to_string(static_cast<int>(schedule)));
  }
  TrainingSpec spec = small_training();
  spec.parallelism.pipeline = 4;
  spec.parallelism.virtual_stages = 2;
  spec.model.tied_embeddings = true;
  spec.batch.global = 8;
  expect_volumes(spec, 4, "interleaved, tied");
}

TEST(TrainingVolumes, RingsOfKeysAndValuesGoRound) {
  for (const auto again : {collectives::Recomputation::kNone, collectives::Recomputation::kFull}) {
    TrainingSpec spec = small_training();
    spec.parallelism.context = 4;
    spec.parallelism.tensor = 2;
    spec.recomputation = again;
    expect_volumes(spec, 8, "context");
  }
}

TEST(TrainingVolumes, TokensGoToExpertsAndBackFourTimesALayer) {
  for (const std::uint32_t tensor : {1U, 2U}) {
    for (const std::uint32_t expert : {1U, 2U, 4U}) {
      for (const std::uint32_t zero : {0U, 1U, 3U}) {
        TrainingSpec spec = small_training();
        spec.model.experts = 8;
        spec.model.top_k = 2;
        spec.model.dense_layers = 1;
        spec.model.layers = 4;
        spec.parallelism.tensor = tensor;
        spec.parallelism.sequence_parallel = tensor > 1;
        spec.parallelism.data = 4;
        spec.parallelism.expert = expert;
        spec.parallelism.zero = zero;
        spec.batch.global = 4;
        expect_volumes(spec, 4 * tensor,
                       "expert " + std::to_string(expert) + ", tensor " + std::to_string(tensor) +
                           ", zero " + std::to_string(zero));
      }
    }
  }
}

}  // namespace
}  // namespace weft
