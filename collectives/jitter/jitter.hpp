#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Random delays of ranks.
struct Jitter {
  enum class Distribution : std::uint8_t { kNone, kNormal, kExponential, kLogNormal };
  Distribution distribution = Distribution::kNone;
  Picoseconds mean;       ///< of the delay
  Picoseconds deviation;  ///< standard deviation; the exponential has its mean

  bool operator==(const Jitter&) const = default;
};

/// The quantile of the standard normal distribution at the uniform (bits + 1/2) / 2^64. Sums,
/// products, quotients and roots of doubles only, which are the same in every build and on every
/// machine; off by at most 2e-9 of its value (P. Acklam's rational approximation).
[[nodiscard]] double standard_normal(std::uint64_t bits);

/// A random delay from 64 uniform bits, never negative. The normal distribution is cut at 0, so its
/// mean is a little above `mean` where the deviation is not small against it; the others have
/// exactly the mean that is asked for, and the log-normal the deviation too.
[[nodiscard]] Picoseconds draw_delay(const Jitter& jitter, std::uint64_t bits);

}  // namespace weft::collectives
