#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// What iblinkinfo of infiniband-diags prints (rdma-core, infiniband-diags/iblinkinfo.c).
[[nodiscard]] std::optional<std::string_view> recognise_iblinkinfo(const InputFile& file);
void read_iblinkinfo(const InputFile& file, Description& description);

}  // namespace weft::import
