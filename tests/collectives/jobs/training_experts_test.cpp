// Training jobs whose experts do not get equally many tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/plan/expert_loads.hpp"
#include "tests/collectives/jobs/training_run.hpp"

namespace weft {
namespace {

using collectives::expert_loads;
using collectives::ExpertLoads;
using collectives::PassTimes;
using collectives::TrainingSpec;
using testing::small_training;
using testing::TrainingRun;

/// Of `ranks` that exchange tokens with eight experts, each to two of them.
TrainingSpec skewed_training(std::uint32_t ranks, std::uint32_t micro_batches) {
  TrainingSpec spec = small_training();
  spec.model.layers = 4;
  spec.model.experts = 8;
  spec.model.top_k = 2;
  spec.parallelism.expert = spec.parallelism.data = ranks;
  spec.batch.global = ranks * micro_batches;
  spec.routing.skew = 1;
  return spec;
}

TrainingSpec completed(TrainingSpec spec) {
  spec.model = collectives::completed(spec.model);
  return spec;
}

// Out go the copies for each other rank's experts; back go the results of the others' copies. Twice
// per layer and micro-batch, in the forward and in the backward pass; exact.
TEST(SkewedExperts, GetAndReturnTheirTokens) {
  for (const double capacity : {0.0, 1.25, 0.5}) {
    TrainingSpec spec = skewed_training(4, 3);
    spec.routing.capacity = capacity;
    const ExpertLoads loads = expert_loads(completed(spec));
    ASSERT_FALSE(loads.is_balanced());
    const TrainingRun run(spec, 4);
    ASSERT_TRUE(run.is_finished());
    const std::int64_t copy = std::int64_t{2} * spec.model.hidden;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const std::int64_t own = loads.from_each[rank];
      const std::int64_t sent = loads.sent() - own + 3 * own;
      EXPECT_EQ(run.sent(rank, "expert"), Bytes(sent * copy * 2 * 4 * 3)) << capacity << rank;
    }
  }
}

// Where a rank shares its experts with others, what they gather is what comes to them all.
TEST(SkewedExperts, ShareWhatComesToThem) {
  TrainingSpec spec = skewed_training(2, 1);
  spec.parallelism.data = 4;
  spec.batch.global = 4;
  spec.parallelism.expert_tensor = 2;
  const ExpertLoads loads = expert_loads(completed(spec));
  const TrainingRun run(spec, 4);
  ASSERT_TRUE(run.is_finished());
  const std::int64_t copy = std::int64_t{2} * spec.model.hidden;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    // Ranks 0 and 1 share the experts at place 0. A gather and a scatter, of which a rank sends
    // half; two expert ranks send each what `from_each` says, to two sharers.
    const std::int64_t size = loads.from_each[rank / 2] * 2 * 2;
    EXPECT_EQ(run.sent(rank, "expert-tensor"), Bytes(2 * size / 2 * copy * 2 * 4));
  }
}

// With free communication an exchange still waits for all: every layer takes as long as on the rank
// that has most to compute; exact but for halves of a picosecond.
TEST(SkewedExperts, MakeAllWaitForTheFullestRank) {
  TrainingSpec spec = skewed_training(4, 2);
  spec.compute.layer.reset();  // as the GPU takes
  const TrainingSpec whole = completed(spec);
  const PassTimes fullest = layer_time(whole, true, expert_loads(whole).max());
  const PassTimes even = layer_time(whole, true);
  EXPECT_GT(to_seconds(fullest.total()), 1.2 * to_seconds(even.total()));
  const TrainingRun run(spec, 4);
  ASSERT_TRUE(run.is_finished());
  // The gradient of a layer's last half, on the way back the attention, waits for nobody.
  const double expected = to_seconds(fullest.forward + fullest.backward()) * 4 * 2;
  EXPECT_NEAR(to_seconds(run.end()), expected, 100e-12);
}

// Times that were measured are stretched as the GPU's would be.
TEST(SkewedExperts, StretchMeasuredTimes) {
  TrainingSpec spec = completed(skewed_training(4, 1));
  const double load = expert_loads(spec).max();
  TrainingSpec modelled = spec;
  modelled.compute.layer.reset();
  const double stretched = to_seconds(layer_time(modelled, true, load).forward) /
                           to_seconds(layer_time(modelled, true).forward);
  EXPECT_GT(stretched, 1.5);
  EXPECT_NEAR(to_seconds(layer_time(spec, true, load).forward), 4e-6 * stretched, 1e-12);
  EXPECT_EQ(layer_time(spec, false, load).forward, 4_us);
}

// Nobody computes or sends what is dropped.
TEST(SkewedExperts, ComputeLessWhereTokensAreDropped) {
  TrainingSpec spec = skewed_training(4, 2);
  spec.compute.layer.reset();
  const TrainingRun all(spec, 4);
  spec.routing.capacity = 1;
  const TrainingRun limited(spec, 4);
  spec.routing = {};
  const TrainingRun even(spec, 4);
  EXPECT_LE(limited.end(), even.end());
  EXPECT_LT(even.end(), all.end());
}

}  // namespace
}  // namespace weft
