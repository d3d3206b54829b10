#pragma once

#include "protocols/config/transports/transport.hpp"

namespace weft::protocols {

/// Unreliable datagrams: sent at line rate, never acknowledged, lost when dropped.
struct DatagramConfig {
  static constexpr const char* kName = "datagram";

  PacketFormat format;

  [[nodiscard]] static schema::Object<DatagramConfig> schema(LinkLayer layer);
  [[nodiscard]] static DatagramConfig default_config(LinkLayer) { return {}; }
  [[nodiscard]] TransportTraits traits() const;
  friend bool operator==(const DatagramConfig&, const DatagramConfig&) = default;
};

}  // namespace weft::protocols
