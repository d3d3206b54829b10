#pragma once

#include <string_view>

/// What page/dist holds; embed.cmake writes their definitions.
namespace weft::report {

[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view page_style();

}  // namespace weft::report
