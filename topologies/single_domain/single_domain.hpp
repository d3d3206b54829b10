#pragma once

#include <optional>
#include <vector>

#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/schema/schema.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {

/// Scale-up domains without any scale-out network: servers with `nics: 0`.
struct SingleDomainSpec {
  static constexpr RoutingRule kRoutingRule = RoutingRule::kUpDown;

  std::vector<RackSpec> racks;
  RoutingSpec routing{};

  [[nodiscard]] std::vector<std::optional<ScaleUpPart>> scale_up_parts() const {
    return scale_up_parts_of(racks);
  }
};

/// No scale-out network: what a scenario says of it.
struct SingleDomain {
  static constexpr const char* kName = "single-domain";
  static constexpr const char* kFormerName = "none";
  static constexpr LinkRoles kRoles = LinkRoles::kNone;

  [[nodiscard]] static schema::Object<SingleDomain> schema();
  [[nodiscard]] std::vector<SwitchUse> switch_uses() const { return {}; }
  [[nodiscard]] SingleDomainSpec specification(const FabricParts& parts) const;
};

/// The domains of servers, or racks, alone.
[[nodiscard]] Result<Fabric> build(const SingleDomainSpec& spec);

}  // namespace weft::topologies
