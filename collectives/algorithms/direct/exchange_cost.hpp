#pragma once

#include "collectives/algorithms/cost_terms.hpp"

namespace weft::collectives {

/// Seconds of a message of `each` bytes to every other rank, all at once, in a given number of
/// pieces per channel.
[[nodiscard]] double direct_exchange_cost(const CostTerms& terms, double each, double count = 1);

}  // namespace weft::collectives
