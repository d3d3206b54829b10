#include "tools/io/result_name.hpp"

#include <algorithm>
#include <cctype>

#include "simcore/base/digest.hpp"

namespace weft {
namespace {

constexpr std::size_t kLongest = 80;  ///< of what was set; file systems take 255 in all
constexpr std::size_t kKept = 60;     ///< of what is longer

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_plain(char c) {
  return is_letter_or_digit(c) || std::string_view("._=+-").find(c) != std::string_view::npos;
}

}  // namespace

std::string overridden_name(const std::string& name, const std::vector<std::string>& overrides) {
  std::string set;
  std::string exact;
  bool is_hidden = false;
  for (const std::string& one : overrides) {
    if (one.starts_with("name=")) continue;
    exact += one + "\n";
    set += '-';
    const std::size_t value = std::min(one.find('='), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      const bool is_bracket = i < value && (one[i] == '[' || one[i] == ']');
      if (is_bracket) continue;
      set += is_plain(one[i]) ? one[i] : '_';
      is_hidden = is_hidden || !is_plain(one[i]);
    }
  }
  if (set.size() > kLongest) {
    set.resize(kKept);
    is_hidden = true;
  }
  return name + set + (is_hidden ? "-" + sha256_hex(exact).substr(0, 8) : std::string());
}

std::string shell_text(const std::vector<std::string>& words) {
  const auto is_safe = [](char c) {
    return is_letter_or_digit(c) ||
           std::string_view("._=+-/:,@%").find(c) != std::string_view::npos;
  };
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && std::ranges::all_of(word, is_safe)) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) {
      if (c == '\'') {
        text += "'\\''";
      } else {
        text += c;
      }
    }
    text += '\'';
  }
  return text;
}

}  // namespace weft
