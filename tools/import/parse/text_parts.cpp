#include "tools/import/parse/text_parts.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace weft::import {
namespace {

bool is_blank_mark(char c) { return c == ' ' || c == '\t'; }

bool is_hex_digit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

/// Groups of `digits` hexadecimal digits between `separator`.
bool is_hex_groups(std::string_view text, char separator, std::size_t groups, std::size_t digits) {
  if (text.size() != groups * (digits + 1) - 1) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_between = i % (digits + 1) == digits;
    if (is_between ? text[i] != separator : !is_hex_digit(text[i])) return false;
  }
  return true;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank_mark(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank_mark(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t", at), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    if (begin < end) words.push_back(text.substr(begin, end - begin));
    at = end;
  }
  return words;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, value, 16);
  if (text.empty() || problem != std::errc{} || at != end) return std::nullopt;
  return value;
}

bool is_mac(std::string_view text) {
  return is_hex_groups(text, ':', 6, 2) || is_hex_groups(text, '-', 6, 2) ||
         is_hex_groups(text, '.', 3, 4);
}

}  // namespace weft::import
