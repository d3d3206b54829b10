// Who talks to whom in a training job, and which plans are refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/volumes/volumes.hpp"

namespace weft::testing {
namespace {

using collectives::check_plan;
using collectives::GroupKind;
using collectives::ParallelismSpec;
using collectives::PipelineSchedule;
using collectives::PlanGroup;
using collectives::RankGrid;
using collectives::RankPlace;
using collectives::stage_shares;
using collectives::StageShare;
using collectives::TrainingSpec;

constexpr auto kLastGroupKind = static_cast<int>(GroupKind::kMirror);

std::vector<std::uint32_t> ranks_in(const PlanGroup& group) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(group.size);
  for (std::uint32_t i = 0; i < group.size; ++i) ranks.push_back(group.rank_at(i));
  return ranks;
}

ParallelismSpec parallel(std::uint32_t tensor, std::uint32_t context, std::uint32_t pipeline,
                         std::uint32_t data) {
  ParallelismSpec spec;
  spec.tensor = tensor;
  spec.context = context;
  spec.pipeline = pipeline;
  spec.data = data;
  return spec;
}

/// Every rank is in one group of each kind, and groups know each other's members.
void expect_partition(const RankGrid& grid, GroupKind kind) {
  std::vector<int> seen(grid.ranks());
  for (const PlanGroup& group : grid.groups(kind)) {
    for (std::uint32_t i = 0; i < group.size; ++i) {
      const std::uint32_t rank = group.rank_at(i);
      ASSERT_LT(rank, grid.ranks());
      ++seen[rank];
      EXPECT_EQ(grid.group_of(kind, rank), group);
      EXPECT_EQ(group.position_of(rank), i);
    }
    EXPECT_EQ(group.position_of(group.rank_at(group.size)), std::nullopt);
    if (kind != GroupKind::kEmbedding) {
      EXPECT_EQ(group.size, grid.size_of(kind));
    }
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }));
}

void expect_partitions(const RankGrid& grid) {
  for (int kind = 0; kind <= kLastGroupKind; ++kind) {
    expect_partition(grid, static_cast<GroupKind>(kind));
  }
}

// The example of Megatron's parallel_state.py: 16 ranks, tensor 2, pipeline 4.
TEST(RankGrid, HasMegatronsGroups) {
  const RankGrid grid(parallel(2, 1, 4, 2));
  using Ranks = std::vector<std::uint32_t>;
  ASSERT_EQ(grid.ranks(), 16U);
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kTensor, 3)), (Ranks{2, 3}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kData, 0)), (Ranks{0, 2}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kData, 13)), (Ranks{13, 15}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kPipeline, 9)), (Ranks{1, 5, 9, 13}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kEmbedding, 14)), (Ranks{2, 14}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kEmbedding, 6)), Ranks{6});
  EXPECT_EQ(grid.groups(GroupKind::kTensor).size(), 8U);
  EXPECT_EQ(grid.groups(GroupKind::kPipeline).size(), 4U);
}

// Gradients are added up over data and context; hybrid sharding cuts these ranks into runs.
TEST(RankGrid, ShardsOverDataAndContext) {
  ParallelismSpec spec = parallel(2, 2, 1, 4);
  spec.zero = 3;
  spec.shard_ranks = 4;
  const RankGrid grid(spec);
  using Ranks = std::vector<std::uint32_t>;
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kContext, 5)), (Ranks{5, 7}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kData, 5)), (Ranks{1, 5, 9, 13}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kGradient, 5)), (Ranks{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kShard, 5)), (Ranks{1, 3, 5, 7}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kReplicate, 5)), (Ranks{5, 13}));
}

// Experts count the ranks of a stage again: 8 of them without tensor parallelism of their own are 4
// expert-parallel ranks, twice, although only 2 are data-parallel.
TEST(RankGrid, LetsExpertsBeOverTensorRanks) {
  ParallelismSpec spec = parallel(4, 1, 2, 2);
  spec.expert = 4;
  spec.expert_tensor = 1;
  const RankGrid grid(spec);
  using Ranks = std::vector<std::uint32_t>;
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kExpert, 6)), (Ranks{4, 5, 6, 7}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kExpertData, 14)), (Ranks{10, 14}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kExpertTensor, 6)), Ranks{6});
  expect_partitions(grid);
}

TEST(RankGrid, PairsTheRanksOfDualPipeWithTheSameStages) {
  ParallelismSpec spec = parallel(2, 1, 4, 1);
  spec.schedule = PipelineSchedule::kDualPipe;
  const RankGrid grid(spec);
  using Ranks = std::vector<std::uint32_t>;
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kMirror, 1)), (Ranks{1, 7}));
  EXPECT_EQ(ranks_in(grid.group_of(GroupKind::kMirror, 4)), (Ranks{2, 4}));
}

TEST(RankGrid, FindsRanksByTheirPlaces) {
  ParallelismSpec spec = parallel(3, 2, 4, 5);
  spec.expert = 2;
  const RankGrid grid(spec);
  ASSERT_EQ(grid.ranks(), 120U);
  for (std::uint32_t r = 0; r < grid.ranks(); ++r) {
    const RankPlace place = grid.place_of(r);
    EXPECT_EQ(grid.rank_at(place), r);
    EXPECT_EQ(grid.group_of(GroupKind::kTensor, r).position_of(r), place.tensor);
    EXPECT_EQ(grid.group_of(GroupKind::kContext, r).position_of(r), place.context);
    EXPECT_EQ(grid.group_of(GroupKind::kData, r).position_of(r), place.data);
    EXPECT_EQ(grid.group_of(GroupKind::kPipeline, r).position_of(r), place.pipeline);
    EXPECT_EQ(grid.group_of(GroupKind::kExpert, r).position_of(r), place.expert);
    EXPECT_EQ(grid.group_of(GroupKind::kExpertTensor, r).position_of(r), place.expert_tensor);
    EXPECT_EQ(grid.group_of(GroupKind::kExpertData, r).position_of(r), place.expert_data);
  }
}

/// A model that tensor parallelism of 3, 8 and 24 divide, and a batch for 4 data-parallel ranks.
TrainingSpec large_training() {
  TrainingSpec spec;
  spec.model.layers = 96;
  spec.model.hidden = 12288;
  spec.model.heads = 96;
  spec.model.sequence = 2304;
  spec.batch = {1, 64};
  return spec;
}

std::vector<std::string> keys_of(const TrainingSpec& spec,
                                 std::optional<std::uint32_t> ranks = std::nullopt) {
  std::vector<schema::Problem> problems;
  check_plan(spec, ranks, problems);
  std::vector<std::string> keys;
  keys.reserve(problems.size());
  for (const schema::Problem& problem : problems) keys.push_back(problem.key);
  return keys;
}

/// A plan of the matrix.
TrainingSpec matrix_plan(std::uint32_t p, std::uint32_t t, std::uint32_t d, std::uint32_t e) {
  TrainingSpec spec = large_training();
  spec.parallelism = parallel(t, 1, p, d);
  spec.parallelism.expert = e;
  spec.parallelism.sequence_parallel = t > 1;
  if (e > 1) {
    spec.model.experts = 8;
    spec.model.top_k = 2;
  }
  return spec;
}

/// Every kind of group of a plan without problems, and every stage's volumes.
void expect_usable(const TrainingSpec& spec) {
  const RankGrid grid(spec.parallelism);
  expect_partitions(grid);
  for (std::uint32_t p = 0; p < spec.parallelism.pipeline; ++p) {
    for (const collectives::VolumeTerm& term :
         volumes_of(spec, {1000_B, 2000_B, 300_B, 600_B, 0_B}, p)) {
      EXPECT_GT(term.sent(), 0_B);
      EXPECT_GT(grid.size_of(term.group), 1U);
    }
  }
}

// Pipeline 1, 2, 4, 8 x tensor 1, 3, 8, 24 x data 1, 2, 4 x expert 1, 4 x schedules x ZeRO 0, 1, 3
// are 1152 plans. What is refused are the 4 expert-parallel ranks that do not divide data-parallel
// ones where experts are as tensor-parallel as the rest (data 1 and 2), and DualPipe on one rank.
TEST(Plan, OfTheMatrixIsUsableOrRefusedWithAReason) {
  std::map<std::string, int> refused;
  int usable = 0;
  for (const std::uint32_t p : {1U, 2U, 4U, 8U}) {
    for (const std::uint32_t t : {1U, 3U, 8U, 24U}) {
      for (const std::uint32_t d : {1U, 2U, 4U}) {
        for (const std::uint32_t e : {1U, 4U}) {
          for (int schedule = 0; schedule < 4; ++schedule) {
            for (const std::uint32_t zero : {0U, 1U, 3U}) {
              TrainingSpec spec = matrix_plan(p, t, d, e);
              spec.parallelism.schedule = static_cast<PipelineSchedule>(schedule);
              spec.parallelism.zero = zero;
              const std::vector<std::string> keys = keys_of(spec, p * t * d);
              for (const std::string& key : keys) ++refused[key];
              if (!keys.empty()) continue;
              ++usable;
              expect_usable(spec);
            }
          }
        }
      }
    }
  }
  // 4 x 4 x 2 x 4 x 3 plans have too few ranks for 4 groups of experts; DualPipe cannot have one
  // rank in 4 x 3 x 2 x 3.
  EXPECT_EQ(refused, (std::map<std::string, int>{{"parallelism.expert", 384},
                                                 {"parallelism.pipeline", 72}}));
  EXPECT_EQ(usable, 1152 - 384 - 72 + 24);  // 24 are refused for both
}

using Keys = std::vector<std::string>;

TEST(Plan, IsRefusedWhereSizesDoNotDivide) {
  TrainingSpec spec = large_training();
  EXPECT_EQ(keys_of(spec, 1), Keys{});
  EXPECT_EQ(keys_of(spec, 2), Keys{"parallelism"});
  spec.parallelism.tensor = 5;
  EXPECT_EQ(keys_of(spec), (Keys{"parallelism.tensor", "parallelism.tensor"}));
  spec.parallelism.tensor = 24;
  spec.model.kv_heads = 8;
  EXPECT_EQ(keys_of(spec), Keys{});  // three ranks share a head of keys and values
  spec.model.kv_heads = 32;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.tensor"});
  spec = large_training();
  spec.parallelism.context = 7;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.context"});
  spec.parallelism.context = 0;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.context"});
}

TEST(Plan, IsRefusedWhereExpertsDoNotFit) {
  TrainingSpec spec = large_training();
  spec.parallelism = parallel(8, 1, 1, 2);
  spec.parallelism.expert = 4;
  EXPECT_EQ(keys_of(spec), (Keys{"parallelism.expert"}));
  spec.model.experts = 8;
  spec.model.top_k = 2;
  EXPECT_EQ(keys_of(spec), (Keys{"parallelism.expert", "parallelism.sequence_parallel"}));
  spec.parallelism.sequence_parallel = true;
  spec.parallelism.expert_tensor = 1;  // 4 of 16 ranks
  EXPECT_EQ(keys_of(spec), Keys{});
  spec.model.experts = 6;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.expert"});
  spec.model.experts = 8;
  spec.model.top_k = 0;
  EXPECT_EQ(keys_of(spec), Keys{"model.top_k"});
}

TEST(Plan, IsRefusedWhereShardsOrBatchesDoNotDivide) {
  TrainingSpec spec = large_training();
  spec.parallelism.data = 8;
  spec.parallelism.shard_ranks = 4;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.shard_ranks"});
  spec.parallelism.zero = 3;
  EXPECT_EQ(keys_of(spec), Keys{});
  spec.parallelism.shard_ranks = 3;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.shard_ranks"});
  spec.parallelism.shard_ranks = 2;  // 4 copies, and 2 ranks with the same experts
  spec.parallelism.expert = 4;
  spec.model.experts = 8;
  spec.model.top_k = 2;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.shard_ranks"});
  spec.parallelism.shard_ranks = 0;
  spec.parallelism.zero = 4;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.zero"});
  spec.parallelism.zero = 0;
  spec.batch = {3, 64};
  EXPECT_EQ(keys_of(spec), Keys{"batch.global"});
}

TEST(Plan, SpreadsLayersOverStages) {
  TrainingSpec spec = large_training();
  spec.parallelism = parallel(1, 1, 4, 1);
  spec.model.layers = 30;
  using Layers = std::vector<std::uint32_t>;
  const auto layers = [&spec] {
    Layers of_stages;
    for (const StageShare& share : stage_shares(spec.model, spec.parallelism)) {
      of_stages.push_back(share.layers());
    }
    return of_stages;
  };
  EXPECT_EQ(layers(), (Layers{8, 8, 7, 7}));
  spec.parallelism.virtual_stages = 2;
  // Listed by rank, then virtual stage; the model goes round all ranks first.
  spec.parallelism.stage_layers = {1, 5, 2, 6, 3, 7, 4, 2};
  EXPECT_EQ(keys_of(spec), Keys{});
  EXPECT_EQ(layers(), (Layers{1, 2, 3, 4, 5, 6, 7, 2}));
  spec.parallelism.stage_layers = {1, 5, 2, 6, 3, 7, 4, 3};
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.stage_layers"});
  spec.parallelism.stage_layers = {8, 8, 7, 7};
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.stage_layers"});
  spec.parallelism.stage_layers = {0, 5, 3, 6, 3, 7, 6, 0};  // only an embedding, or an output
  EXPECT_EQ(keys_of(spec), Keys{});
  spec.parallelism.stage_layers.clear();
  spec.model.layers = 7;
  EXPECT_EQ(keys_of(spec), Keys{"parallelism.pipeline"});
}

}  // namespace
}  // namespace weft::testing
