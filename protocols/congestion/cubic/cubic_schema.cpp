#include "protocols/congestion/cubic/cubic_spec.hpp"

#include "protocols/congestion/cubic/cubic_config.hpp"
#include "protocols/congestion/tcp_window_schema.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

schema::Object<CubicConfig> cubic_schema() {
  using Config = CubicConfig;
  return schema::describe<Config>("CUBIC",
                                  "a window that is a cubic function of the time since it shrank")
      .field("c", &Config::c, "packets per cubic second that the window grows by")
      .source("RFC 9438, 5.1")
      .within({.low = 1e-3, .high = 16})
      .field("beta", &Config::beta, "what a reduction leaves of the window")
      .source("RFC 9438, 4.6")
      .within({.low = 0.1, .high = 0.95})
      .field("fast_convergence", &Config::fast_convergence,
             "whether a flow that had more before the reduction before aims at less than it had")
      .source("RFC 9438, 4.7")
      .field("reno_friendly", &Config::reno_friendly,
             "whether the window is never less than Reno's would be")
      .source("RFC 9438, 4.3")
      .include(&Config::window, tcp_window_schema());
}

}  // namespace weft::protocols::congestion
