#pragma once

#include <filesystem>

#include "simcore/base/result.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// How much of a run goes onto the page; less of each where there are several.
struct Bounds {
  std::size_t ports = 12'000;
  std::size_t tail = 60;
  std::size_t slices = 85'000;
};

/// What the page shows of a results folder. Errors name the file.
[[nodiscard]] Result<Json> run_json(const std::filesystem::path& folder, const Bounds& bounds);

/// Adds to summary.json what its percentiles are of, if the run was cut off, where weft did not
/// write it yet; and says the same of the distributions of messages.
void add_cut_off(Json& summary, Json& distributions);

}  // namespace weft::report
