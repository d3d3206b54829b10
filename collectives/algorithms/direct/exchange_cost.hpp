#pragma once

#include "collectives/algorithms/cost_terms.hpp"

namespace weft::collectives {

/// Seconds for concurrent messages of `each` bytes to every other rank, in `count` pieces per
/// channel.
[[nodiscard]] double direct_exchange_cost(const CostTerms& terms, double each, double count = 1);

}  // namespace weft::collectives
