#pragma once

#include <string>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// A table of the jobs' collectives: bandwidths, skew, and what their critical paths are made of
/// (of the slowest iteration).
[[nodiscard]] std::string collectives_text(const Results& results);

}  // namespace weft::scenarios
