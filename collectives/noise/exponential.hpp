#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::collectives {

/// -ln(u) for the uniform u = (bits + 1) / 2^64 in (0, 1], in units of 2^-58. Integer arithmetic
/// only, so that it is the same in every build and on every machine; off by less than 2^-56.
[[nodiscard]] std::uint64_t negative_log(std::uint64_t bits);

/// An exponentially distributed time with the given mean (>= 0), from 64 uniform bits. Within a
/// picosecond of the exact value for means up to 2^56 ps (20 hours).
[[nodiscard]] Picoseconds exponential(Picoseconds mean, std::uint64_t bits);

/// No less than exponential() makes of the same, and at once: u >= 2^-(1 + leading zeros).
[[nodiscard]] Picoseconds most_exponential(Picoseconds mean, std::uint64_t bits);

}  // namespace weft::collectives
