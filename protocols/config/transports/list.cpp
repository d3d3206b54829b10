#include "protocols/config/transports/list.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "protocols/config/transports/encapsulation.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {

TransportTraits traits_of(const TransportConfig& transport) {
  TransportTraits traits = std::visit([](const auto& t) { return t.traits(); }, transport);
  const Bytes around = encapsulation_size(traits.format.encapsulation);
  traits.format.header += around;
  if (traits.is_acknowledged) traits.ack_size += around;
  if (traits.delivery) traits.delivery->nack_size += around;
  return traits;
}

std::size_t model_of(const TransportConfig& transport) {
  return std::visit(
      []<class T>(const T&) {
        if constexpr (HasModelOfAnother<T>) {
          return Transports::number_of<typename T::Model>();
        } else {
          return Transports::number_of<T>();
        }
      },
      transport);
}

TransportConfig standard_transport(LinkLayer layer) {
  return std::variant_alternative_t<0, TransportConfig>::default_config(layer);
}

schema::Object<TransportConfig> transport_schema(LinkLayer layer) {
  const auto self = [](TransportConfig& t) -> TransportConfig& { return t; };
  auto keys = schema::describe<TransportConfig>("transport", "how hosts send messages");
  keys.optional_tag("type", 0, "which transport");
  Transports::for_each([&]<class T>() {
    keys.alternative<T>(T::kName, self, T::schema(layer), T::default_config(layer));
  });
  keys.check([](const TransportConfig& transport, std::vector<schema::Problem>& problems) {
    const TransportTraits traits = traits_of(transport);
    const Bytes around = encapsulation_size(traits.format.encapsulation);
    if (around == Bytes() || traits.full_packet() <= kMaxPacket) return;
    problems.push_back({"encapsulation", "makes packets of " +
                                             std::to_string(traits.full_packet().count()) +
                                             " B; at most " + std::to_string(kMaxPacket.count()) +
                                             " B are possible"});
  });
  return keys.shorthand("type");
}

}  // namespace weft::protocols
