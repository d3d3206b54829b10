#include "simcore/text/range_text.hpp"

#include <charconv>
#include <cstddef>

namespace weft {

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto number = parse_unsigned(text);
    if (!number) return std::nullopt;
    return std::pair(*number, *number);
  }
  const auto first = parse_unsigned(text.substr(0, dash));
  const auto last = parse_unsigned(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace weft
