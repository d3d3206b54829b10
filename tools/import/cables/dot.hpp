#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// A cabling plan in DOT, as Cumulus's Prescriptive Topology Manager reads it.
[[nodiscard]] std::optional<std::string_view> recognise_dot(const InputFile& file);
void read_dot(const InputFile& file, Description& description);

}  // namespace weft::import
