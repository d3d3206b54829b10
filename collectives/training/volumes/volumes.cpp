#include "collectives/training/volumes/volumes.hpp"

#include <utility>

#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/volumes/activation_volumes.hpp"
#include "collectives/training/volumes/state_volumes.hpp"

namespace weft::collectives {

LayerPasses layer_passes(const TrainingSpec& spec, std::uint32_t pipeline_rank) {
  const PipelinePlan plan = pipeline_of(spec);
  const std::vector<StageShare> shares = stage_shares(spec.model, spec.parallelism);
  const std::uint64_t each = passes_of_chunk(plan);
  LayerPasses passes;
  for (std::uint32_t c = 0; c < plan.chunks(); ++c) {
    const StageShare& share = shares[stage_of(plan, {pipeline_rank, c})];
    passes.dense += each * share.dense_layers;
    passes.with_experts += each * share.expert_layers;
  }
  return passes;
}

std::vector<VolumeTerm> volumes_of(const TrainingSpec& spec, const StateBytes& states,
                                   std::uint32_t pipeline_rank, const VolumeSetting& setting) {
  const RankGrid grid(spec.parallelism, setting.expert_domain);
  ActivationTerms activations(spec, grid, setting, pipeline_rank);
  activations.add_tensor();
  activations.add_vocabulary();
  activations.add_context();
  activations.add_experts();
  activations.add_pipeline();
  std::vector<VolumeTerm> terms = std::move(activations.terms);
  const std::vector<VolumeTerm> held = state_volumes(spec, grid, states, pipeline_rank);
  terms.insert(terms.end(), held.begin(), held.end());
  return terms;
}

}  // namespace weft::collectives
