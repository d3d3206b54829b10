#include <string>
#include <utility>
#include <vector>

#include "protocols/config/transports/recovery.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {
namespace {

using Preset = SelectiveRepeat::Preset;

schema::Preset<SelectiveRepeat, Preset> repeat_preset(Preset which, std::string name,
                                                      std::string source) {
  return {which, std::move(name), std::move(source),
          [which](SelectiveRepeat& repeat) { repeat = SelectiveRepeat::from_preset(which); }};
}

}  // namespace

SelectiveRepeat SelectiveRepeat::from_preset(Preset preset) {
  SelectiveRepeat repeat;
  repeat.preset = preset;
  if (preset == Preset::kConWeave) {
    repeat.cap = 100_KB;
    repeat.timeout_low = 454_us;
    repeat.timeout_high = 1'350_us;
  }
  return repeat;
}

schema::Object<GoBackN> GoBackN::schema() {
  return schema::describe<GoBackN>("go-back-N", "sends everything again from the first hole on");
}

schema::Object<SelectiveRepeat> SelectiveRepeat::schema() {
  using Repeat = SelectiveRepeat;
  return schema::describe<Repeat>("selective repeat", "sends again what is missing (IRN)")
      .presets("preset", &Repeat::preset,
               {repeat_preset(Preset::kPaper, "paper",
                              "Mittal et al., SIGCOMM 2018: 40 Gbps, longest round trip 24 us"),
                repeat_preset(Preset::kConWeave, "conweave",
                              "the ns-3 model published with ConWeave, SIGCOMM 2023")},
               "values of the other keys")
      .source("the paper that proposes it")
      .field(
          "cap", &Repeat::cap,
          "bytes from the oldest unacknowledged packet on that may be sent; `bdp`: what the link "
          "sends in the base RTT of the path; `none`: 65,535 packets")
      .source("Mittal et al., section 3.2: the bandwidth-delay product")
      .special("bdp", std::nullopt)
      .special("none", std::int64_t{0})
      .at_least(64_B)
      .field("few", &Repeat::few, "in flight, below which `timeout_low` holds")
      .matters_if([](const Repeat& r) { return r.timeout_low != r.timeout_high; },
                  "where `timeout_low` and `timeout_high` differ")
      .source("Mittal et al., section 4.1: N = 3")
      .range(0, kMaxSelective)
      .field("timeout_low", &Repeat::timeout_low,
             "time without progress until all that is unacknowledged counts as lost, while few "
             "packets are in flight")
      .source("Mittal et al., section 4.1: RTO_low")
      .at_least(1_us)
      .field("timeout_high", &Repeat::timeout_high, "the same, with more packets in flight")
      .source("Mittal et al., section 4.1: RTO_high, the round trip over one full queue")
      .at_least(1_us)
      .field("reordering", &Repeat::reordering,
             "a packet counts as lost once a packet more than this number of sequence numbers "
             "later has "
             "arrived")
      .source("Mittal et al., section 3.1: paths keep the order")
      .range(0, kMaxSelective)
      .check([](const Repeat& repeat, std::vector<schema::Problem>& problems) {
        if (repeat.timeout_low > repeat.timeout_high) {
          problems.push_back({"timeout_low",
                              "is above timeout_high; it is for the case in which "
                              "nothing else tells of a loss"});
        }
      });
}

schema::Object<Recovery> recovery_schema() {
  const auto self = [](Recovery& recovery) -> Recovery& { return recovery; };
  auto keys = schema::describe<Recovery>("recovery", "how what is lost is repaired");
  keys.optional_tag("type", 0, "what is sent again");
  keys.alternative<GoBackN>("go-back-n", self, GoBackN::schema());
  keys.alternative<SelectiveRepeat>("selective-repeat", self, SelectiveRepeat::schema());
  return keys.shorthand("type");
}

}  // namespace weft::protocols
