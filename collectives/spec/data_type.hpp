#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/spec/collective_spec.hpp"

namespace weft::collectives {

/// As scenarios and nccl-tests spell it.
[[nodiscard]] const char* name_of(DataType type);

/// Of one element.
[[nodiscard]] std::int64_t bytes_of(DataType type);

/// What nccl-tests calls so, where weft tells it apart: unsigned types are as signed ones of the
/// same size, all of fp8 alike.
[[nodiscard]] std::optional<DataType> data_type_of_nccl_tests(std::string_view name);

}  // namespace weft::collectives
