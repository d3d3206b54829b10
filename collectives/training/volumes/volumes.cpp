#include "collectives/training/volumes/volumes.hpp"

#include <algorithm>
#include <utility>

#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/volumes/activation_volumes.hpp"
#include "collectives/training/volumes/state_volumes.hpp"

namespace weft::collectives {

LayerPasses layer_passes(const TrainingSpec& spec, std::uint32_t pipeline_rank) {
  const PipelinePlan plan{spec.parallelism.schedule, spec.parallelism.pipeline,
                          spec.parallelism.virtual_stages, micro_batches_of(spec)};
  const std::vector<std::uint32_t> layers = layers_of_stages(spec.model, spec.parallelism);
  const std::uint32_t dense_layers =
      spec.model.experts == 0 ? spec.model.layers : spec.model.dense_layers;
  const std::uint64_t each = passes_of_chunk(plan);
  LayerPasses passes;
  std::uint32_t first = 0;  // layer of the stage
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
    const std::uint32_t dense =
        std::min(dense_layers - std::min(first, dense_layers), layers[stage]);
    for (std::uint32_t c = 0; c < plan.chunks(); ++c) {
      if (stage_of(plan, {pipeline_rank, c}) != stage) continue;
      passes.dense += each * dense;
      passes.with_experts += each * (layers[stage] - dense);
    }
    first += layers[stage];
  }
  return passes;
}

std::vector<VolumeTerm> volumes_of(const TrainingSpec& spec, const StateBytes& states,
                                   std::uint32_t pipeline_rank, const VolumeSetting& setting) {
  const RankGrid grid(spec.parallelism);
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
