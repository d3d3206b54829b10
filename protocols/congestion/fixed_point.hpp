#pragma once

#include <cmath>
#include <cstdint>

#include "simcore/base/units.hpp"

/// Shares and factors as the engine computes with them: integers in units of a power of two.
namespace weft::protocols::congestion {

/// `value` in units of 2^-bits, rounded to the nearest.
[[nodiscard]] inline std::int64_t to_fixed(double value, int bits) {
  return static_cast<std::int64_t>(std::llround(std::ldexp(value, bits)));
}

/// a b / c without overflow, rounded towards 0.
[[nodiscard]] constexpr std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / c);
}

/// What `bytes` are of what a link of `rate` carries in `time`, in units of 2^-bits.
[[nodiscard]] constexpr std::int64_t load_of(Bytes bytes, Picoseconds time, BitsPerSecond rate,
                                             int bits) {
  __extension__ using Wide = __int128;
  const Wide sent = static_cast<Wide>(bytes.count()) * 8 * kPicosecondsPerSecond;
  return static_cast<std::int64_t>(sent * (std::int64_t{1} << bits) /
                                   (static_cast<Wide>(rate.count()) * time.count()));
}

/// Whether a count of packets that runs on and wraps is past `mark`.
[[nodiscard]] constexpr bool is_past(std::uint32_t count, std::uint32_t mark) {
  return static_cast<std::int32_t>(count - mark) > 0;
}

}  // namespace weft::protocols::congestion
