#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// What `lstopo --of xml --whole-io` of hwloc 2 writes (hwloc2.dtd).
[[nodiscard]] std::optional<std::string_view> recognise_lstopo(const InputFile& file);
void read_lstopo(const InputFile& file, Description& description);

}  // namespace weft::import
