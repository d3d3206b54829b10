#pragma once

#include <cstdint>

#include "simcore/base/random.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// An exponentially distributed time with the given mean (>= 0), from 64 uniform bits. Within a
/// picosecond of the exact value for means up to 2^56 ps (20 hours).
[[nodiscard]] Picoseconds exponential(Picoseconds mean, std::uint64_t bits);

/// No less than exponential() makes of the same, and at once: u >= 2^-(1 + leading zeros).
[[nodiscard]] Picoseconds max_exponential(Picoseconds mean, std::uint64_t bits);

}  // namespace weft::collectives
