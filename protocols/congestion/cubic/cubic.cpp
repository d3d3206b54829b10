#include "protocols/congestion/cubic/cubic.hpp"

namespace weft::protocols::congestion {

CubicParameters::CubicParameters(const CubicConfig& config)
    : c(to_fixed(config.c, TcpWindow::kBits)),
      beta(to_fixed(config.beta, TcpWindow::kBits)),
      // Section 4.3: with this increase Reno's average window is that of CUBIC's decrease.
      alpha(to_fixed(3 * (1 - config.beta) / (1 + config.beta), TcpWindow::kBits)),
      window(config.window),
      fast_convergence(config.fast_convergence),
      reno_friendly(config.reno_friendly) {}

}  // namespace weft::protocols::congestion
