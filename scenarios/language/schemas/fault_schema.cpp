#include <optional>

#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::scenarios::language {
namespace {

schema::Object<NicPauseDocument> nic_pause_schema() {
  using Fault = NicPauseDocument;
  return schema::describe<Fault>("paused NIC",
                                 "a NIC that holds its switch paused, whatever its buffer")
      .field("host", &Fault::host, "whose NIC")
      .required()
      .words("class", &Fault::classes, "classes with PFC, or `all` of them")
      .source("a broken NIC pauses every lossless class");
}

schema::Object<LinkRateDocument> link_rate_schema() {
  using Fault = LinkRateDocument;
  return schema::describe<Fault>("slow link", "cables that run below their rate, both ways")
      .include(&Fault::links, link_selection_schema())
      .field("rate", &Fault::rate, "instead of the link's; at most that")
      .required()
      .at_least(1_Mbps);
}

schema::Object<LinkDownDocument> link_down_schema() {
  using Fault = LinkDownDocument;
  return schema::describe<Fault>("broken link", "cables that carry nothing, both ways")
      .include(&Fault::links, link_selection_schema());
}

schema::Object<SwitchDownDocument> switch_down_schema() {
  using Fault = SwitchDownDocument;
  return schema::describe<Fault>("broken switch", "a switch that is off, with what it holds")
      .field("switch", &Fault::node, "which")
      .required();
}

schema::Object<LinkLatencyDocument> link_latency_schema() {
  using Fault = LinkLatencyDocument;
  return schema::describe<Fault>("slow wire",
                                 "cables that take longer, both ways, without reordering")
      .include(&Fault::links, link_selection_schema())
      .field("added", &Fault::added, "to the latency of the link")
      .required()
      .at_least(Picoseconds(1))
      .at_most(1_s);
}

}  // namespace

schema::Object<FaultDocument> fault_schema() {
  const auto kind = [](FaultDocument & fault) -> auto& { return fault.kind; };
  return schema::describe<FaultDocument>("fault", "something that goes wrong for a time")
      .field("at", &FaultDocument::at, "when it begins")
      .source("the start of the run")
      .field("until", &FaultDocument::until, "when it is over")
      .source("it stays")
      .special("forever", std::nullopt)
      .tag("type", "what goes wrong")
      .alternative<NicPauseDocument>("nic-pause", kind, nic_pause_schema())
      .alternative<LinkRateDocument>("link-rate", kind, link_rate_schema())
      .alternative<LinkDownDocument>("link-down", kind, link_down_schema())
      .alternative<SwitchDownDocument>("switch-down", kind, switch_down_schema())
      .alternative<LinkLatencyDocument>("link-latency", kind, link_latency_schema())
      .check([](const FaultDocument& fault, std::vector<schema::Problem>& problems) {
        if (fault.until && *fault.until <= fault.at) {
          problems.push_back(
              {"until", "is not after its beginning (" +
                            quantity_text(fault.at.count(), dimension_of<Picoseconds>()) + ")"});
        }
      });
}

}  // namespace weft::scenarios::language
