#pragma once

#include <string>

#include "collectives/spec/rank_layout.hpp"

/// Why several algorithms cannot run on ranks that are placed so, or on a network; empty if they
/// can.
namespace weft::collectives {

[[nodiscard]] inline std::string refuse_uneven_domains(const RankMap& map) {
  if (!map.is_even()) {
    return "needs as many ranks in every scale-up domain; the first has " +
           std::to_string(map.domain_size()) + ", another has not";
  }
  if (map.domain_size() == 1) {
    return "needs scale-up domains of at least 2 ranks; every rank is alone in its own";
  }
  return {};
}

[[nodiscard]] inline std::string refuse_plain_switches(bool has_in_network_reduction) {
  if (has_in_network_reduction) return {};
  return "needs switches that add and multicast; this network has none";
}

}  // namespace weft::collectives
