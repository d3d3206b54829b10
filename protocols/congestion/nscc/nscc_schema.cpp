#include <string>
#include <vector>

#include "protocols/congestion/nscc/nscc_spec.hpp"
#include "protocols/congestion/preset.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {
namespace {

constexpr const char* kSpecification = "UE specification 1.0, 3.6.13";

/// When a window changes, and what sets it at once.
schema::Object<NsccConfig> adjusting_schema() {
  using Config = NsccConfig;
  const auto adapts = [](const Config& c) { return c.quick_adapt; };
  return schema::describe<Config>("adjusting", "when a window changes")
      .field("adjust_packets", &Config::adjust_packets,
             "packets acknowledged between two changes of the window, if that is less than "
             "`adjust_period`")
      .source(kSpecification)
      .range(1, 65'536)
      .field("adjust_period", &Config::adjust_period,
             "the longest time between two changes, with each of which the window also grows by "
             "`steady`; `base_rtt`: the base round trip, as it is measured")
      .source(kSpecification)
      .special("base_rtt", std::nullopt)
      .at_least(1_ns)
      .at_most(1_s)
      .field("quick_adapt", &Config::quick_adapt,
             "whether a window becomes what arrived in a period, where losses or delay say that it "
             "is far too large")
      .source(kSpecification)
      .field("quick_gate", &Config::quick_gate,
             "after a loss the window becomes what arrived in a period, if that is below the "
             "largest window / 2^this")
      .source(kSpecification)
      .range(0, 16)
      .matters_if(adapts, "with `quick_adapt: true`")
      .field("quick_delay", &Config::quick_delay,
             "queueing delay that sets off the same without a loss; `auto`: what a full queue of "
             "the class takes to drain (egress_limit) less a base round trip, and never where "
             "switches trim")
      .source(kSpecification)
      .special("auto", std::nullopt)
      .at_least(1_ns)
      .at_most(1_s)
      .matters_if(adapts, "with `quick_adapt: true`");
}

}  // namespace

schema::Object<NsccConfig> nscc_schema() {
  const auto self = [](NsccConfig& config) -> NsccConfig& { return config; };
  using Config = NsccConfig;
  return schema::describe<Config>("NSCC", "a window per destination, by marks and delay")
      .presets(
          "preset", &Config::preset,
          {preset<Config>(Config::Preset::kUec10, "uec-1.0", kSpecification),
           preset<Config>(Config::Preset::kHtsim, "uet-htsim",
                          "uet-htsim at 40ccb05, uec.cpp: full packets for the least window "
                          "and `adjust_packets`, quick adapt by delay also where switches trim, "
                          "ACKs without a sample go by the average")},
          "where the specification and its simulator differ")
      .source("the specification")
      .field("base_rtt", &Config::base_rtt,
             "a round trip without load, which falls to what is measured; `path`: that of the "
             "queue pair's path")
      .source("a NIC is told, or measures it; uet-htsim takes that of the longest path")
      .special("path", std::nullopt)
      .at_least(1_ns)
      .at_most(1_s)
      .field("target", &Config::target,
             "queueing delay to be kept, in base round trips; `auto`: 0.75 where switches trim, "
             "else 1")
      .source(kSpecification)
      .special("auto", std::nullopt)
      .within({.low = 0, .high = 16, .includes_low = false})
      .field("max_window", &Config::max_window,
             "the largest window, which is also the first, in bandwidth-delay products")
      .source(kSpecification)
      .within({.low = 0, .high = 64, .includes_low = false})
      .field("proportional", &Config::proportional,
             "alpha: payloads x a b that a window grows by in a round trip without delay")
      .source(kSpecification)
      .within({.low = 0, .high = 1024, .includes_low = true})
      .field("fair", &Config::fair,
             "payloads x a that it grows by in a round trip above the target without marks")
      .source(kSpecification)
      .within({.low = 0, .high = 1024, .includes_low = true})
      .field("steady", &Config::steady, "eta: payloads x a that it grows by in any round trip")
      .source(kSpecification)
      .within({.low = 0, .high = 1024, .includes_low = true})
      .field("fast", &Config::fast,
             "share x a of itself that it grows by in a round trip, after one without any delay")
      .source(kSpecification)
      .within({.low = 0, .high = 64, .includes_low = true})
      .field("gamma", &Config::gamma,
             "share of the excess of the average delay that a decrease takes")
      .source(kSpecification)
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("max_decrease", &Config::max_decrease, "share that a decrease leaves at least")
      .source(kSpecification)
      .within({.low = 0, .high = 1, .includes_low = false})
      .include(self, adjusting_schema())
      .field("delay_gain", &Config::delay_gain, "weight of a sample in the average delay")
      .source("uet-htsim, uec.cpp; the specification leaves the average open: assumed")
      .within({.low = 0, .high = 1, .includes_low = false});
}

}  // namespace weft::protocols::congestion
