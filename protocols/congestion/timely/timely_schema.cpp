#include "protocols/congestion/timely/timely_spec.hpp"

#include <string>
#include <utility>
#include <vector>

#include "protocols/congestion/preset.hpp"
#include "protocols/congestion/rate_change_schema.hpp"
#include "protocols/congestion/timely/timely_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {
namespace {

std::vector<schema::Preset<TimelyConfig, TimelyConfig::Preset>> timely_presets() {
  return {preset<TimelyConfig>(TimelyConfig::Preset::kPaper, "paper",
                               "Mittal et al., SIGCOMM 2015, at 10 Gbps"),
          preset<TimelyConfig>(
              TimelyConfig::Preset::kHpccNs3, "hpcc-ns3",
              "the ns-3 model published with Li et al., HPCC, SIGCOMM 2019, at 100 Gbps")};
}

void check_timely(const TimelyConfig& c, std::vector<schema::Problem>& problems) {
  if (c.low_threshold > c.high_threshold) {
    problems.push_back({"low_threshold", "is more than high_threshold"});
  }
}

}  // namespace

schema::Object<TimelyConfig> timely_schema() {
  using Config = TimelyConfig;
  return schema::describe<Config>("TIMELY", "a rate that follows the gradient of the delay of ACKs")
      .presets("preset", &Config::preset, timely_presets(),
               "all parameters at once; other keys override it")
      .source("the published algorithm")
      .field("low_threshold", &Config::low_threshold, "T_low: below this delay the rate rises")
      .at_most(1_s)
      .field("high_threshold", &Config::high_threshold, "T_high: above this delay the rate falls")
      .at_least(1_ns)
      .at_most(1_s)
      .field("minimum_rtt", &Config::minimum_rtt, "what the gradient is relative to")
      .at_least(1_ns)
      .at_most(1_s)
      .field("ewma", &Config::ewma, "weight of a new difference of delays in the gradient")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("beta", &Config::beta, "how much of the gradient, or of the excess, a decrease takes")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("additive_increase", &Config::additive_increase, "of the rate, per update")
      .field("hyper_increase", &Config::hyper_increase,
             "of the rate, per update, after `hyper_after` increases in a row")
      .field("hyper_after", &Config::hyper_after, "increases in a row before hyper-active ones")
      .range(1, 1'000)
      .field("hyper_below_low", &Config::hyper_below_low,
             "whether increases below low_threshold count for that, and are hyper-active, too")
      .field("segment", &Config::segment,
             "bytes acknowledged between updates; 0: an update per round trip")
      .at_most(16_MiB)
      .field("minimum_rate", &Config::minimum_rate, "no decrease goes below it")
      .at_least(1_Mbps)
      .choice("rate_change", &Config::rate_change, rate_changes(), kRateChangeDoc)
      .check(check_timely);
}

}  // namespace weft::protocols::congestion
