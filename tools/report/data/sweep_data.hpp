#pragma once

#include <filesystem>

#include "simcore/base/result.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// What the page shows of a sweep's database: axes, objectives, and the numbers of every point.
[[nodiscard]] Result<Json> sweep_json(const std::filesystem::path& folder);

}  // namespace weft::report
