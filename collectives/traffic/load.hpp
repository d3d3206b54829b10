#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Between two pieces of n thousandths of a byte (up to 10^15) that make up a `load` of
/// `rate`, rounded to a picosecond; between 1 and 2^62 ps. The load counts in steps of 10^-9 and is
/// at least one of them.
[[nodiscard]] Picoseconds time_between(std::int64_t thousandths, double load, BitsPerSecond rate);

}  // namespace weft::collectives
