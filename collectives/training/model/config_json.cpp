#include "collectives/training/model/config_json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "collectives/training/model/completed.hpp"

namespace weft::collectives {
namespace {

using ConfigJson = nlohmann::json;
using ConfigLimits = ModelLimits;

constexpr std::size_t kMaxConfigBytes = 1U << 20U;

/// A key of config.json and the number that it is.
struct ConfigKey {
  const char* key = "";
  const char* name = "";  ///< of the member, as contradictions have it
  std::uint32_t ModelSpec::*member = nullptr;
  std::uint32_t maximum = 0;
  bool is_required = true;
};

using ConfigModel = ModelSpec;

constexpr std::array<ConfigKey, 6> kGptKeys{{
    {"n_layer", "layers", &ConfigModel::layers, ConfigLimits::kLayers},
    {"n_embd", "hidden", &ConfigModel::hidden, ConfigLimits::kHidden},
    {"n_inner", "ffn", &ConfigModel::ffn, ConfigLimits::kFfn, false},
    {"n_head", "heads", &ConfigModel::heads, ConfigLimits::kHeads},
    {"vocab_size", "vocabulary", &ConfigModel::vocabulary, ConfigLimits::kVocabulary},
    {"n_positions", "sequence", &ConfigModel::sequence, ConfigLimits::kSequence},
}};

constexpr std::array<ConfigKey, 7> kLlamaKeys{{
    {"num_hidden_layers", "layers", &ConfigModel::layers, ConfigLimits::kLayers},
    {"hidden_size", "hidden", &ConfigModel::hidden, ConfigLimits::kHidden},
    {"intermediate_size", "ffn", &ConfigModel::ffn, ConfigLimits::kFfn},
    {"num_attention_heads", "heads", &ConfigModel::heads, ConfigLimits::kHeads},
    {"num_key_value_heads", "kv_heads", &ConfigModel::kv_heads, ConfigLimits::kHeads, false},
    {"vocab_size", "vocabulary", &ConfigModel::vocabulary, ConfigLimits::kVocabulary},
    {"max_position_embeddings", "sequence", &ConfigModel::sequence, ConfigLimits::kSequence},
}};

constexpr std::array<ConfigKey, 1> kHeadKeys{{
    {"head_dim", "head_size", &ConfigModel::head_size, ConfigLimits::kHeadSize, false},
}};

constexpr std::array<ConfigKey, 2> kMixtralKeys{{
    {"num_local_experts", "experts", &ConfigModel::experts, ConfigLimits::kExperts},
    {"num_experts_per_tok", "top_k", &ConfigModel::top_k, ConfigLimits::kExperts},
}};

constexpr std::array<ConfigKey, 3> kQwenMoeKeys{{
    {"num_experts", "experts", &ConfigModel::experts, ConfigLimits::kExperts},
    {"num_experts_per_tok", "top_k", &ConfigModel::top_k, ConfigLimits::kExperts},
    {"moe_intermediate_size", "expert_ffn", &ConfigModel::expert_ffn, ConfigLimits::kFfn},
}};

constexpr std::array<ConfigKey, 11> kDeepSeekKeys{{
    {"n_routed_experts", "experts", &ConfigModel::experts, ConfigLimits::kExperts},
    {"num_experts_per_tok", "top_k", &ConfigModel::top_k, ConfigLimits::kExperts},
    {"moe_intermediate_size", "expert_ffn", &ConfigModel::expert_ffn, ConfigLimits::kFfn},
    {"n_shared_experts", "shared_experts", &ConfigModel::shared_experts, ConfigLimits::kExperts,
     false},
    {"first_k_dense_replace", "dense_layers", &ConfigModel::dense_layers, ConfigLimits::kLayers,
     false},
    {"kv_lora_rank", "kv_rank", &ConfigModel::kv_rank, ConfigLimits::kRank},
    {"q_lora_rank", "query_rank", &ConfigModel::query_rank, ConfigLimits::kRank, false},
    {"qk_nope_head_dim", "head_size", &ConfigModel::head_size, ConfigLimits::kHeadSize},
    {"qk_rope_head_dim", "rope_head_size", &ConfigModel::rope_head_size, ConfigLimits::kHeadSize},
    {"v_head_dim", "value_head_size", &ConfigModel::value_head_size, ConfigLimits::kHeadSize},
    {"num_nextn_predict_layers", "mtp_layers", &ConfigModel::mtp_layers, ConfigLimits::kLayers,
     false},
}};

/// A value in few words. Lists and maps are not spelled out: they may be deep.
std::string found_text(const ConfigJson& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "a map";
  constexpr std::size_t kMaxShown = 40;
  std::string text = value.dump(-1, ' ', true, ConfigJson::error_handler_t::replace);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

class ConfigReader {
 public:
  ConfigReader(const ConfigJson& config, std::string file)
      : config_(config), file_(std::move(file)) {}

  Result<ModelSpec> read() {
    const std::string type = model_type();
    if (type == "gpt2") {
      read_gpt();
    } else if (!type.empty()) {
      read_llama(type);
    }
    if (errors_.empty()) {
      for (schema::Problem& problem : contradictions(model_)) {
        const auto known = spelled_.find(problem.key);
        complain(known == spelled_.end() ? problem.key : known->second, std::move(problem.message));
      }
    }
    if (!errors_.empty()) return std::move(errors_);
    return model_;
  }

 private:
  void complain(const std::string& key, std::string message) {
    errors_.push_back({std::move(message), {.file = file_, .key = key}});
  }

  /// The value of a key; null where it is missing or `null`.
  const ConfigJson* find(const char* key) const {
    const auto found = config_.find(key);
    return found == config_.end() || found->is_null() ? nullptr : &*found;
  }

  std::string model_type() {
    static constexpr std::array<const char*, 9> kTypes{"gpt2",    "llama",     "mistral",
                                                       "mixtral", "qwen2",     "qwen2_moe",
                                                       "qwen3",   "qwen3_moe", "deepseek_v3"};
    std::string accepted;
    for (const char* type : kTypes) accepted += (accepted.empty() ? "" : ", ") + std::string(type);
    const ConfigJson* type = find("model_type");
    if (type == nullptr) {
      complain("model_type", "is missing; accepted: " + accepted);
      return {};
    }
    if (type->is_string() && std::ranges::count(kTypes, type->get<std::string>()) != 0) {
      return type->get<std::string>();
    }
    complain("model_type", "is " + found_text(*type) + "; accepted: " + accepted);
    return {};
  }

  std::optional<std::uint32_t> number(const char* key, std::uint32_t min, std::uint32_t max) {
    const ConfigJson* value = find(key);
    if (value == nullptr) return std::nullopt;
    const bool fits = value->is_number_unsigned() && value->get<std::uint64_t>() >= min &&
                      value->get<std::uint64_t>() <= max;
    if (fits) return static_cast<std::uint32_t>(value->get<std::uint64_t>());
    complain(key, "is " + found_text(*value) + "; accepted: an integer from " +
                      std::to_string(min) + " to " + std::to_string(max));
    return std::nullopt;
  }

  std::optional<bool> boolean(const char* key) {
    const ConfigJson* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    complain(key, "is " + found_text(*value) + "; accepted: true or false");
    return std::nullopt;
  }

  void read_keys(std::span<const ConfigKey> keys) {
    for (const ConfigKey& key : keys) {
      if (find(key.key) == nullptr && key.is_required) {
        complain(key.key,
                 "is missing; accepted: an integer from 1 to " + std::to_string(key.maximum));
      }
      const auto value = number(key.key, key.is_required ? 1 : 0, key.maximum);
      if (value) model_.*key.member = *value;
      spelled_[key.name] = key.key;
    }
  }

  void read_gpt() {
    read_keys(kGptKeys);
    model_.tied_embeddings = boolean("tie_word_embeddings").value_or(true);
    model_.learned_positions = true;
    model_.biases = true;
    const ConfigJson* dropout = find("resid_pdrop");
    if (dropout != nullptr && !dropout->is_number()) {
      complain("resid_pdrop", "is " + found_text(*dropout) + "; accepted: a fraction");
    } else {
      model_.dropout = dropout == nullptr || dropout->get<double>() > 0;
    }
  }

  void read_llama(const std::string& type) {
    read_keys(kLlamaKeys);
    if (type != "deepseek_v3") read_keys(kHeadKeys);  // which has it of the rotated part
    model_.gated_ffn = true;
    model_.tied_embeddings = boolean("tie_word_embeddings").value_or(false);
    model_.qkv_biases = type.starts_with("qwen2");
    model_.head_norms = type.starts_with("qwen3");
    for (const char* key : {"attention_bias", "mlp_bias"}) {
      if (boolean(key).value_or(false)) complain(key, "is true; accepted: false");
    }
    if (type == "mixtral") read_keys(kMixtralKeys);
    if (type == "qwen2_moe" || type == "qwen3_moe") read_qwen_experts(type);
    if (type == "deepseek_v3") {
      read_keys(kDeepSeekKeys);
      expect_every_layer("moe_layer_freq");
    }
    read_window(type);
  }

  void expect_every_layer(const char* key) {
    if (number(key, 1, 1).value_or(1) != 1) complain(key, "has to be 1");
  }

  void read_qwen_experts(const std::string& type) {
    read_keys(kQwenMoeKeys);
    expect_every_layer("decoder_sparse_step");
    if (const ConfigJson* dense = find("mlp_only_layers"); dense != nullptr && !dense->empty()) {
      complain("mlp_only_layers", "is not empty; accepted: no layers, []");
    }
    if (type != "qwen2_moe") return;
    const char* key = "shared_expert_intermediate_size";
    const std::uint32_t shared = number(key, 0, ConfigLimits::kFfn).value_or(0);
    if (model_.expert_ffn == 0) return;
    if (shared % model_.expert_ffn != 0) {
      complain(key, "is " + std::to_string(shared) +
                        "; accepted: a multiple of moe_intermediate_size, " +
                        std::to_string(model_.expert_ffn));
    }
    model_.shared_experts = shared / model_.expert_ffn;
  }

  void read_window(const std::string& type) {
    const bool is_used = boolean("use_sliding_window").value_or(!type.starts_with("qwen"));
    if (!is_used || type == "llama" || type == "deepseek_v3") return;
    const auto window = number("sliding_window", 1, ConfigLimits::kSequence);
    if (window) model_.sequence = std::min(model_.sequence, *window);
  }

  const ConfigJson& config_;
  std::string file_;
  ModelSpec model_;
  std::map<std::string, std::string> spelled_;  ///< members as the file calls them
  Errors errors_;
};

/// The place of a byte of the text, counted from 1.
SourceLocation place_of(std::string_view text, std::size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column =
      start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return {
      .file = file, .line = static_cast<int>(lines) + 1, .column = static_cast<int>(column) + 1};
}

}  // namespace

Result<ModelSpec> parse_model_config(std::string_view text, const std::string& file) {
  if (text.size() > kMaxConfigBytes) {
    return Error{"has " + std::to_string(text.size()) + " bytes; accepted: at most " +
                     std::to_string(kMaxConfigBytes),
                 {.file = file}};
  }
  ConfigJson config;
  try {
    config = ConfigJson::parse(text);
  } catch (const ConfigJson::parse_error& error) {
    return Error{"is not JSON from here on", place_of(text, error.byte, file)};
  } catch (const ConfigJson::exception&) {
    return Error{"has a number that no double can hold", {.file = file}};
  }
  if (!config.is_object()) {
    return Error{"is " + found_text(config) + "; accepted: a map of keys, {...}", {.file = file}};
  }
  return ConfigReader(config, file).read();
}

}  // namespace weft::collectives
