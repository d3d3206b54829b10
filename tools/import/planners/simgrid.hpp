#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// A platform of SimGrid whose cluster is a fat tree; other zones are refused.
[[nodiscard]] std::optional<std::string_view> recognise_simgrid(const InputFile& file);
void read_simgrid(const InputFile& file, Description& description);

}  // namespace weft::import
