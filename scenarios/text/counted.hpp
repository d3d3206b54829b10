#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/text/format.hpp"

namespace weft::scenarios {

/// `1 job`, `2 jobs`; of words whose plural is not made with -s it is said.
[[nodiscard]] inline std::string counted(std::int64_t count, std::string_view one,
                                         std::string_view several = {}) {
  std::string text = format_count(count) + " ";
  if (count == 1) return text.append(one);
  return several.empty() ? text.append(one) + "s" : text.append(several);
}

}  // namespace weft::scenarios
