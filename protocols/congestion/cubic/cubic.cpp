#include "protocols/congestion/cubic/cubic.hpp"

namespace weft::protocols::congestion {

CubicParameters::CubicParameters(const CubicConfig& config)
    : c(to_fixed(config.c, TcpWindow::kBits)),
      beta(to_fixed(config.beta, TcpWindow::kBits)),
      // Section 4.3: with this increase Reno's average window is that of CUBIC's decrease.
      alpha(to_fixed(3 * (1 - config.beta) / (1 + config.beta), TcpWindow::kBits)),
      initial_window(config.initial_window),
      slow_start_limit(config.slow_start_limit),
      fast_convergence(config.fast_convergence),
      reno_friendly(config.reno_friendly),
      ecn(config.ecn) {}

}  // namespace weft::protocols::congestion
