#include "collectives/training/model/presets.hpp"

#include <array>

namespace weft::collectives {
namespace {

using ModelName = ModelSpec::Preset;

// The vocabulary of GPT-2 and GPT-3 has 50,257 entries. Brown et al. print a hidden size of 5,140
// for the 13B, which 40 heads of 128 make 5,120; that every second layer attends to a band only is
// left out, as in all counts of its operations.
ModelSpec gpt_13b() {
  return {.preset = ModelName::kGpt13b,
          .layers = 40,
          .hidden = 5120,
          .heads = 40,
          .vocabulary = 50257,
          .sequence = 2048,
          .tied_embeddings = true,
          .learned_positions = true,
          .biases = true,
          .dropout = true};
}

ModelSpec gpt3() {
  return {.preset = ModelName::kGpt3Of175b,
          .layers = 96,
          .hidden = 12288,
          .heads = 96,
          .vocabulary = 50257,
          .sequence = 2048,
          .tied_embeddings = true,
          .learned_positions = true,
          .biases = true,
          .dropout = true};
}

ModelSpec llama2_small() {
  return {.preset = ModelName::kLlama2Of7b,
          .layers = 32,
          .hidden = 4096,
          .ffn = 11008,
          .heads = 32,
          .vocabulary = 32000,
          .sequence = 4096,
          .gated_ffn = true};
}

ModelSpec llama2_large() {
  return {.preset = ModelName::kLlama2Of70b,
          .layers = 80,
          .hidden = 8192,
          .ffn = 28672,
          .heads = 64,
          .kv_heads = 8,
          .vocabulary = 32000,
          .sequence = 4096,
          .gated_ffn = true};
}

ModelSpec llama31() {
  return {.preset = ModelName::kLlama31Of405b,
          .layers = 126,
          .hidden = 16384,
          .ffn = 53248,
          .heads = 128,
          .kv_heads = 8,
          .vocabulary = 128256,
          .sequence = 8192,
          .gated_ffn = true};
}

ModelSpec mixtral() {
  return {.preset = ModelName::kMixtral8x7b,
          .layers = 32,
          .hidden = 4096,
          .ffn = 14336,
          .heads = 32,
          .kv_heads = 8,
          .vocabulary = 32000,
          .sequence = 32768,
          .gated_ffn = true,
          .experts = 8,
          .top_k = 2};
}

ModelSpec deepseek() {
  return {.preset = ModelName::kDeepSeekV3,
          .layers = 61,
          .hidden = 7168,
          .ffn = 18432,
          .heads = 128,
          .head_size = 128,
          .vocabulary = 129280,
          .sequence = 4096,
          .gated_ffn = true,
          .experts = 256,
          .top_k = 8,
          .expert_ffn = 2048,
          .shared_experts = 1,
          .dense_layers = 3,
          .kv_rank = 512,
          .query_rank = 1536,
          .rope_head_size = 64,
          .value_head_size = 128,
          .mtp_layers = 1};
}

}  // namespace

std::span<const ModelPreset> model_presets() {
  static const std::array<ModelPreset, 7> presets{{
      {.name = "gpt-13b",
       .source = "GPT-3 13B: Brown et al., arXiv 2005.14165, table 2.1",
       .model = gpt_13b()},
      {.name = "gpt3-175b", .source = "Brown et al., arXiv 2005.14165, table 2.1", .model = gpt3()},
      {.name = "llama2-7b",
       .source = "Touvron et al., arXiv 2307.09288, table 1; config.json of its model card",
       .model = llama2_small()},
      {.name = "llama2-70b",
       .source = "Touvron et al., arXiv 2307.09288, table 1; config.json of its model card",
       .model = llama2_large()},
      {.name = "llama3.1-405b",
       .source = "Grattafiori et al., arXiv 2407.21783, table 3 and section 3.4",
       .model = llama31()},
      {.name = "mixtral-8x7b",
       .source = "Jiang et al., arXiv 2401.04088, table 1",
       .model = mixtral()},
      {.name = "deepseek-v3",
       .source = "DeepSeek-AI, arXiv 2412.19437, section 4.2",
       .model = deepseek()},
  }};
  return presets;
}

ModelSpec model_preset(ModelSpec::Preset preset) {
  for (const ModelPreset& known : model_presets()) {
    if (known.model.preset == preset) return known.model;
  }
  return {};
}

}  // namespace weft::collectives
