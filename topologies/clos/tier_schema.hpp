#pragma once

#include <optional>
#include <string>

#include "simcore/schema/schema_builder.hpp"
#include "topologies/parts/parts_schema.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {

/// The keys of one tier, whose switches are a member of the topology.
template <class Keys>
[[nodiscard]] schema::Object<Keys> tier_schema(std::optional<SwitchPart> Keys::*member) {
  return schema::describe<Keys>("tier", "the switches of one tier")
      .object("switch", member, switch_part_schema(), "what they are, if not fabric.switch")
      .source("fabric.switch");
}

/// Of a tier that may say what its switches are.
[[nodiscard]] inline SwitchUse switch_use(const std::string& tier,
                                          const std::optional<SwitchPart>& part) {
  return {tier + ".switch", part ? &*part : nullptr};
}

}  // namespace weft::topologies
