#include "protocols/congestion/new_reno/new_reno_spec.hpp"

#include "protocols/congestion/new_reno/new_reno_config.hpp"
#include "protocols/congestion/tcp_window_schema.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

schema::Object<NewRenoConfig> new_reno_schema() {
  using Config = NewRenoConfig;
  return schema::describe<Config>("NewReno", "a packet more per round trip, half of it at a loss")
      .include(&Config::window, tcp_window_schema());
}

}  // namespace weft::protocols::congestion
