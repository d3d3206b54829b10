#include "tools/begin/training_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/memory/memory_use.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/presets.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/spec/frameworks.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/text/nearest.hpp"

namespace weft::begin {
namespace {

using collectives::ModelSpec;
using collectives::ParallelismSpec;
using collectives::TrainingSpec;

constexpr std::uint32_t kLayers = 2;
/// What Megatron-LM divides a matrix over: the GPUs of a server.
constexpr std::uint32_t kMaxTensor = 8;
/// What DeepSeek-V3 was trained with (arXiv 2412.19437, section 3.2).
constexpr std::uint32_t kMaxExpert = 64;
constexpr std::uint32_t kMaxZero = 3;

/// What computes like the GPUs of a server.
struct Computes {
  std::string_view part;  ///< of the catalogue
  std::string_view gpu;   ///< of `compute.gpu`
  std::string_view note;
};
constexpr std::array kComputes{
    Computes{"a100", "a100-sxm-80", {}},
    Computes{"a100-40gb", "a100-sxm-40", {}},
    Computes{"h100", "h100-sxm", {}},
    Computes{"h200", "h200", {}},
    Computes{"b200", "b200", {}},
    Computes{"gb200", "gb200", {}},
    Computes{"gb300", "gb300", {}},
    Computes{"b300", "b200", "a B300 has the same peak in BF16, and more memory"},
    Computes{"v100", "a100-sxm-40", "stands in: what a V100 computes is not known to weft"},
};
constexpr Computes kUnknownComputes{
    {}, "h100-sxm", "stands in: the catalogue says nothing of what computes"};

const Computes& computes_on(const Machine& machine) {
  const auto* found = std::ranges::find(kComputes, machine.gpu, &Computes::part);
  return found == kComputes.end() ? kUnknownComputes : *found;
}

/// With layers of both kinds where the model has some without experts, and none that predicts a
/// second token: it would be as large as what is left of the others.
ModelSpec slice_of(ModelSpec model) {
  model.layers = kLayers;
  model.mtp_layers = 0;
  if (model.dense_layers > 0) model.dense_layers = 1;
  return model;
}

/// Powers of two, which divide the heads of all presets.
std::vector<std::uint32_t> tensor_sizes(const ModelSpec& model, const Machine& machine,
                                        std::uint32_t ranks) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 1; size <= kMaxTensor && ranks % size == 0; size *= 2) {
    sizes.push_back(size);
  }
  // Without experts, the largest inside a machine comes first.
  if (model.experts == 0 && machine.gpus > 1) {
    const auto beyond = std::ranges::upper_bound(sizes, machine.gpus);
    std::reverse(sizes.begin(), beyond);
  }
  return sizes;
}

ParallelismSpec parallelism_of(const ModelSpec& model, std::uint32_t tensor, std::uint32_t ranks) {
  ParallelismSpec plan;
  plan.tensor = tensor;
  plan.data = ranks / tensor;
  if (model.experts == 0) return plan;
  std::uint32_t expert = std::gcd(model.experts, ranks);
  while (expert > kMaxExpert) expert /= 2;
  plan.expert = expert;
  if (tensor > 1 && expert > 1) {
    plan.expert_tensor = 1;
    plan.sequence_parallel = true;  // each rank exchanges tokens of its own
  }
  return plan;
}

/// Whether each machine has equally many ranks of every expert group, so that tokens can go to each
/// machine once.
bool lie_evenly(const ParallelismSpec& plan, const Machine& machine) {
  const std::uint32_t gpus = std::max(1U, machine.gpus);
  const std::uint32_t group = plan.expert * std::max(1U, plan.expert_tensor);
  return gpus % group == 0 || group % gpus == 0;
}

/// A mixture of experts is trained as its authors did it, or else as Megatron-Core does; what the
/// scenario says of the division stays.
void choose_framework(TrainingSpec& spec, const Machine& machine) {
  using collectives::Framework;
  if (spec.model.experts == 0 || spec.parallelism.expert < 2) return;
  const bool is_deepseek = spec.model.preset == ModelSpec::Preset::kDeepSeekV3;
  spec.framework = is_deepseek && lie_evenly(spec.parallelism, machine) ? Framework::kDeepSeek
                                                                        : Framework::kMegatronCore;
  const ParallelismSpec plan = spec.parallelism;
  collectives::find_framework(spec.framework)->choose(spec);
  spec.parallelism = plan;
}

bool is_possible(const TrainingSpec& spec, std::uint32_t ranks) {
  std::vector<schema::Problem> problems;
  collectives::check_plan(spec, ranks, problems);
  return problems.empty();
}

/// The first division that is possible and fits; else what the smallest one needs, in `smallest`.
std::optional<TrainingSpec> fitting_spec(TrainingSpec spec, const Machine& machine,
                                         std::uint32_t ranks, Bytes& smallest) {
  const Bytes memory = collectives::find_gpu(spec.compute.gpu)->memory;
  for (const std::uint32_t tensor : tensor_sizes(spec.model, machine, ranks)) {
    spec.parallelism = parallelism_of(spec.model, tensor, ranks);
    spec.batch = {.micro = 1, .global = spec.parallelism.data};
    const std::uint32_t max_zero = spec.parallelism.data > 1 ? kMaxZero : 0;
    for (std::uint32_t zero = 0; zero <= max_zero; ++zero) {
      spec.parallelism.zero = zero;
      if (!is_possible(spec, ranks)) continue;
      TrainingSpec chosen = spec;
      choose_framework(chosen, machine);
      const Bytes needed = collectives::fullest_rank(chosen).use.total();
      if (needed <= memory && is_possible(chosen, ranks)) return chosen;
      smallest = std::min(smallest, needed);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& preset : collectives::model_presets()) names.emplace_back(preset.name);
  return names;
}

std::string gpu_of(const Machine& machine) { return std::string(computes_on(machine).gpu); }

Result<TrainingPlan> plan_training(const std::string& model, const Machine& machine,
                                   std::uint32_t ranks) {
  const auto presets = collectives::model_presets();
  const auto preset = std::ranges::find(presets, model, &collectives::ModelPreset::name);
  if (preset == presets.end()) {
    return Error{"--model: `" + model + "` is no preset" + did_you_mean(model, model_names())};
  }
  const Computes& computes = computes_on(machine);
  TrainingSpec wanted;
  wanted.model = collectives::completed(slice_of(preset->model));
  wanted.compute.gpu = computes.gpu;
  Bytes smallest = Bytes::max();
  const auto found = fitting_spec(wanted, machine, ranks, smallest);
  if (!found) {
    const auto in_words = [](Bytes bytes) {
      return scenarios::format_bytes(static_cast<double>(bytes.count()));
    };
    return Error{fmt::format(
        "--model: {} layers of {} on {} need {} of memory each, and {} has {}; take more machines",
        kLayers, model, scenarios::counted(ranks, "rank"), in_words(smallest), computes.gpu,
        in_words(collectives::find_gpu(computes.gpu)->memory))};
  }
  return TrainingPlan{model, *found, std::string(computes.note)};
}

std::string training_text(const TrainingPlan& plan) {
  const ParallelismSpec& split = plan.spec.parallelism;
  const bool has_dense = plan.spec.model.dense_layers > 0;
  const auto presets = collectives::model_presets();
  const auto preset = std::ranges::find(presets, plan.model, &collectives::ModelPreset::name);
  const bool has_prediction = preset != presets.end() && preset->model.mtp_layers > 0;
  std::string counts;
  if (has_dense) counts += fmt::format(", dense_layers: {}", plan.spec.model.dense_layers);
  if (has_prediction) counts += ", mtp_layers: 0";
  const char* left_out = "`layers`";
  if (has_dense) left_out = "both counts";
  if (has_prediction) left_out = "these counts";
  std::string more;
  if (split.sequence_parallel) more += ", sequence_parallel: true";
  if (split.expert > 1) more += fmt::format(", expert: {}", split.expert);
  if (split.expert_tensor > 0) more += fmt::format(", expert_tensor: {}", split.expert_tensor);
  const collectives::FrameworkChoices* framework = find_framework(plan.spec.framework);
  if (split.zero > 0 || framework != nullptr) more += fmt::format(", zero: {}", split.zero);
  const std::string choices = framework == nullptr ? std::string()
                                                   : fmt::format("    framework: {}  # {}\n",
                                                                 framework->name, framework->doc);
  return fmt::format(
      "    # the model, how it is split, and sequences per step; `weft help jobs.training`\n"
      "    model: {{preset: {}, layers: {}{}}}  # a slice: leave {} out for all of it\n"
      "    parallelism: {{tensor: {}, data: {}{}}}\n"
      "    batch: {{micro: {}, global: {}}}\n"
      "{}"
      "    compute: {{gpu: {}}}{}\n",
      plan.model, plan.spec.model.layers, counts, left_out, split.tensor, split.data, more,
      plan.spec.batch.micro, plan.spec.batch.global, choices, plan.spec.compute.gpu,
      plan.gpu_note.empty() ? "" : "  # " + plan.gpu_note);
}

}  // namespace weft::begin
