#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// An InfraGraph of schema 2.4.0, in YAML or JSON.
[[nodiscard]] std::optional<std::string_view> recognise_infragraph(const InputFile& file);
void read_infragraph(const InputFile& file, Description& description);

}  // namespace weft::import
