#include "protocols/congestion/dctcp/dctcp_spec.hpp"

#include <string>
#include <utility>
#include <vector>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/dctcp/dctcp_config.hpp"
#include "protocols/congestion/preset.hpp"
#include "protocols/congestion/rate_change_schema.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {
namespace {

std::vector<schema::Preset<DctcpConfig, DctcpConfig::Preset>> dctcp_presets() {
  return {preset<DctcpConfig>(DctcpConfig::Preset::kPaper, "paper",
                              "Alizadeh et al., SIGCOMM 2010, with the first alpha of RFC 8257"),
          preset<DctcpConfig>(DctcpConfig::Preset::kHtsim, "htsim", "csg-htsim, dctcp.cpp"),
          preset<DctcpConfig>(
              DctcpConfig::Preset::kHpccNs3, "hpcc-ns3",
              "the ns-3 model published with Li et al., HPCC, SIGCOMM 2019, at 100 Gbps")};
}

bool is_window(const DctcpConfig& c) { return c.form == DctcpConfig::Form::kWindow; }
bool is_rate(const DctcpConfig& c) { return c.form == DctcpConfig::Form::kRate; }
constexpr const char* kOfWindows = "with `form: window`";
constexpr const char* kOfRates = "with `form: rate`";

void check_dctcp(const DctcpConfig& c, std::vector<schema::Problem>& problems) {
  if (c.form == DctcpConfig::Form::kRate && c.cut == DctcpConfig::Cut::kEveryWindow) {
    problems.push_back({"cut", "is every-window, which needs `form: window`"});
  }
}

}  // namespace

schema::Object<DctcpConfig> dctcp_schema() {
  using Config = DctcpConfig;
  return schema::describe<Config>("DCTCP", "cuts by the share of packets that are marked")
      .presets("preset", &Config::preset, dctcp_presets(),
               "all parameters at once; other keys override it")
      .source("the published algorithm")
      .choice("form", &Config::form,
              {{Config::Form::kWindow, "window", "packets in flight"},
               {Config::Form::kRate, "rate", "bits per second"}},
              "what is cut and raised")
      .choice("cut", &Config::cut,
              {{Config::Cut::kOnMark, "on-mark", "at a mark, once per round trip"},
               {Config::Cut::kEveryWindow, "every-window",
                "after every window of packets while alpha is above 0"}},
              "when it is cut")
      .field("g", &Config::g, "gain of alpha, the moving share of marked packets")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("initial_alpha", &Config::initial_alpha, "alpha before the first window is over")
      .within({.low = 0, .high = 1})
      .field("initial_window", &Config::initial_window, "packets")
      .range(1, kMaxInFlight)
      .only_if(is_window, kOfWindows)
      .field("slow_start_limit", &Config::slow_start_limit,
             "packets at which slow start ends without a mark; 0: none")
      .range(0, kMaxInFlight)
      .only_if(is_window, kOfWindows)
      .field("additive_increase", &Config::additive_increase,
             "of the rate, per round trip; a window grows by a packet")
      .only_if(is_rate, kOfRates)
      .field("minimum_rate", &Config::minimum_rate, "no cut goes below it")
      .at_least(1_Mbps)
      .only_if(is_rate, kOfRates)
      .field("limits_flight", &Config::limits_flight,
             "whether no more may be in flight than the rate sends in an idle round trip")
      .only_if(is_rate, kOfRates)
      .choice("rate_change", &Config::rate_change, rate_changes(), kRateChangeDoc)
      .only_if(is_rate, kOfRates)
      .check(check_dctcp);
}

}  // namespace weft::protocols::congestion
