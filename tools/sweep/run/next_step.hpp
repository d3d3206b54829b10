#pragma once

#include <filesystem>
#include <string>

#include "tools/sweep/report/table.hpp"

namespace weft::sweep {

/// The line that ends what a sweep prints: what to do next, with commands that can be given as they
/// stand.
[[nodiscard]] std::string next_step(const Table& table, const std::filesystem::path& folder);

}  // namespace weft::sweep
