#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "scenarios/text/format.hpp"

namespace weft {

/// A count in millions, as `0.173`, `83.2` or `1,840`: with epochs that are replayed a run may do
/// thousands of millions of packet-hops a second.
[[nodiscard]] inline std::string format_millions(double count) {
  const double millions = count * 1e-6;
  return millions < 1'000 ? fmt::format("{:.3g}", millions)
                          : scenarios::format_count(std::llround(millions));
}

}  // namespace weft
