#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "topologies/analysis/bisection.hpp"

namespace weft::topologies {

/// Scale-up domains that are built alike. Rates are per direction.
struct DomainKind {
  std::int32_t first_domain = -1;
  std::uint32_t domains = 0;
  std::uint32_t hosts = 0;  ///< of each
  std::uint32_t switches = 0;
  std::uint32_t links = 0;   ///< between hosts and scale-up switches
  std::uint32_t trunks = 0;  ///< between scale-up switches
  std::uint32_t fewest_links_per_host = 0;
  std::uint32_t max_links_per_host = 0;
  BitsPerSecond slowest_link{};
  BitsPerSecond fastest_link{};
  BitsPerSecond host_links{};  ///< of all links between hosts and scale-up switches together
  std::optional<Bisection> bisection{};
};

/// By their first domain; hosts without a domain are none.
[[nodiscard]] std::vector<DomainKind> survey_domains(const Fabric& fabric);

/// Hosts whose NICs are on one rail.
struct RailSummary {
  std::uint32_t rails = 0;
  std::uint32_t fewest_hosts = 0;  ///< of one rail
  std::uint32_t max_hosts = 0;
  std::uint32_t max_edge_switches = 0;  ///< that the hosts of one rail are attached to
  /// No switch has hosts of two rails.
  bool is_separate = true;
};

/// Nothing where no host is on a rail.
[[nodiscard]] std::optional<RailSummary> survey_rails(const Fabric& fabric);

/// Links between hosts and NICs that several of them share, built alike.
struct SharedHostLinks {
  BitsPerSecond rate;
  std::uint32_t hosts = 0;  ///< at each
  std::uint32_t nics = 0;
  bool is_one_way = false;  ///< what is sent and what is received share the rate
  std::uint32_t links = 0;
  auto operator<=>(const SharedHostLinks&) const = default;
};

[[nodiscard]] std::vector<SharedHostLinks> survey_shared_host_links(const Fabric& fabric);

}  // namespace weft::topologies
