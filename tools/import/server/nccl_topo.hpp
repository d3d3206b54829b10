#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// What NCCL writes to NCCL_TOPO_DUMP_FILE (NCCL 2.30, src/graph/xml.cc and topo.cc).
[[nodiscard]] std::optional<std::string_view> recognise_nccl_topo(const InputFile& file);
void read_nccl_topo(const InputFile& file, Description& description);

}  // namespace weft::import
