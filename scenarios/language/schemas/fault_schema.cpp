#include <optional>
#include <variant>
#include <vector>

#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

constexpr const char* kDirectionDoc = "which directions of the links";
constexpr const char* kDirectionSource = "most faults of a cable or its modules concern both";

std::vector<schema::Enumerator<LinkDirection>> directions() {
  return {{LinkDirection::kBoth, "both", "what `from` sends and what it receives"},
          {LinkDirection::kOut, "out", "what `from` sends"},
          {LinkDirection::kIn, "in", "what `from` receives"}};
}

schema::Object<NicPause> nic_pause_schema() {
  using Fault = NicPause;
  return schema::describe<Fault>("paused NIC",
                                 "a NIC that holds its switch paused, whatever its buffer")
      .field("host", &Fault::host, "whose NIC")
      .required()
      .words("class", &Fault::classes, "classes with PFC, or `all` of them")
      .source("a broken NIC pauses every lossless class");
}

schema::Object<LinkRate> link_rate_schema() {
  using Fault = LinkRate;
  return schema::describe<Fault>("slow link", "cables that run below their rate")
      .include(&Fault::links, link_selection_schema())
      .choice("direction", &Fault::direction, directions(), kDirectionDoc)
      .source(kDirectionSource)
      .field("rate", &Fault::rate, "instead of the link's; at most that")
      .required()
      .at_least(1_Mbps);
}

schema::Object<LinkDown> link_down_schema() {
  using Fault = LinkDown;
  return schema::describe<Fault>("broken link", "cables that carry nothing in either direction")
      .include(&Fault::links, link_selection_schema());
}

schema::Object<SwitchDown> switch_down_schema() {
  using Fault = SwitchDown;
  return schema::describe<Fault>("broken switch", "a switch that is off, with what it holds")
      .field("switch", &Fault::node, "which")
      .required();
}

schema::Object<LinkLatency> link_latency_schema() {
  using Fault = LinkLatency;
  return schema::describe<Fault>("slow wire", "cables that take longer, without reordering")
      .include(&Fault::links, link_selection_schema())
      .choice("direction", &Fault::direction, directions(), kDirectionDoc)
      .source(kDirectionSource)
      .field("added", &Fault::added, "to the latency of the link")
      .required()
      .at_least(Picoseconds(1))
      .at_most(1_s);
}

schema::Object<BitErrors> bit_errors_schema() {
  using Fault = BitErrors;
  return schema::describe<Fault>("bit errors", "cables that corrupt frames")
      .include(&Fault::links, link_selection_schema())
      .choice("direction", &Fault::direction, directions(), kDirectionDoc)
      .source(kDirectionSource)
      .include(&Fault::errors, topologies::link_error_schema())
      .check([](const Fault& fault, std::vector<schema::Problem>& problems) {
        if (fault.errors.given()) return;
        problems.push_back(
            {"frame_loss_rate", "is missing, and so is bit_error_rate; one is needed"});
      });
}

schema::Object<FlapTime> flap_time_schema() {
  using Distribution = FlapTime::Distribution;
  return schema::describe<FlapTime>("flap time", "how long a link stays up, or down")
      .choice("distribution", &FlapTime::distribution,
              {{Distribution::kFixed, "fixed", "always the mean"},
               {Distribution::kExponential, "exponential", "its deviation is its mean"},
               {Distribution::kLogNormal, "log-normal", "a long tail"}},
              "of these times")
      .source("failures without memory")
      .field("mean", &FlapTime::mean, "of these times")
      .required()
      .at_least(1_ns)
      .at_most(Picoseconds(1'000'000'000'000'000))
      .field("deviation", &FlapTime::deviation, "standard deviation, of `log-normal` alone")
      .source("none")
      .at_most(Picoseconds(1'000'000'000'000'000))
      .check([](const FlapTime& t, std::vector<schema::Problem>& problems) {
        const bool is_log_normal = t.distribution == Distribution::kLogNormal;
        if (!is_log_normal && t.deviation.count() > 0) {
          problems.push_back({"deviation", "is given; only `log-normal` has one of its own"});
        }
        if (is_log_normal && t.deviation / 100 > t.mean) {
          problems.push_back({"deviation", "is more than 100 times the mean"});
        }
      });
}

schema::Object<Flapping> flapping_schema() {
  using Fault = Flapping;
  return schema::describe<Fault>("flapping link",
                                 "cables that fail and come back, each by itself; up at first")
      .include(&Fault::links, link_selection_schema())
      .object("up", &Fault::up, flap_time_schema(), "how long a cable works")
      .required()
      .object("down", &Fault::down, flap_time_schema(), "how long it then carries nothing")
      .required();
}

}  // namespace

schema::Object<FaultSpec> fault_schema() {
  const auto what = [](FaultSpec & fault) -> auto& { return fault.what; };
  return schema::describe<FaultSpec>("fault", "something that goes wrong for a time")
      .field("at", &FaultSpec::at, "when it begins")
      .source("the start of the run")
      .field("until", &FaultSpec::until, "when it is over")
      .source("it stays")
      .special("forever", std::nullopt)
      .tag("type", "what goes wrong")
      .alternative<NicPause>("nic-pause", what, nic_pause_schema())
      .alternative<LinkRate>("link-rate", what, link_rate_schema())
      .alternative<LinkDown>("link-down", what, link_down_schema())
      .alternative<SwitchDown>("switch-down", what, switch_down_schema())
      .alternative<LinkLatency>("link-latency", what, link_latency_schema())
      .alternative<BitErrors>("bit-errors", what, bit_errors_schema())
      .alternative<Flapping>("flapping", what, flapping_schema())
      .check([](const FaultSpec& fault, std::vector<schema::Problem>& problems) {
        if (std::holds_alternative<Flapping>(fault.what) && !fault.until) {
          problems.push_back({"until", "is missing; a link flaps for a time"});
        }
        if (fault.until && *fault.until <= fault.at) {
          problems.push_back(
              {"until", "is not after its beginning (" +
                            quantity_text(fault.at.count(), dimension_of<Picoseconds>()) + ")"});
        }
      });
}

}  // namespace weft::scenarios::language
