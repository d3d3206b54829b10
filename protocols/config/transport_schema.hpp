#pragma once

#include "protocols/config/transport_config.hpp"
#include "simcore/fabric/link_layer.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols {

/// The transport over such links that a scenario says nothing about.
[[nodiscard]] RoceConfig standard_transport(LinkLayer layer);

/// How TransportConfig is written in a scenario: `type: roce` or `type: datagram` with their keys.
/// Describes a TransportConfig.
[[nodiscard]] schema::Object<TransportConfig> transport_schema(LinkLayer layer);

}  // namespace weft::protocols
