#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "simcore/schema/schema.hpp"
#include "topologies/assembly/spec.hpp"
#include "topologies/parts/parts.hpp"

namespace weft::topologies {

/// Which of the links with a role (access, uplink, super_uplink) a topology has.
enum class LinkRoles : std::uint8_t {
  kNone,       ///< there are none
  kOwn,        ///< it lists its links itself
  kTwoTiers,   ///< access and uplink
  kThreeTiers  ///< all of them
};

/// A place in a scenario, below `fabric`, where switches may be named.
struct SwitchUse {
  std::string key;
  const SwitchPart* part = nullptr;  ///< null: `fabric.switch` holds
};

/// A topology as a scenario says it, in a folder of its own together with the specification that it
/// stands for and the function that builds that. `list.hpp` has all of them; everything else
/// follows from it.
///
/// - `schema`: keys, limits, defaults and their sources.
/// - `switch_uses`: where the keys may name switches of the scale-out network.
/// - `specification(parts)`: what is built, an alternative of TopologySpec: `build(specification)`
///   gives the fabric. Its `kRoutingRule` says which paths routes may take.
/// - `kAlias`, if there is a second spelling of its name; `kFormerName`, if the release before had
///   another one.
/// - `kWhyNoRacks`, if hosts do not come from `racks`: a clause that says where they come from.
///   Then `own_racks()` gives the racks that it makes by itself, or, with `LinkRoles::kOwn`,
///   `host_names()` the hosts that it lists, `nic` what they are and `links` its links.
template <class T>
concept Topology = requires(const T& keys, const FabricParts& parts) {
  { T::kName } -> std::convertible_to<const char*>;
  { T::kRoles } -> std::convertible_to<LinkRoles>;
  { T::schema() } -> std::same_as<schema::Object<T>>;
  { keys.switch_uses() } -> std::same_as<std::vector<SwitchUse>>;
  {
    std::remove_cvref_t<decltype(keys.specification(parts))>::kRoutingRule
    } -> std::convertible_to<RoutingRule>;
};

}  // namespace weft::topologies
