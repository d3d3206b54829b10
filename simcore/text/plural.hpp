#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// `1 port`, `2 ports`; of words whose plural is not made with -s it is said.
[[nodiscard]] inline std::string plural(std::uint64_t count, std::string_view one,
                                        std::string_view several = {}) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text.append(one);
  return several.empty() ? text.append(one) + "s" : text.append(several);
}

}  // namespace weft
