#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/sweep/language/sweep.hpp"

namespace weft::sweep {

/// Reads and checks a sweep file and the scenario it is about. `overrides` are `path=value` texts:
/// paths that begin with `sweep.` are keys of the sweep file (`sweep.seeds=3`), all others of the
/// scenario. All errors are returned, each with its place, what was found and what is accepted.
[[nodiscard]] Result<Sweep> load_sweep(const std::filesystem::path& path,
                                       const std::vector<std::string>& overrides);

/// Whether a file means to be a sweep, right or wrong: it has a scenario, axes or another key of
/// sweeps, and no fabric. False where it cannot be read.
[[nodiscard]] bool is_sweep_file(const std::filesystem::path& path);

/// The JSON Schema (draft 2020-12) of sweep files.
[[nodiscard]] Result<nlohmann::ordered_json> sweep_json_schema();

}  // namespace weft::sweep
