#include "collectives/training/model/completed.hpp"

#include <string>
#include <utility>

namespace weft::collectives {
namespace {

using ModelProblems = std::vector<schema::Problem>;

void find_missing(const ModelSpec& model, ModelProblems& problems) {
  for (const auto& [key, value] :
       {std::pair{"layers", model.layers}, std::pair{"hidden", model.hidden},
        std::pair{"heads", model.heads}, std::pair{"vocabulary", model.vocabulary},
        std::pair{"sequence", model.sequence}}) {
    if (value == 0) problems.push_back({key, "is missing, and no preset has it"});
  }
}

void find_head_problems(const ModelSpec& model, ModelProblems& problems) {
  if (model.heads == 0) return;
  const std::string heads = std::to_string(model.heads);
  if (model.head_size == 0 && model.hidden % model.heads != 0) {
    problems.push_back({"heads", "is " + heads + ", which does not divide hidden, " +
                                     std::to_string(model.hidden) + "; head_size may say more"});
  }
  if (model.kv_heads != 0 && model.heads % model.kv_heads != 0) {
    problems.push_back({"kv_heads", "is " + std::to_string(model.kv_heads) +
                                        ", which does not divide heads, " + heads});
  }
  if (model.kv_rank != 0 && model.kv_heads != 0 && model.kv_heads != model.heads) {
    problems.push_back({"kv_heads", "is " + std::to_string(model.kv_heads) + ", not as heads, " +
                                        heads + "; with kv_rank every head has its own"});
  }
  if (model.kv_rank != 0) return;
  for (const auto& [key, value] : {std::pair{"query_rank", model.query_rank},
                                   std::pair{"rope_head_size", model.rope_head_size}}) {
    if (value != 0) problems.push_back({key, "has a meaning with kv_rank only"});
  }
}

void find_expert_problems(const ModelSpec& model, ModelProblems& problems) {
  if (model.experts == 0) {
    for (const auto& [key, value] :
         {std::pair{"top_k", model.top_k}, std::pair{"expert_ffn", model.expert_ffn},
          std::pair{"shared_experts", model.shared_experts},
          std::pair{"dense_layers", model.dense_layers}}) {
      if (value != 0) problems.push_back({key, "has a meaning with experts only"});
    }
    return;
  }
  if (model.top_k == 0) {
    problems.push_back({"top_k", "is missing; a token goes to 1 or more of the experts"});
  } else if (model.top_k > model.experts) {
    problems.push_back({"top_k", "is " + std::to_string(model.top_k) + ", more than experts, " +
                                     std::to_string(model.experts)});
  }
  if (model.shared_experts > model.experts) {
    problems.push_back({"shared_experts", "is " + std::to_string(model.shared_experts) +
                                              ", more than experts, " +
                                              std::to_string(model.experts)});
  }
  if (model.dense_layers != 0 && model.dense_layers >= model.layers) {
    problems.push_back({"dense_layers", "is " + std::to_string(model.dense_layers) +
                                            ", which leaves none of the " +
                                            std::to_string(model.layers) + " layers for experts"});
  }
}

}  // namespace

ModelSpec completed(ModelSpec model) {
  if (model.ffn == 0) model.ffn = 4 * model.hidden;
  if (model.kv_heads == 0) model.kv_heads = model.heads;
  if (model.head_size == 0 && model.heads != 0) model.head_size = model.hidden / model.heads;
  if (model.value_head_size == 0) model.value_head_size = model.head_size;
  if (model.experts != 0 && model.expert_ffn == 0) model.expert_ffn = model.ffn;
  return model;
}

std::vector<schema::Problem> contradictions(const ModelSpec& model) {
  ModelProblems problems;
  find_missing(model, problems);
  find_head_problems(model, problems);
  find_expert_problems(model, problems);
  return problems;
}

}  // namespace weft::collectives
