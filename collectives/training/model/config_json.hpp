#pragma once

#include <string>
#include <string_view>

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/result.hpp"

namespace weft::collectives {

/// Reads the `config.json` of a model as the library `transformers` writes it, of the model types
/// gpt2, llama, mistral, mixtral, qwen2, qwen2_moe, qwen3, qwen3_moe and deepseek_v3. The sequence
/// is the longest that the model takes and whose attention has no window. What such a file may
/// switch on and ModelSpec cannot say is refused. Errors name `file` and the key.
[[nodiscard]] Result<ModelSpec> parse_model_config(std::string_view text, const std::string& file);

}  // namespace weft::collectives
