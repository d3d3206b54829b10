#include "protocols/congestion/tcp_window_schema.hpp"

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/tcp_window_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

schema::Object<TcpWindowConfig> tcp_window_schema() {
  using Config = TcpWindowConfig;
  return schema::describe<Config>("TCP's window", "slow start, and what reduces the window")
      .field("initial_window", &Config::initial, "packets")
      .source("RFC 6928")
      .range(1, kMaxInFlight)
      .field("slow_start_limit", &Config::slow_start_limit,
             "packets at which slow start ends without a mark or a loss; 0: none")
      .source("RFC 5681, 3.1: arbitrarily high")
      .range(0, kMaxInFlight)
      .field("ecn", &Config::ecn, "whether a mark reduces the window as a loss does")
      .source("RFC 3168, 6.1.2");
}

}  // namespace weft::protocols::congestion
