#pragma once

#include <filesystem>

#include "simcore/base/result.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// What `observe` recorded over time (queues, rates, pauses, waits for credits), in some hundred
/// steps from 0 to `seconds`. An object by kind, without those that were not recorded.
[[nodiscard]] Result<Json> series_json(const std::filesystem::path& folder, double seconds);

}  // namespace weft::report
