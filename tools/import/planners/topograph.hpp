#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// A model of NVIDIA topograph: switches and blocks of nodes.
[[nodiscard]] std::optional<std::string_view> recognise_topograph(const InputFile& file);
void read_topograph(const InputFile& file, Description& description);

}  // namespace weft::import
