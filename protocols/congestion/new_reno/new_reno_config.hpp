#pragma once

#include "protocols/congestion/tcp_window_config.hpp"

namespace weft::protocols::congestion {

/// TCP NewReno's window (RFC 5681; how losses are repaired is the transport's, RFC 6582 and 6675).
struct NewRenoConfig {
  TcpWindowConfig window;

  friend bool operator==(const NewRenoConfig&, const NewRenoConfig&) = default;
};

}  // namespace weft::protocols::congestion
