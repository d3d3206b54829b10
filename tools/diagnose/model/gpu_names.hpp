#pragma once

#include <optional>
#include <string_view>

#include "simcore/fabric/gpu_generation.hpp"

namespace weft::diagnose {

/// Of a GPU as drivers spell it (`NVIDIA H100 80GB HBM3`); nothing: none that NCCL's model knows.
[[nodiscard]] std::optional<GpuGeneration> gpu_generation_of(std::string_view name);

/// `Hopper (H100, H200)`.
[[nodiscard]] const char* generation_text(GpuGeneration generation);

}  // namespace weft::diagnose
