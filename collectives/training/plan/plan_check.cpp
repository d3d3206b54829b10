#include "collectives/training/plan/plan_check.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {

namespace {

/// Nobody has more; products of what is below fit 64 bits.
constexpr std::uint64_t kMaxPlanRanks = 1'000'000;

/// DualPipe has pairs of its own.
bool pairs_one_by_one(const OverlapSpec& overlap, const ParallelismSpec& plan) {
  return overlap.experts == OverlapSpec::Experts::kPairs &&
         plan.schedule == PipelineSchedule::kOneForwardOneBackward;
}

class PlanCheck {
 public:
  PlanCheck(const TrainingSpec& spec, std::vector<schema::Problem>& problems)
      : model_(spec.model),
        plan_(spec.parallelism),
        batch_(spec.batch),
        routing_(spec.routing),
        overlap_(spec.overlap),
        recomputation_(spec.recomputation),
        problems_(problems) {}

  /// Whether all sizes are there, so that something can be divided by them.
  bool sizes_are_possible() {
    const std::size_t before = problems_.size();
    at_least_one("tensor", plan_.tensor);
    at_least_one("context", plan_.context);
    at_least_one("pipeline", plan_.pipeline);
    at_least_one("virtual_stages", plan_.virtual_stages);
    at_least_one("data", plan_.data);
    at_least_one("expert", plan_.expert);
    if (batch_.micro == 0) problem("batch.micro", "is 0");
    if (batch_.global == 0) problem("batch.global", "is 0");
    if (before == problems_.size() && ranks_of(plan_) > kMaxPlanRanks) {
      problem("parallelism", "is for more than a million ranks");
    }
    return problems_.size() == before;
  }

  void ranks(std::optional<std::uint32_t> given) {
    const std::uint64_t needed = ranks_of(plan_);
    if (!given || *given == needed) return;
    problem("parallelism", "tensor x context x pipeline x data is " + std::to_string(needed) +
                               "; the job has " + std::to_string(*given) + " ranks");
  }

  void tensor() {
    divides("model.heads", model_.heads, "parallelism.tensor", plan_.tensor, "heads");
    const std::uint32_t groups = model_.kv_heads == 0 ? model_.heads : model_.kv_heads;
    if (groups > 0 && groups % plan_.tensor != 0 && plan_.tensor % groups != 0 &&
        model_.heads % plan_.tensor == 0) {
      problem("parallelism.tensor", "neither divides the " + std::to_string(groups) +
                                        " heads of keys and values nor is a multiple of them");
    }
    if (plan_.sequence_parallel) {
      divides("model.sequence", model_.sequence, "parallelism.tensor",
              std::uint64_t{plan_.tensor} * plan_.context, "tokens of a sample with context");
    }
    divides("model.sequence", model_.sequence, "parallelism.context", plan_.context,
            "tokens of a sample");
    if (model_.experts > 0 && model_.dense_layers == 0) return;
    divides("model.ffn", inner_size(), "parallelism.tensor", plan_.tensor,
            "columns of a feed-forward");
  }

  /// What overlaps with what.
  void overlap() {
    using Experts = OverlapSpec::Experts;
    if (overlap_.experts == Experts::kPairs) {
      if (plan_.schedule == PipelineSchedule::kGpipe ||
          plan_.schedule == PipelineSchedule::kZeroBubbleH1) {
        problem(
            "overlap.experts",
            "is pairs, which 1f1b and dualpipe have; gpipe and zb-h1 have no two passes side by "
            "side");
      }
      if (recomputation_ == Recomputation::kFull) {
        problem("overlap.experts",
                "is pairs; full recomputation has a forward pass of its own in each backward pass");
      }
    }
    if (overlap_.weights && plan_.schedule == PipelineSchedule::kZeroBubbleH1) {
      problem("overlap.weights",
              "is true; zb-h1 has gradients of weights in passes of their own already");
    }
    if (overlap_.experts == Experts::kHalves) {
      const std::uint64_t parts = plan_.sequence_parallel ? 2ULL * plan_.tensor : 2ULL;
      const std::uint64_t tokens = std::uint64_t{batch_.micro} * model_.sequence / plan_.context;
      divides("batch.micro", tokens, "overlap.experts", parts,
              "tokens of a rank's micro-batch, of which each half");
      if (plan_.schedule == PipelineSchedule::kDualPipe) {
        problem("overlap.experts", "is halves; dualpipe alternates two micro-batches already");
      }
    }
    if (plan_.reshard_after_forward || plan_.zero != 3) return;
    if (plan_.virtual_stages > 1 || plan_.schedule == PipelineSchedule::kDualPipe ||
        overlap_.experts == Experts::kPairs) {
      problem(
          "parallelism.reshard_after_forward",
          "is false: which passes find parameters of several stages, or of two micro-batches at "
          "once, is not defined; it needs one stage per rank, and no pairs");
    }
  }

  void experts() {
    const std::uint32_t tensor = expert_tensor_of(plan_);
    if (model_.experts == 0) {
      if (plan_.expert > 1) problem("parallelism.expert", "the model has no experts");
      if (plan_.expert_tensor > 0 && plan_.expert_tensor != plan_.tensor) {
        problem("parallelism.expert_tensor", "the model has no experts");
      }
      if (routing_ != RoutingSpec()) problem("routing", "the model has no experts");
      return;
    }
    divides("model.experts", model_.experts, "parallelism.expert", plan_.expert, "experts");
    routing_groups();
    const std::uint64_t inner = model_.expert_ffn == 0 ? inner_size() : model_.expert_ffn;
    divides("model.expert_ffn", inner, "parallelism.expert_tensor", tensor, "columns of an expert");
    if (model_.top_k == 0 || model_.top_k > model_.experts) {
      problem("model.top_k", "is " + std::to_string(model_.top_k) + " of " +
                                 std::to_string(model_.experts) + " experts");
    }
    expert_ranks(tensor);
    if (plan_.tensor > 1 && !plan_.sequence_parallel &&
        (plan_.expert > 1 || tensor != plan_.tensor)) {
      problem("parallelism.sequence_parallel",
              "tensor-parallel ranks that exchange tokens with experts elsewhere each need some of "
              "their own");
    }
  }

  void sharding() {
    if (plan_.zero > 3) problem("parallelism.zero", "has stages 0 to 3");
    if (plan_.shard_ranks == 0) return;
    if (plan_.zero == 0) {
      problem("parallelism.shard_ranks", "nothing is sharded where zero is 0");
      return;
    }
    const std::uint64_t gradient = std::uint64_t{plan_.context} * plan_.data;
    if (gradient % plan_.shard_ranks != 0) {
      problem("parallelism.shard_ranks", std::to_string(plan_.shard_ranks) +
                                             " does not divide the " + std::to_string(gradient) +
                                             " ranks of data x context");
      return;
    }
    const std::uint64_t stage = gradient * plan_.tensor;
    const std::uint64_t expert_data =
        stage / (std::uint64_t{expert_tensor_of(plan_)} * plan_.expert);
    const std::uint64_t copies = gradient / plan_.shard_ranks;
    if (model_.experts > 0 && expert_data % copies != 0) {
      problem("parallelism.shard_ranks", "leaves " + std::to_string(copies) + " copies; the " +
                                             std::to_string(expert_data) +
                                             " ranks with the same experts cannot have as many");
    }
  }

  void batch() {
    const std::uint64_t step = std::uint64_t{batch_.micro} * plan_.data;
    if (batch_.global % step != 0) {
      problem("batch.global", std::to_string(batch_.global) + " is no multiple of micro x data, " +
                                  std::to_string(step));
      return;
    }
    check_pipeline(
        {plan_.schedule, plan_.pipeline, plan_.virtual_stages,
         static_cast<std::uint32_t>(batch_.global / step), pairs_one_by_one(overlap_, plan_)},
        problems_);
  }

  void stages() {
    const std::uint64_t stages = std::uint64_t{plan_.pipeline} * plan_.virtual_stages;
    const std::vector<std::uint32_t>& listed = plan_.stage_layers;
    if (listed.empty()) {
      if (model_.layers < stages) {
        problem("parallelism.pipeline", "there are " + std::to_string(stages) + " stages for " +
                                            std::to_string(model_.layers) + " layers");
      }
      return;
    }
    const std::string key = "parallelism.stage_layers";
    if (listed.size() != stages) {
      problem(key, "lists " + std::to_string(listed.size()) + " of " + std::to_string(stages) +
                       " stages");
    }
    const std::uint64_t sum = std::accumulate(listed.begin(), listed.end(), std::uint64_t{0});
    if (sum != model_.layers) {
      problem(key, "adds up to " + std::to_string(sum) + " of " + std::to_string(model_.layers) +
                       " layers");
    }
    // Those with the embedding or the output layer have something to do without any.
    for (std::size_t i = 1; i + 1 < listed.size(); ++i) {
      if (listed[i] == 0) problem(key, "leaves a stage between others without a layer");
    }
  }

 private:
  void problem(std::string key, std::string message) {
    problems_.push_back({std::move(key), std::move(message)});
  }

  [[nodiscard]] std::uint64_t inner_size() const {
    return model_.ffn == 0 ? 4 * std::uint64_t{model_.hidden} : model_.ffn;
  }

  void at_least_one(const char* key, std::uint32_t value) {
    if (value == 0) problem(std::string("parallelism.") + key, "is 0");
  }

  void divides(const char* whole_key, std::uint64_t whole, const char* key, std::uint64_t parts,
               const char* what) {
    if (whole % parts == 0) return;
    problem(key, std::to_string(parts) + " does not divide the " + std::to_string(whole) + " " +
                     what + " (" + whole_key + ")");
  }

  void routing_groups() {
    const std::uint32_t groups = routing_.groups;
    if (groups < 2) return;
    divides("model.experts", model_.experts, "routing.groups", groups, "experts");
    if (routing_.top_groups > groups) {
      problem("routing.top_groups", "is " + std::to_string(routing_.top_groups) + " of " +
                                        std::to_string(groups) + " groups");
    }
    const std::uint64_t choice = std::uint64_t{model_.experts} / groups * routing_.top_groups;
    if (model_.top_k > choice) {
      problem("routing.top_groups", "have " + std::to_string(choice) +
                                        " experts; a token goes to " +
                                        std::to_string(model_.top_k) + " (model.top_k)");
    }
    if (routing_.skew != 0) {
      problem("routing.groups",
              "with `skew`: how popular groups are is not defined; give one of them");
    }
  }

  void expert_ranks(std::uint32_t tensor) {
    const std::uint64_t stage = std::uint64_t{plan_.tensor} * plan_.context * plan_.data;
    const std::uint64_t needed = std::uint64_t{tensor} * plan_.expert;
    if (stage % needed == 0) return;
    problem("parallelism.expert",
            "expert x expert_tensor is " + std::to_string(needed) + ", which " +
                (needed > stage ? "is more than" : "does not divide") + " the " +
                std::to_string(stage) + " ranks of a stage (tensor x context x data)");
  }

  const ModelSpec& model_;
  const ParallelismSpec& plan_;
  const BatchSpec& batch_;
  const RoutingSpec& routing_;
  const OverlapSpec& overlap_;
  Recomputation recomputation_;
  std::vector<schema::Problem>& problems_;
};

}  // namespace

void check_plan(const TrainingSpec& spec, std::optional<std::uint32_t> ranks,
                std::vector<schema::Problem>& problems) {
  PlanCheck check(spec, problems);
  if (!check.sizes_are_possible()) return;
  check.ranks(ranks);
  check.tensor();
  check.experts();
  check.overlap();
  for (schema::Problem& problem : module_problems(spec)) problems.push_back(std::move(problem));
  check.sharding();
  check.batch();
  check.stages();
}

std::uint64_t ranks_of(const ParallelismSpec& parallelism) {
  std::uint64_t ranks = 1;
  for (const std::uint64_t size :
       {parallelism.tensor, parallelism.context, parallelism.pipeline, parallelism.data}) {
    ranks *= size;
    if (ranks > kMaxPlanRanks) return ranks;
  }
  return ranks;
}

std::uint32_t micro_batches_of(const TrainingSpec& spec) {
  return spec.batch.global / (spec.batch.micro * spec.parallelism.data);
}

Bytes bucket_size(const TrainingSpec& spec) {
  if (spec.overlap.bucket > 0_B) return spec.overlap.bucket;
  constexpr std::uint64_t kMin = 40'000'000;
  constexpr std::uint64_t kPerRank = 1'000'000;
  const std::uint64_t ranks = std::uint64_t{spec.parallelism.data} * spec.parallelism.context;
  return bytes_of_numbers(std::max(kMin, kPerRank * ranks), spec.precision.gradients);
}

bool gathers_in_forward(const TrainingSpec& spec) {
  const std::uint32_t zero = spec.parallelism.zero;
  return spec.overlap.parameters && (zero == 1 || zero == 2);
}

std::uint64_t gathers_of_chunk(const TrainingSpec& spec, std::uint32_t pipeline_rank) {
  const PipelinePlan plan = pipeline_of(spec);
  if (spec.parallelism.reshard_after_forward) return std::uint64_t{2} * passes_of_chunk(plan);
  SlotStream slots = pipeline_slots(plan, pipeline_rank);
  std::uint64_t gathers = 0;
  bool is_gathered = false;
  for (Slot slot; slots.next(slot);) {
    if (slot.kind == SlotKind::kBackwardWeights) continue;
    if (!is_gathered) ++gathers;
    is_gathered = slot.kind == SlotKind::kForward;
  }
  return gathers;
}

PipelinePlan pipeline_of(const TrainingSpec& spec) {
  const ParallelismSpec& plan = spec.parallelism;
  return {plan.schedule, plan.pipeline, plan.virtual_stages, micro_batches_of(spec),
          pairs_one_by_one(spec.overlap, plan)};
}

}  // namespace weft::collectives
