#include "collectives/jobs/training/training_schema.hpp"

#include <utility>
#include <vector>

#include "collectives/jobs/collective/collective_schema.hpp"
#include "collectives/training/compute/compute_schema.hpp"
#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/model/model_schema.hpp"
#include "collectives/training/spec/frameworks.hpp"
#include "collectives/training/spec/recomputed.hpp"
#include "collectives/training/spec/spec_schema.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {
namespace {

constexpr std::uint64_t kMaxTrainingIterations = 1'000'000;

std::vector<schema::Enumerator<Framework>> framework_choices() {
  std::vector<schema::Enumerator<Framework>> choices{
      {Framework::kNone, "none", "each key's own default"}};
  for (const FrameworkChoices& f : frameworks()) choices.push_back({f.framework, f.name, f.doc});
  return choices;
}

schema::Object<CommunicationSpec> communication_schema() {
  using C = CommunicationSpec;
  return schema::describe<C>("communication", "how collectives and messages are carried out")
      .choice(
          "algorithm", &C::algorithm, algorithm_choices(),
          "of the collectives that it can do; others take the simplest that is optimal in bytes, "
          "all-to-alls one-shot as NCCL's sends and receives")
      .source("what weft's cost model finds best for each")
      .object("execution", &C::execution, execution_schema(), "how a library carries them out")
      .source("costs nothing, as closed forms have it")
      .choice("generation", &C::generation, generation_choices(),
              "GPUs whose constants `algorithm: nccl` and `preset: nccl` go by")
      .source("H100")
      .only_if(
          [](const C& c) {
            return c.algorithm == Algorithm::kNccl ||
                   c.execution.preset == Execution::Preset::kNccl;
          },
          "with `algorithm: nccl` or `execution: nccl`");
}

}  // namespace

schema::Object<TrainingSpec> training_schema() {
  using T = TrainingSpec;
  return schema::describe<T>("training", "iterations of training a transformer")
      .choice("framework", &T::framework, framework_choices(),
              "whose choices keys have that are not given")
      .source("the defaults of each key")
      .object("model", &T::model, model_schema(), "what is trained")
      .required()
      .object("parallelism", &T::parallelism, parallelism_schema(), "how ranks share the work")
      .source("one rank does it all")
      .object("batch", &T::batch, batch_schema(), "samples of an iteration")
      .source("one sample")
      .object("routing", &T::routing, routing_schema(), "which experts tokens go to")
      .source("all experts get equally many")
      .object("experts", &T::experts, expert_schema(), "how tokens get to their experts and back")
      .source("a copy per expert, in an all-to-all")
      .object("precision", &T::precision, precision_schema(), "what numbers are kept in")
      .source("mixed precision in bf16")
      .choice("recomputation", &T::recomputation,
              {{Recomputation::kNone, "none", "all that the backward pass needs is kept"},
               {Recomputation::kSelective, "selective",
                "`recomputed_modules` are done again, without a list the scores of attention"},
               {Recomputation::kFull, "full", "each layer is done again from its input"}},
              "what the backward pass does again instead of keeping it")
      .source("Megatron-LM: none unless asked for")
      .words("recomputed_modules", &T::recomputed_modules,
             "of a layer: core_attn (scores), layernorm (both norms), mla_up_proj (latent "
             "attention's queries, keys and values), moe_act (experts' activation function), mlp "
             "(feed-forward of a layer without experts) and moe (router, exchanges and experts); "
             "mlp and moe repeat what they exchange")
      .source("Megatron-Core: recompute_modules, [core_attn]")
      .only_if([](const T& t) { return t.recomputation == Recomputation::kSelective; },
               "with `recomputation: selective`")
      .object("overlap", &T::overlap, overlap_schema(), "what may overlap computation")
      .source("what frameworks overlap by default")
      .object("compute", &T::compute, compute_schema(), "what computes, and how fast")
      .source("H100 SXM")
      .object("communication", &T::communication, communication_schema(),
              "how collectives and messages are carried out")
      .source("the best algorithm for each, at no cost besides the network")
      .objects("noise", &T::noise, noise_schema(), "ranks that compute slower")
      .source("all ranks are alike")
      .field("iterations", &T::iterations, "one after the other")
      .source("one iteration")
      .range(1, kMaxTrainingIterations)
      .check([](const T& training, std::vector<schema::Problem>& problems) {
        for (schema::Problem& problem : compute_problems(training.compute, training.precision)) {
          problems.push_back({"compute." + problem.key, std::move(problem.message)});
        }
        for (schema::Problem& problem : recomputation_problems(training)) {
          problems.push_back(std::move(problem));
        }
      });
}

}  // namespace weft::collectives
