#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/results/memo/reuse_report.hpp"

namespace weft::scenarios {

/// `reuse` of summary.json; null: there is nothing to tell.
[[nodiscard]] nlohmann::ordered_json json_of(const ReuseReport& reuse);

}  // namespace weft::scenarios
