#pragma once
#include "protocols/switching/switch_config.hpp"
#include "protocols/transport_config.hpp"
#include "simcore/fabric.hpp"
namespace weft::protocols {
inline Bytes headroom_of(const Fabric&, PortId, const SwitchConfig&, const TrafficClass& c,
                         const TransportConfig&) {
  return c.pfc().headroom_bytes;
}
}  // namespace weft::protocols
