#pragma once

#include <string>

namespace weft::live {

/// What makes the terminal that curses uses leave the screen: plain text, the cursor, what was
/// there before.
[[nodiscard]] std::string leaving_text();

}  // namespace weft::live
