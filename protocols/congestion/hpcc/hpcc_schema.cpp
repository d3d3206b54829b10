#include "protocols/congestion/hpcc/hpcc_spec.hpp"

#include <string>
#include <utility>
#include <vector>

#include "protocols/congestion/hpcc/hpcc_config.hpp"
#include "protocols/congestion/preset.hpp"
#include "protocols/congestion/rate_change_schema.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {
namespace {

std::vector<schema::Preset<HpccConfig, HpccConfig::Preset>> hpcc_presets() {
  return {preset<HpccConfig>(HpccConfig::Preset::kPaper, "paper",
                             "Li et al., SIGCOMM 2019, at 100 Gbps"),
          preset<HpccConfig>(HpccConfig::Preset::kNs3, "hpcc-ns3",
                             "the runs published with the authors' ns-3 model, at 100 Gbps")};
}

}  // namespace

schema::Object<HpccConfig> hpcc_schema() {
  using Config = HpccConfig;
  return schema::describe<Config>("HPCC", "a window that follows the telemetry of switches")
      .presets("preset", &Config::preset, hpcc_presets(),
               "all parameters at once; other keys override it")
      .source("the published algorithm")
      .field("target", &Config::target, "eta: the utilisation of links that is aimed at")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("max_stage", &Config::max_stage,
             "additive increases in a row before a multiplicative one")
      .range(0, 1'000)
      .field("additive_increase", &Config::additive_increase,
             "of the rate, per round trip: W_AI / T")
      .field("minimum_rate", &Config::minimum_rate, "no decrease goes below it")
      .at_least(1_Mbps)
      .field("base_rtt", &Config::base_rtt, "T of all flows; 0: of each flow that of its idle path")
      .at_most(1_s)
      .choice("window_counts", &Config::window_counts,
              {{Config::Counts::kWire, "wire", "all of a packet"},
               {Config::Counts::kPayload, "payload", "what the message has of it"}},
              "which bytes of the packets in flight the window counts")
      .choice("rate_change", &Config::rate_change, rate_changes(), kRateChangeDoc);
}

}  // namespace weft::protocols::congestion
