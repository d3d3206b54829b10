#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simcore/schema/schema.hpp"

namespace weft::topologies {

/// How parts are written in the catalogue and in scenarios.
[[nodiscard]] schema::Object switch_part_schema();
[[nodiscard]] schema::Object nic_part_schema();
[[nodiscard]] schema::Object scale_up_part_schema();
[[nodiscard]] schema::Object host_link_part_schema();
[[nodiscard]] schema::Object server_part_schema();
[[nodiscard]] schema::Object cable_part_schema();

/// One kind of part, for what goes through all of them.
struct PartKind {
  schema::Object object;                        ///< its `collection` names the kind
  std::function<std::shared_ptr<void>()> make;  ///< an ideal part of this kind
  /// The figures that tell one part from another: what a table calls them, and their paths.
  std::vector<std::pair<std::string, std::string>> headline;
};

[[nodiscard]] std::vector<PartKind> part_kinds();

}  // namespace weft::topologies
