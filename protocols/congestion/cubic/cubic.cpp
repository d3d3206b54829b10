#include "protocols/congestion/cubic/cubic.hpp"

namespace weft::protocols::congestion {

CubicParameters::CubicParameters(const CubicConfig& config)
    : c(TcpWindow::Number::nearest(config.c)),
      beta(TcpWindow::Number::nearest(config.beta)),
      // Section 4.3: with this increase Reno's average window is that of CUBIC's decrease.
      alpha(TcpWindow::Number::nearest(3 * (1 - config.beta) / (1 + config.beta))),
      window(config.window),
      fast_convergence(config.fast_convergence),
      reno_friendly(config.reno_friendly) {}

}  // namespace weft::protocols::congestion
