#include "protocols/congestion/powertcp/powertcp_spec.hpp"

#include "protocols/congestion/powertcp/powertcp_config.hpp"
#include "protocols/congestion/rate_change_schema.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

schema::Object<PowerTcpConfig> powertcp_schema() {
  using Config = PowerTcpConfig;
  return schema::describe<Config>("PowerTCP", "a window that follows the power of links")
      .field("gamma", &Config::gamma, "weight of a new window")
      .source("Addanki et al., NSDI 2022, section 3.3")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("expected_flows", &Config::expected_flows,
             "N: a step adds the N-th part of what fills the idle path at line rate")
      .source("150 Mbps at 25 Gbps: the ns-3 model published with Addanki et al., NSDI 2022")
      .range(1, 1'000'000)
      .field("base_rtt", &Config::base_rtt, "T of all flows; 0: of each flow that of its idle path")
      .source("HPCC and PowerTCP take one T for a network; without it flows have their own")
      .at_most(1_s)
      .choice("rate_change", &Config::rate_change, rate_changes(), kRateChangeDoc)
      .source(
          "the paper paces at w / T and leaves it open; as of departure times that are set once");
}

}  // namespace weft::protocols::congestion
