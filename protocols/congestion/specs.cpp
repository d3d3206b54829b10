#include "protocols/congestion/specs.hpp"

#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

schema::Object<ControlConfig> control_schema(const ControlConfig& default_config) {
  const auto self = [](ControlConfig& config) -> ControlConfig& { return config; };
  auto keys = schema::describe<ControlConfig>("congestion control", "how senders set rates");
  keys.optional_tag("type", default_config.index(), "which algorithm");
  ControlSpecs::for_each([&]<class C>() {
    // Transports, classes and jobs have controls: each is described once, and shared.
    static const schema::Object<typename C::Config> control = C::schema();
    keys.alternative<typename C::Config>(C::kName, self, control, C::default_config()).implied();
  });
  return keys.shorthand("type");
}

}  // namespace weft::protocols::congestion
