#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// `12,345`.
[[nodiscard]] inline std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

/// `1 job`, `2 jobs`; of words whose plural is not made with -s it is said.
[[nodiscard]] inline std::string counted(std::int64_t count, std::string_view one,
                                         std::string_view several = {}) {
  std::string text = format_count(count) + " ";
  if (count == 1) return text.append(one);
  return several.empty() ? text.append(one) + "s" : text.append(several);
}

}  // namespace weft
