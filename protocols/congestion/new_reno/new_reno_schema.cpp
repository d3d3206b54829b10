#include "protocols/congestion/new_reno/new_reno_schema.hpp"

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/new_reno/new_reno_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

schema::Object<NewRenoConfig> new_reno_schema() {
  using Config = NewRenoConfig;
  return schema::describe<Config>("NewReno", "a packet more per round trip, half of it at a loss")
      .field("initial_window", &Config::initial_window, "packets")
      .source("RFC 6928")
      .range(1, kMostInFlight)
      .field("slow_start_limit", &Config::slow_start_limit,
             "packets at which slow start ends without a mark or a loss; 0: none")
      .source("RFC 5681, 3.1: arbitrarily high")
      .range(0, kMostInFlight)
      .field("ecn", &Config::ecn, "whether a mark halves the window as a loss does")
      .source("RFC 3168, 6.1.2");
}

}  // namespace weft::protocols::congestion
