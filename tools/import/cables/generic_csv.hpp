#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

inline constexpr std::array kGenericCsvNeeded{"from", "from_port", "to", "to_port"};
inline constexpr std::array kGenericCsvKnown{"rate", "length", "medium"};

/// A table of cables as weft defines it: from, from_port, to, to_port, and where they are known
/// rate, length and medium.
[[nodiscard]] std::optional<std::string_view> recognise_generic_csv(const InputFile& file);
void read_generic_csv(const InputFile& file, Description& description);

}  // namespace weft::import
