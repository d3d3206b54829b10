#include "protocols/congestion/swift/swift.hpp"

#include <cmath>

namespace weft::protocols::congestion {

SwiftParameters::SwiftParameters(const SwiftConfig& c)
    : base_target(c.base_target),
      hop_target(c.hop_target),
      scaling_range(c.scaling_range),
      additive_increase(Number::nearest(c.additive_increase)),
      beta(Number::nearest(c.beta)),
      max_decrease(Number::nearest(c.max_decrease)),
      minimum_window(std::max(Number::nearest(c.minimum_window), Number::unit())),
      retransmit_reset(c.retransmit_reset),
      median_of(c.median_of) {
  // Section 3.3: nothing at the largest window, all of the range at the smallest.
  const double at_least = 1 / std::sqrt(c.scaling_min_window);
  const double at_most = 1 / std::sqrt(c.scaling_max_window);
  const double alpha = static_cast<double>(c.scaling_range.count()) / (at_least - at_most);
  fs_alpha = Picoseconds(std::llround(alpha));
  fs_beta = Picoseconds(std::llround(alpha * at_most));
}

}  // namespace weft::protocols::congestion
