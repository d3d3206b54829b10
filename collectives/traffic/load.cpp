#include "collectives/traffic/load.hpp"

#include <algorithm>
#include <cmath>

namespace weft::collectives {

Picoseconds time_between(std::int64_t thousandths, double load, BitsPerSecond rate) {
  __extension__ using Wide = unsigned __int128;
  constexpr double kLoadSteps = 1e9;
  constexpr Wide kLimit = Wide{1} << 62U;
  const auto steps = std::max(std::llround(load * kLoadSteps), 1LL);
  const Wide bit_picoseconds =
      static_cast<Wide>(thousandths) * 8 * kPicosecondsPerSecond * 1'000'000U;
  const Wide divisor = static_cast<Wide>(rate.count()) * static_cast<Wide>(steps);
  const Wide gap = (bit_picoseconds + divisor / 2) / divisor;
  return Picoseconds(static_cast<std::int64_t>(std::clamp(gap, Wide{1}, kLimit)));
}

}  // namespace weft::collectives
