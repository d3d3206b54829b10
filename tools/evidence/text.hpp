#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace weft::evidence {

/// What is between blanks and tabs.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view line);

/// What is between `separator`s, without blanks around; an empty text has one empty part.
[[nodiscard]] std::vector<std::string_view> split_at(std::string_view text, char separator);

[[nodiscard]] std::string_view trimmed(std::string_view text);

[[nodiscard]] std::string lower(std::string_view text);

/// The whole text as a number; nothing if it is none, or not finite.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number number{};
  const char* end = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_integral_v<Number>) {
    result = std::from_chars(text.data(), end, number, base);
  } else {
    result = std::from_chars(text.data(), end, number);
    if (!std::isfinite(number)) return {};
  }
  if (result.ec != std::errc() || result.ptr != end || text.empty()) return {};
  return number;
}

/// The word behind `name`; empty: there is none.
[[nodiscard]] std::string_view word_behind(const std::vector<std::string_view>& words,
                                           std::string_view name);

/// A name that came from a file: without what a terminal would obey, and not too long.
[[nodiscard]] std::string safe_name(std::string_view name);

}  // namespace weft::evidence
