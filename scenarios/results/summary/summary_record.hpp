#pragma once

#include "scenarios/results/record.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// All of summary.json, in its order.
[[nodiscard]] const Record<Results>& summary_record();

}  // namespace weft::scenarios
