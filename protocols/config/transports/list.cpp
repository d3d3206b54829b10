#include "protocols/config/transports/list.hpp"

#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {

TransportConfig standard_transport(LinkLayer layer) {
  return std::variant_alternative_t<0, TransportConfig>::standard(layer);
}

schema::Object<TransportConfig> transport_schema(LinkLayer layer) {
  const auto self = [](TransportConfig& t) -> TransportConfig& { return t; };
  auto keys = schema::describe<TransportConfig>("transport", "how hosts send messages");
  keys.optional_tag("type", 0, "which transport");
  Transports::for_each([&]<class T>() {
    keys.alternative<T>(T::kName, self, T::schema(layer), T::standard(layer));
  });
  return keys.shorthand("type");
}

}  // namespace weft::protocols
