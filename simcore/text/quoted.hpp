#pragma once

#include <string>
#include <string_view>

namespace weft {

/// `text` between backquotes, shortened, with control characters replaced.
[[nodiscard]] std::string backquoted(std::string_view text);

}  // namespace weft
