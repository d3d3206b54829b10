#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/facts/description.hpp"
#include "tools/import/facts/format.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::import {

/// All forms of file that describe a cluster, in the order in which they are tried.
[[nodiscard]] std::span<const Format> formats();

/// The format of that name; null: there is none.
[[nodiscard]] const Format* find_format(std::string_view name);

/// The format that a file is in, by its content; null: none of them.
[[nodiscard]] const Format* recognise(const InputFile& file);

/// Reads a file as `format`, or as what it is recognised as where that is null. A file in no known
/// form is an error.
void read_file(const InputFile& file, const Format* format, Description& description);

}  // namespace weft::import
