// Models read from the config.json that comes with their weights: the numbers below are those that
// the named models are published with.

#include <gtest/gtest.h>

#include <string>

#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/config_json.hpp"
#include "collectives/training/model/parameters.hpp"
#include "collectives/training/model/presets.hpp"

namespace weft::collectives {
namespace {

const std::string kLlama =
    R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
  "max_position_embeddings": 4096, "num_attention_heads": 64, "num_hidden_layers": 80,
  "num_key_value_heads": 8, "vocab_size": 32000, "tie_word_embeddings": false, "rope_scaling": null})";

const std::string kDeepSeek = R"({"model_type": "deepseek_v3", "first_k_dense_replace": 3,
  "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512,
  "max_position_embeddings": 163840, "moe_intermediate_size": 2048, "moe_layer_freq": 1,
  "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128,
  "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128,
  "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
  "vocab_size": 129280, "num_nextn_predict_layers": 1, "attention_bias": false})";

std::uint64_t total_of(const std::string& text) {
  const auto model = parse_model_config(text, "config.json");
  if (!model) {
    ADD_FAILURE() << model.errors().front().to_string();
    return 0;
  }
  return model_parameters(completed(model.value())).total();
}

std::uint64_t total_of(ModelSpec::Preset preset) {
  return model_parameters(completed(model_preset(preset))).total();
}

TEST(ModelConfig, GivesTheModelsThatPresetsGive) {
  EXPECT_EQ(total_of(kLlama), total_of(ModelSpec::Preset::kLlama2Of70b));
  EXPECT_EQ(total_of(kDeepSeek), total_of(ModelSpec::Preset::kDeepSeekV3));
  EXPECT_EQ(total_of(R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
    "max_position_embeddings": 32768, "num_attention_heads": 32, "num_hidden_layers": 32,
    "num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2,
    "sliding_window": null, "vocab_size": 32000})"),
            total_of(ModelSpec::Preset::kMixtral8x7b));
}

// GPT-2's smallest model has 124,439,808 parameters, Qwen2.5-0.5B 494,032,768, Qwen3-0.6B
// 596,049,920, Qwen3-30B-A3B 30,532,122,624: counts of their weights.
TEST(ModelConfig, CountsWhatWeightsHave) {
  EXPECT_EQ(total_of(R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12,
    "n_positions": 1024, "n_inner": null, "vocab_size": 50257, "resid_pdrop": 0.1})"),
            124'439'808U);
  EXPECT_EQ(total_of(R"({"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864,
    "max_position_embeddings": 32768, "num_attention_heads": 14, "num_hidden_layers": 24,
    "num_key_value_heads": 2, "sliding_window": 32768, "use_sliding_window": false,
    "tie_word_embeddings": true, "vocab_size": 151936})"),
            494'032'768U);
  EXPECT_EQ(total_of(R"({"model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072,
    "max_position_embeddings": 40960, "num_attention_heads": 16, "num_hidden_layers": 28,
    "num_key_value_heads": 8, "head_dim": 128, "tie_word_embeddings": true,
    "vocab_size": 151936})"),
            596'049'920U);
  EXPECT_EQ(total_of(R"({"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
    "max_position_embeddings": 40960, "num_attention_heads": 32, "num_hidden_layers": 48,
    "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
    "moe_intermediate_size": 768, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "vocab_size": 151936})"),
            30'532'122'624U);
}

// The gate of the shared expert is left out: 2048 in each of 24 layers, 49,152.
TEST(ModelConfig, TakesAWideSharedExpertForSeveral) {
  const auto model = parse_model_config(
      R"({"model_type": "qwen2_moe", "hidden_size": 2048, "intermediate_size": 5632,
    "max_position_embeddings": 8192, "num_attention_heads": 16, "num_hidden_layers": 24,
    "num_key_value_heads": 16, "num_experts": 60, "num_experts_per_tok": 4,
    "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632,
    "decoder_sparse_step": 1, "vocab_size": 151936})",
      "config.json");
  ASSERT_TRUE(model);
  EXPECT_EQ(model.value().shared_experts, 4U);
  // Qwen1.5-MoE-A2.7B: 14,315,784,192.
  const std::uint64_t gates = 49'152;
  EXPECT_EQ(model_parameters(completed(model.value())).total() + gates, 14'315'784'192U);
}

TEST(ModelConfig, EndsTheSequenceWithTheWindowOfAttention) {
  const auto model = parse_model_config(
      R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
    "max_position_embeddings": 32768, "num_attention_heads": 32, "num_hidden_layers": 32,
    "num_key_value_heads": 8, "sliding_window": 4096, "vocab_size": 32000})",
      "config.json");
  ASSERT_TRUE(model);
  EXPECT_EQ(model.value().sequence, 4096U);
}

std::string complaint(const std::string& text) {
  const auto model = parse_model_config(text, "c.json");
  return model ? "none" : model.errors().front().to_string();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, what.size(), with);
}

TEST(ModelConfig, SaysWhatItFoundAndWhatItAccepts) {
  EXPECT_EQ(complaint(replaced(kLlama, "8192", "\"wide\"")),
            "c.json: hidden_size: is \"wide\"; accepted: an integer from 1 to 65536");
  EXPECT_EQ(complaint(replaced(kLlama, "8192", "-1")),
            "c.json: hidden_size: is -1; accepted: an integer from 1 to 65536");
  EXPECT_EQ(complaint(replaced(kLlama, "8192", "99999999999999999999")),
            "c.json: hidden_size: is 1e+20; accepted: an integer from 1 to 65536");
  EXPECT_EQ(complaint(replaced(kLlama, "\"vocab_size\": 32000,", "")),
            "c.json: vocab_size: is missing; accepted: an integer from 1 to 16777216");
  EXPECT_EQ(complaint(replaced(kLlama, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 7")),
            "c.json: num_key_value_heads: is 7, which does not divide heads, 64");
  EXPECT_EQ(complaint(replaced(kLlama, "\"rope_scaling\": null", "\"mlp_bias\": true")),
            "c.json: mlp_bias: is true; accepted: false");
  EXPECT_NE(complaint(replaced(kLlama, "llama", "bert")).find("is \"bert\"; accepted: gpt2, llama"),
            std::string::npos);
  EXPECT_EQ(complaint("{\n  \"a\": }"), "c.json:2:8: is not JSON from here on");
  EXPECT_EQ(complaint("[1]"), "c.json: is a list; accepted: a map of keys, {...}");
}

// Values nested a quarter of a million deep, numbers beyond doubles, text that is no UTF-8, and all
// of a file's beginnings: an error each, not a crash.
TEST(ModelConfig, StandsHostileInput) {
  const std::size_t deep = 250'000;
  EXPECT_NE(complaint(std::string(deep, '[')), "none");
  const std::string nest = std::string(deep, '[') + std::string(deep, ']');
  EXPECT_EQ(complaint(nest), "c.json: is a list; accepted: a map of keys, {...}");
  EXPECT_EQ(complaint(replaced(kLlama, "8192", nest)),
            "c.json: hidden_size: is a list; accepted: an integer from 1 to 65536");
  EXPECT_NE(complaint(replaced(kLlama, "8192", "1e999")), "none");
  EXPECT_NE(complaint(replaced(kLlama, "llama", "\xff\xfe")), "none");
  EXPECT_NE(complaint(std::string((1U << 20U) + 1, ' ')), "none");
  for (std::size_t n = 0; n < kDeepSeek.size(); ++n) {
    EXPECT_NE(complaint(kDeepSeek.substr(0, n)), "none") << n;
  }
}

}  // namespace
}  // namespace weft::collectives
