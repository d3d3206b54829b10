#pragma once

#include <string>
#include <string_view>

/// Colours on terminals (ECMA-48 sequences), for what people look for first.
namespace weft {

/// Whether `descriptor` is a terminal that wants them: none where TERM is `dumb` or NO_COLOR is set
/// and not empty (no-color.org).
[[nodiscard]] bool has_colours(int descriptor);

/// `text` with its headings bold, warnings and what went wrong in colour, and suggestions in
/// another one. Without the sequences it is the same.
[[nodiscard]] std::string coloured(std::string_view text);

}  // namespace weft
