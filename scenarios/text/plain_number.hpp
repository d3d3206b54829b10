#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace weft::scenarios {

/// A number for people, without an exponent: `100`, `0.00125`, `4096000`. It has `digits`
/// significant digits, or more where it is larger.
[[nodiscard]] inline std::string plain_number(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  constexpr int kMaxDecimals = 15;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const int decimals = std::clamp(digits - 1 - magnitude, 0, kMaxDecimals);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace weft::scenarios
