#pragma once

#include "collectives/algorithms/cost_terms.hpp"

/// Closed forms of the algorithms that know of scale-up domains, in seconds without the launch.
namespace weft::collectives {

/// `hierarchical`, of vectors.
[[nodiscard]] double hierarchical_cost(const CostTerms& terms);
/// `hierarchical`, of blocks, in several domains.
[[nodiscard]] double two_level_all_to_all_cost(const CostTerms& terms);
/// `nvls`.
[[nodiscard]] double in_network_cost(const CostTerms& terms);
/// `nvls-tree`.
[[nodiscard]] double nvls_tree_cost(const CostTerms& terms);

}  // namespace weft::collectives
