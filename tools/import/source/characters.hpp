#pragma once

namespace weft::import {

/// Of ASCII, whatever the locale is.
[[nodiscard]] constexpr bool is_digit(char c) { return '0' <= c && c <= '9'; }
[[nodiscard]] constexpr bool is_hex_digit(char c) {
  return is_digit(c) || ('a' <= c && c <= 'f') || ('A' <= c && c <= 'F');
}
[[nodiscard]] constexpr char to_lower(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace weft::import
