#pragma once

#include <filesystem>
#include <string>

#include "simcore/result.hpp"
#include "tools/sweep/table.hpp"

namespace weft::sweep {

/// One row per point: its parameters as written, how it ended, and every result in SI units.
/// Nothing in it depends on when, where and in which order points ran.
[[nodiscard]] std::string export_csv(const Table& table);
/// The same as JSON: `{sweep, program, parameters, objectives, points: [...]}`.
[[nodiscard]] std::string export_json(const Table& table);

/// Writes a file that appears complete or not at all.
[[nodiscard]] Errors write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace weft::sweep
