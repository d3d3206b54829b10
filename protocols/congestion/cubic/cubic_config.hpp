#pragma once

#include "protocols/congestion/tcp_window_config.hpp"

namespace weft::protocols::congestion {

/// CUBIC: a window that is a cubic function of the time since the last reduction (RFC 9438; Ha,
/// Rhee and Xu, "CUBIC: A New TCP-Friendly High-Speed TCP Variant", SIGOPS 2008).
struct CubicConfig {
  double c = 0.4;                ///< packets per cubic second
  double beta = 0.7;             ///< what a reduction leaves of the window
  bool fast_convergence = true;  ///< a flow that has less than before makes room for others
  bool reno_friendly = true;     ///< no slower than Reno would be
  TcpWindowConfig window;

  friend bool operator==(const CubicConfig&, const CubicConfig&) = default;
};

}  // namespace weft::protocols::congestion
