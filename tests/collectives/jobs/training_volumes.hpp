#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "collectives/jobs/training/training_stage.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/volumes/volumes.hpp"
#include "tests/collectives/jobs/training_run.hpp"

namespace weft::testing {

inline std::string communicator_of(const collectives::VolumeTerm& term) {
  if (term.kind == collectives::VolumeKind::kPipelineForward) return "forward";
  if (term.kind == collectives::VolumeKind::kPipelineBackward) return "backward";
  static const std::map<collectives::GroupKind, std::string> names = {
      {collectives::GroupKind::kTensor, "tensor"},
      {collectives::GroupKind::kContext, "context"},
      {collectives::GroupKind::kExpert, "expert"},
      {collectives::GroupKind::kExpertTensor, "expert-tensor"},
      {collectives::GroupKind::kGradient, "data"},
      {collectives::GroupKind::kExpertData, "expert-data"},
      {collectives::GroupKind::kShard, "shard"},
      {collectives::GroupKind::kReplicate, "replicate"},
      {collectives::GroupKind::kExpertShard, "expert-shard"},
      {collectives::GroupKind::kExpertReplicate, "expert-replicate"},
      {collectives::GroupKind::kEmbedding, "embedding"},
      {collectives::GroupKind::kMirror, "mirror"},
      {collectives::GroupKind::kExpertRail, "expert-rail"},
      {collectives::GroupKind::kExpertDomain, "expert-domain"},
  };
  return names.at(term.group);
}

inline collectives::StateBytes states_of(const collectives::TrainingSpec& given,
                                         std::uint32_t pipeline_rank) {
  collectives::TrainingSpec spec = given;
  spec.model = collectives::completed(spec.model);
  collectives::StateBytes states;
  const auto stage =
      collectives::TrainingStage::of(spec, collectives::pipeline_of(spec), pipeline_rank);
  for (const auto& chunk : stage.chunks) {
    for (const auto& unit : chunk.units) {
      states.parameters += unit.parameters;
      states.gradients += unit.gradients;
      states.expert_parameters += unit.expert_parameters;
      states.expert_gradients += unit.expert_gradients;
    }
  }
  states.embedding_gradients = stage.tied_gradients;
  return states;
}

/// What every rank sends in communicators of each name is what volumes_of says, to the byte;
/// `domain`: consecutive ranks that share a scale-up domain, and `expert_domain` of these a
/// group's.
inline void expect_volumes(const collectives::TrainingSpec& spec, std::uint32_t ranks,
                           const std::string& what, std::uint32_t domain = 1,
                           std::uint32_t expert_domain = 1) {
  collectives::RankLayout layout;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) layout.domain.push_back(rank / domain);
  if (domain == 1) layout = {};
  const TrainingRun run(spec, ranks, {}, {}, layout);
  ASSERT_TRUE(run.is_finished()) << what;
  collectives::TrainingSpec completed = spec;
  completed.model = collectives::completed(spec.model);
  const collectives::RankGrid grid(spec.parallelism);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t stage = grid.place_of(rank).pipeline;
    std::map<std::string, Bytes> expected;
    for (const collectives::VolumeTerm& term :
         volumes_of(completed, states_of(spec, stage), stage, {expert_domain})) {
      expected[communicator_of(term)] += term.sent();
    }
    for (const auto& [name, bytes] : expected) {
      EXPECT_EQ(run.sent(rank, name), bytes) << what << ": rank " << rank << ", " << name;
    }
  }
}

}  // namespace weft::testing
