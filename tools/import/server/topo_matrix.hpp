#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// What `nvidia-smi topo -m` prints, with tabs or as pasted with blanks.
[[nodiscard]] std::optional<std::string_view> recognise_topo_matrix(const InputFile& file);
void read_topo_matrix(const InputFile& file, Description& description);

}  // namespace weft::import
