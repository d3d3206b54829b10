#pragma once

#include <string>

#include "tools/sweep/report/table.hpp"

namespace weft::sweep {

/// One row per point: its parameters as written, how it ended, and every result in SI units.
/// Nothing in it depends on when, where and in which order points ran.
[[nodiscard]] std::string export_csv(const Table& table);
/// The same as JSON: `{sweep, program, parameters, objectives, points: [...]}`.
[[nodiscard]] std::string export_json(const Table& table);

}  // namespace weft::sweep
