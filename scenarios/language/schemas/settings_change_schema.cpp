#include <cstdint>
#include <optional>

#include "protocols/config/switch_schema.hpp"
#include "protocols/config/transports/roce_config.hpp"
#include "protocols/congestion/specs.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::scenarios::language {
namespace {

schema::Object<ClassChange> class_change_schema(LinkLayer layer) {
  using Change = ClassChange;
  return schema::describe<Change>("class that differs", "a traffic class at some ports")
      .field("name", &Change::name, "of the class")
      .required()
      .object(
          "flow_control", &Change::flow_control, protocols::flow_control_schema(layer),
          "of the class there; whole by itself. `none`: the port neither sends pauses nor obeys "
          "them")
      .source("that of the class")
      .object("ecn", &Change::ecn, protocols::ecn_schema(layer),
              "how its packets are marked there; whole by itself")
      .source("that of the class")
      .object("wred", &Change::wred, protocols::wred_schema(),
              "whether its packets are dropped early there; whole by itself")
      .source("that of the class")
      .field("egress_limit", &Change::egress_limit,
             "an egress may hold this many bytes of it; `none`: no limit but the buffer; `class`: "
             "that of the class")
      .source("that of the class")
      .special("class", std::nullopt)
      .special("none", std::int64_t{0})
      .field("egress_reserved", &Change::egress_reserved,
             "set aside per egress queue; `class`: as the class has it")
      .source("that of the class")
      .special("class", std::nullopt)
      .field("egress_alpha", &Change::egress_alpha,
             "an egress queue may hold this many times what the shared buffer has left; `none`: no "
             "limit but the buffer; `class`: that of the class")
      .source("that of the class")
      .within({.low = 0, .high = 1024, .includes_low = false})
      .special("class", std::nullopt)
      .special("none", 0.0);
}

}  // namespace

schema::Object<SettingsChange> settings_change_schema(LinkLayer layer) {
  using Change = SettingsChange;
  return schema::describe<Change>("settings that differ", "of switches, their ports, or NICs")
      .field("node", &Change::node, "a switch or a host, or several by `*`, as in leaf*")
      .required()
      .field("to", &Change::to,
             "nodes at the other end: only the ports that lead there; left out: all ports between "
             "servers")
      .source("all ports of the node in the scale-out network")
      .field("buffer", &Change::buffer, "of the switch; `fabric`: as all have it")
      .source("that of the switch")
      .at_least(1_B)
      .special("fabric", std::nullopt)
      .field("headroom_pool", &Change::headroom_pool, "of the switch; `fabric`: as all have it")
      .source("that of the switch")
      .special("fabric", std::nullopt)
      .field("honours_pause", &Change::honours_pause,
             "false: pauses come in by these ports and are not obeyed")
      .source("ports obey pauses (IEEE 802.1Qbb)")
      .field("mtu", &Change::mtu,
             "largest IP packet of these ports; a run whose packets are larger is refused; "
             "`unknown`: as large as packets are")
      .source("ports take all packets")
      .changes_nothing()
      .at_least(68_B)
      .special("unknown", std::nullopt)
      .object("pfc_watchdog", &Change::watchdog, protocols::watchdog_schema(),
              "of these ports of switches; whole by itself")
      .source("fabric.pfc_watchdog")
      .object("congestion_control", &Change::congestion_control,
              protocols::congestion::control_schema(
                  protocols::RoceConfig::default_config(layer).congestion_control),
              "of what these hosts send by RoCE; whole by itself")
      .source("that of the transport")
      .objects("classes", &Change::classes, class_change_schema(layer),
               "what traffic classes are at these ports")
      .source("as at all ports");
}

}  // namespace weft::scenarios::language
