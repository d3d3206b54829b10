#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simcore/schema/schema.hpp"
#include "topologies/assembly/servers.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {

/// Servers of racks, switches and cables by name, as they stand in a data centre.
struct CabledSpec {
  struct SwitchNode {
    std::string name;
    std::optional<std::uint32_t> tier;  ///< absent: one above what it is cabled to below
    SwitchPart part;
  };
  /// Ends are `SERVER/NIC` or switches.
  struct CableEntry {
    std::string from;
    std::string to;
    LinkSpec link{};
    std::uint32_t count = 1;
  };
  std::vector<RackSpec> racks;
  std::vector<ServerNames> servers;
  std::vector<SwitchNode> switches;
  std::vector<CableEntry> cables;
  RoutingSpec routing{};

  static constexpr RoutingRule kRoutingRule = RoutingRule::kShortest;

  [[nodiscard]] std::vector<std::optional<ScaleUpPart>> scale_up_parts() const {
    return scale_up_parts_of(racks);
  }
};

/// The same as a scenario says it.
struct Cabled {
  static constexpr const char* kName = "cabled";
  static constexpr LinkRoles kRoles = LinkRoles::kTwoTiers;

  struct SwitchNode {
    std::string name;
    std::optional<std::uint32_t> tier;
    std::optional<SwitchPart> part;
  };
  struct CableEntry {
    std::string from;
    std::string to;
    LinkPart link;
    std::uint32_t count = 1;
  };
  std::vector<ServerNames> servers;
  std::vector<SwitchNode> switches;
  std::vector<CableEntry> cables;

  [[nodiscard]] static schema::Object<Cabled> schema();
  [[nodiscard]] std::vector<SwitchUse> switch_uses() const;
  [[nodiscard]] std::vector<std::string> host_names(const std::vector<RackSpec>& racks) const;
  /// Whether one end of a cable is a server.
  [[nodiscard]] bool is_access(const CableEntry& cable) const;
  /// Its cables must be complete.
  [[nodiscard]] CabledSpec specification(const FabricParts& parts) const;
};

}  // namespace weft::topologies
