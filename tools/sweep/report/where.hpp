#pragma once

#include <string>

#include "simcore/base/result.hpp"
#include "tools/sweep/report/table.hpp"

namespace weft::sweep {

/// The points of `table` for which a condition holds: the language of constraints, with axes by
/// name or path, and results.
[[nodiscard]] Result<Table> points_where(Table table, const std::string& condition);

}  // namespace weft::sweep
