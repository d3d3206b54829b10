#pragma once

#include "protocols/congestion/tcp_window_config.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::congestion {

/// How TcpWindowConfig is written in a scenario, among the keys of a control.
[[nodiscard]] schema::Object<TcpWindowConfig> tcp_window_schema();

}  // namespace weft::protocols::congestion
