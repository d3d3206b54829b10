#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// A topology of NVIDIA DSX Air in JSON.
[[nodiscard]] std::optional<std::string_view> recognise_dsx_air(const InputFile& file);
void read_dsx_air(const InputFile& file, Description& description);

}  // namespace weft::import
