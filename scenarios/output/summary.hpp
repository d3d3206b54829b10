#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// The summary that `weft run` prints: jobs, messages, network, the busiest ports, the cost of the
/// run.
[[nodiscard]] std::string summary_text(const Results& results);

/// Its lines about packets that were lost, sent again, marked or held up, if there were any.
[[nodiscard]] std::string trouble_text(const Results& results);

/// summary.json: quantities in SI units, named in the keys.
[[nodiscard]] nlohmann::ordered_json summary_json(const Results& results);

}  // namespace weft::scenarios
