#include "collectives/training/spec/recomputed.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "simcore/text/nearest.hpp"

namespace weft::collectives {
namespace {

struct ModuleName {
  std::string_view name;
  bool RecomputedModules::*member;
};
constexpr std::array kModuleNames{ModuleName{"core_attn", &RecomputedModules::core_attention},
                                  ModuleName{"layernorm", &RecomputedModules::norms},
                                  ModuleName{"mla_up_proj", &RecomputedModules::latent_up},
                                  ModuleName{"moe_act", &RecomputedModules::expert_activation},
                                  ModuleName{"mlp", &RecomputedModules::dense_half},
                                  ModuleName{"moe", &RecomputedModules::expert_half}};

bool has_dense_layers(const ModelSpec& model) {
  return model.experts == 0 || model.dense_layers > 0;
}

}  // namespace

RecomputedModules recomputed_modules(const TrainingSpec& spec) {
  RecomputedModules modules;
  if (spec.recomputation == Recomputation::kFull) modules.everything = true;
  if (spec.recomputation != Recomputation::kSelective) return modules;
  if (spec.recomputed_modules.empty()) modules.core_attention = true;
  for (const ModuleName& known : kModuleNames) {
    if (std::ranges::find(spec.recomputed_modules, known.name) != spec.recomputed_modules.end()) {
      modules.*known.member = true;
    }
  }
  // What runs again as a whole is not given up by parts.
  if (modules.expert_half) modules.expert_activation = false;
  return modules;
}

bool repeats_keys(const TrainingSpec& spec) {
  const RecomputedModules modules = recomputed_modules(spec);
  return modules.everything || modules.core_attention;
}

bool repeats_second_half(const TrainingSpec& spec, bool has_experts) {
  const RecomputedModules modules = recomputed_modules(spec);
  return modules.everything || modules.second_half(has_experts);
}

std::vector<schema::Problem> recomputation_problems(const TrainingSpec& spec) {
  std::vector<std::string> accepted;
  accepted.reserve(kModuleNames.size());
  for (const ModuleName& known : kModuleNames) accepted.emplace_back(known.name);
  std::vector<schema::Problem> problems;
  for (const std::string& name : spec.recomputed_modules) {
    if (std::ranges::find(accepted, name) != accepted.end()) continue;
    problems.push_back({"recomputed_modules",
                        "names " + name + ", which is unknown; accepted: " + listing(accepted) +
                            did_you_mean(name, accepted)});
  }
  return problems;
}

std::vector<schema::Problem> module_problems(const TrainingSpec& spec) {
  const RecomputedModules modules = recomputed_modules(spec);
  const ModelSpec& model = spec.model;
  std::vector<schema::Problem> problems;
  const auto refuse = [&](bool is_wrong, const char* message) {
    if (is_wrong) problems.push_back({"recomputed_modules", message});
  };
  refuse(modules.latent_up && model.kv_rank == 0,
         "names mla_up_proj; the model has no latent attention (model.kv_rank)");
  refuse(modules.expert_half && model.experts == 0, "names moe; the model has no experts");
  refuse(modules.expert_activation && model.experts == 0,
         "names moe_act; the model has no experts");
  refuse(modules.dense_half && !has_dense_layers(model),
         "names mlp; all layers of the model have experts (model.dense_layers is 0)");
  refuse(modules.expert_half && spec.overlap.experts == OverlapSpec::Experts::kPairs,
         "names moe, which has a forward pass of its own in each backward pass; with "
         "`overlap: {experts: pairs}` the forward pass there is that of another micro-batch");
  return problems;
}

}  // namespace weft::collectives
