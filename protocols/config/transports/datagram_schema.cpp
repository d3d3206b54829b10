#include "protocols/config/transports/datagram_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {

schema::Object<DatagramConfig> DatagramConfig::schema(LinkLayer /*layer*/) {
  return schema::describe<DatagramConfig>(
             "datagram", "unreliable: sent at line rate, never acknowledged, lost when dropped")
      .include(&DatagramConfig::format, PacketFormat::schema());
}

TransportTraits DatagramConfig::traits() const {
  TransportTraits traits;
  traits.format = format;
  return traits;
}

}  // namespace weft::protocols
