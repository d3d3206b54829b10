#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::topologies {

/// Nodes that do the same: of one network and tier, with names that differ in numbers only.
/// Capacities are per direction.
struct Role {
  NodeKind kind = NodeKind::kHost;
  NetworkKind network = NetworkKind::kScaleOut;  ///< of switches
  std::uint32_t tier = 0;
  std::string name;  ///< what the names begin with: `leaf`, `spine`; GPU or host for hosts; NIC
  NodeId first;      ///< one of them
  std::uint32_t nodes = 0;
  std::uint32_t fewest_ports = 0;
  std::uint32_t max_ports = 0;
  BitsPerSecond down{};    ///< towards hosts and lower tiers, all nodes together
  BitsPerSecond up{};      ///< towards higher tiers; of hosts: to the scale-out network
  BitsPerSecond across{};  ///< within the tier; of hosts: to the scale-up network
  /// Capacity down over capacity up of the switch where it is largest; 0 if none has both.
  double oversubscription = 0;
};

/// Links between the same two roles with the same rate and latency.
struct LinkKind {
  std::uint32_t lower = 0;  ///< indices of roles
  std::uint32_t upper = 0;
  BitsPerSecond rate;
  Picoseconds wire_latency;
  std::uint64_t links = 0;
};

struct RoleTable {
  std::vector<Role> roles;             ///< hosts first, then by network (scale-up first) and tier
  std::vector<std::uint32_t> role_of;  ///< by NodeId
  std::vector<LinkKind> links;         ///< by roles
};

[[nodiscard]] RoleTable find_roles(const Fabric& fabric);

/// `3 leaves`, `1 spine`: a count and a name in its plural where needed.
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& name);

}  // namespace weft::topologies
