#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// What ibnetdiscover of infiniband-diags prints (rdma-core, infiniband-diags/ibnetdiscover.c).
[[nodiscard]] std::optional<std::string_view> recognise_ibnetdiscover(const InputFile& file);
void read_ibnetdiscover(const InputFile& file, Description& description);

}  // namespace weft::import
