#pragma once

#include <cstdint>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::topologies {

/// The switches of one tier. Capacities are per direction.
struct TierSummary {
  std::uint32_t tier = 0;
  std::uint32_t switches = 0;
  std::uint32_t fewest_ports = 0;
  std::uint32_t max_ports = 0;
  BitsPerSecond down{};  ///< towards hosts and lower tiers, all switches together
  BitsPerSecond up{};    ///< towards higher tiers
  /// Capacity down over capacity up of the switch where it is largest; 0 if no switch has uplinks.
  double oversubscription = 0;
};

struct TopologySummary {
  std::uint32_t hosts = 0;
  std::uint32_t switches = 0;
  std::uint32_t cables = 0;
  std::vector<TierSummary> tiers;  ///< ascending; only tiers that have switches
};

[[nodiscard]] TopologySummary summarize(const Fabric& fabric);

}  // namespace weft::topologies
