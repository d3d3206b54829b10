#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/congestion/tcp_window.hpp"
#include "simcore/base/units.hpp"

/// CUBIC's curve (RFC 9438, section 4.2) in integers: times in ticks of 2^-24 s (60 ns), windows
/// and C in units of 2^-24.
namespace weft::protocols::congestion::cubic_curve {

__extension__ using Wide = __int128;

inline constexpr int kTickBits = 24;
/// More than any window needs: 256 s from the plateau are 6.7 million packets.
inline constexpr std::int64_t kFarthest = std::int64_t{256} << kTickBits;

[[nodiscard]] constexpr std::int64_t ticks(Picoseconds time) {
  return static_cast<std::int64_t>((static_cast<Wide>(time.count()) << kTickBits) /
                                   kPicosecondsPerSecond);
}
[[nodiscard]] constexpr Picoseconds picoseconds(std::int64_t ticks) {
  return Picoseconds(
      static_cast<std::int64_t>((static_cast<Wide>(ticks) * kPicosecondsPerSecond) >> kTickBits));
}

/// C x^3.
[[nodiscard]] constexpr std::int64_t above_plateau(std::int64_t x, std::int64_t c) {
  const Wide at = std::clamp(x, -kFarthest, kFarthest);
  return static_cast<std::int64_t>((at * at * at * c) >> (3 * kTickBits));
}

/// K: the x at which C x^3 is `height`. The largest integer whose cube is no more, bit by bit.
[[nodiscard]] constexpr std::int64_t root(std::int64_t height, std::int64_t c) {
  const Wide cube = (static_cast<Wide>(height) << (3 * kTickBits)) / c;
  Wide found = 0;
  for (int bit = 41; bit >= 0; --bit) {
    const Wide next = found | (Wide{1} << bit);
    if (next * next * next <= cube) found = next;
  }
  return static_cast<std::int64_t>(found);
}

}  // namespace weft::protocols::congestion::cubic_curve
