#include <optional>

#include "protocols/config/switch_schema.hpp"
#include "protocols/config/transports/list.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::scenarios::language {
namespace {

template <class Member>
auto own(Member protocols::TrafficClass::*member) {
  return [member](ClassDocument & c) -> auto& { return c.own.*member; };
}

}  // namespace

schema::Object<ClassDocument> class_schema(LinkLayer layer) {
  using Class = ClassDocument;
  using protocols::TrafficClass;
  using Scheduling = TrafficClass::Scheduling;
  return schema::describe<Class>("traffic class",
                                 "a priority or virtual lane, with queues of its own at every port")
      .field("name", own(&TrafficClass::name),
             "by which jobs, acknowledgements and faults refer to it")
      .changes_output()
      .required()
      .words("dscp", &Class::dscp,
             "code points that stand for it: 0 to 63, or names such as cs3, af31, ef")
      .source("none")
      .choice("scheduling", own(&TrafficClass::scheduling),
              {{Scheduling::kWeighted, "weighted",
                "deficit round robin among the weighted classes, after strict ones"},
               {Scheduling::kStrict, "strict", "before all classes of lower priority"}},
              "when its packets go")
      .source("classes share a link unless said otherwise")
      .field("weight", own(&TrafficClass::weight), "share of the link among the weighted classes")
      .source("equal shares")
      .range(1, 1'000)
      .only_if([](const Class& c) { return c.own.scheduling == Scheduling::kWeighted; },
               "with `scheduling: weighted`")
      .object("flow_control", &Class::flow_control, protocols::flow_control_schema(layer),
              "what keeps its buffers from overflowing")
      .source("fabric.flow_control")
      .object("ecn", &Class::ecn, protocols::ecn_schema(layer), "how its packets are marked")
      .source("fabric.ecn")
      .field(
          "egress_limit", &Class::egress_limit,
          "an egress may hold this many bytes of it, those in transmission included; packets "
          "beyond are trimmed or dropped; `none`: no limit but the buffer; `fabric`: that of the "
          "fabric, if it has no flow control")
      .source("fabric.egress_limit, if it has no flow control")
      .special("fabric", std::nullopt)
      .special("none", std::int64_t{0})
      .object("trimming", &Class::trimming, protocols::trimming_schema(),
              "whether data that finds no room is cut to its header")
      .source("fabric.trimming, if it has no flow control and takes no trimmed packets itself")
      .object("wred", &Class::wred, protocols::wred_schema(),
              "whether its packets are dropped early where they make a long queue")
      .source("fabric.wred, if it has no flow control")
      .object("transport", &Class::transport, protocols::transport_schema(layer),
              "how its messages are sent between servers; whole by itself: what it leaves out has "
              "its usual value, not that of the scenario's `transport`")
      .source("transport")
      .object("load_balancing", own(&TrafficClass::load_balancing),
              protocols::load_balancing_schema(),
              "how a switch chooses among next hops for its packets")
      .source("fabric.load_balancing")
      .field("egress_reserved", own(&TrafficClass::egress_reserved),
             "set aside per egress queue, used before the shared buffer")
      .source("nothing is set aside")
      .field("egress_alpha", own(&TrafficClass::egress_alpha),
             "an egress queue may hold this many times what the shared buffer has left; packets "
             "beyond are dropped; `none`: no limit but the buffer")
      .source("no limit")
      .within({.low = 0, .high = 1024, .includes_low = false})
      .special("none", std::nullopt);
}

}  // namespace weft::scenarios::language
