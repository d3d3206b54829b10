#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simcore/schema/schema.hpp"
#include "topologies/parts/parts.hpp"

namespace weft::topologies {

/// The source of figures that a part has where nothing says otherwise.
inline constexpr const char* kIdeal = "an ideal part adds no delay";

/// How parts are written in the catalogue and in scenarios.
[[nodiscard]] schema::Object<SwitchPart> switch_part_schema();
[[nodiscard]] schema::Object<NicPart> nic_part_schema();
[[nodiscard]] schema::Object<ScaleUpPart> scale_up_part_schema();
[[nodiscard]] schema::Object<HostLinkPart> host_link_part_schema();
[[nodiscard]] schema::Object<GpuPart> gpu_part_schema();
[[nodiscard]] schema::Object<ServerPart> server_part_schema();
[[nodiscard]] schema::Object<CablePart> cable_part_schema();
[[nodiscard]] schema::Object<LinkErrorPart> link_error_schema();
[[nodiscard]] schema::Object<LinkPart> link_part_schema();

/// One kind of part, for what goes through all of them.
struct PartKind {
  schema::AnyObject object;                     ///< its `collection` names the kind
  std::function<std::shared_ptr<void>()> make;  ///< an ideal part of this kind
  /// The figures that tell one part from another: what a table calls them, and their paths.
  std::vector<std::pair<std::string, std::string>> headline;
};

[[nodiscard]] std::vector<PartKind> part_kinds();

}  // namespace weft::topologies
