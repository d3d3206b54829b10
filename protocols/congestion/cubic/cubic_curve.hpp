#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/congestion/tcp_window.hpp"
#include "simcore/base/units.hpp"

/// CUBIC's curve (RFC 9438, section 4.2) in integers.
namespace weft::protocols::congestion::cubic_curve {

__extension__ using Wide = __int128;

inline constexpr int kTickBits = 24;
/// Time in ticks of 2^-24 s (60 ns).
using Ticks = Quantity<struct TicksTag>;
/// More than any window needs: 256 s from the plateau are 6.7 million packets.
inline constexpr std::int64_t kFarthest = std::int64_t{256} << kTickBits;

[[nodiscard]] constexpr Ticks ticks(Picoseconds time) {
  return Ticks(static_cast<std::int64_t>((static_cast<Wide>(time.count()) << kTickBits) /
                                         kPicosecondsPerSecond));
}
[[nodiscard]] constexpr Picoseconds picoseconds(Ticks time) {
  return Picoseconds(static_cast<std::int64_t>(
      (static_cast<Wide>(time.count()) * kPicosecondsPerSecond) >> kTickBits));
}

/// C x^3.
[[nodiscard]] constexpr TcpWindow::Number above_plateau(Ticks x, TcpWindow::Number c) {
  const Wide at = std::clamp(x.count(), -kFarthest, kFarthest);
  return TcpWindow::Number::from_raw(
      static_cast<std::int64_t>((at * at * at * c.raw()) >> (3 * kTickBits)));
}

/// K: the x at which C x^3 is `height`. The largest integer whose cube is no more, bit by bit.
[[nodiscard]] constexpr Ticks root(TcpWindow::Number height, TcpWindow::Number c) {
  const Wide cube = (static_cast<Wide>(height.raw()) << (3 * kTickBits)) / c.raw();
  Wide found = 0;
  for (int bit = 41; bit >= 0; --bit) {
    const Wide next = found | (Wide{1} << bit);
    if (next * next * next <= cube) found = next;
  }
  return Ticks(static_cast<std::int64_t>(found));
}

}  // namespace weft::protocols::congestion::cubic_curve
