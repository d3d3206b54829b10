#pragma once

#include "simcore/schema.hpp"

namespace weft::topologies {

/// How parts are written in the catalogue and in scenarios.
[[nodiscard]] schema::Object switch_part_schema();
[[nodiscard]] schema::Object nic_part_schema();
[[nodiscard]] schema::Object server_part_schema();
[[nodiscard]] schema::Object cable_part_schema();

}  // namespace weft::topologies
