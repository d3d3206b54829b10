#include "tools/deploy/hostlist.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace weft::deploy {
namespace {

/// `gpu` and `07` of `gpu07`; the digits are empty where it ends in none.
struct Numbered {
  std::string prefix;
  std::string digits;
};

Numbered split(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && '0' <= name[end - 1] && name[end - 1] <= '9') --end;
  // More digits than a number has are no number.
  if (name.size() - end > 9) end = name.size();
  return {name.substr(0, end), name.substr(end)};
}

std::string range_text(const std::string& first, const std::string& last) {
  return first == last ? first : first + "-" + last;
}

}  // namespace

std::string hostlist(const std::vector<std::string>& names) {
  // By prefix and width: numbers of different widths are in different ranges.
  std::map<std::tuple<std::string, std::size_t>, std::vector<std::string>> numbered;
  for (const std::string& name : names) {
    const Numbered parts = split(name);
    numbered[{parts.prefix, parts.digits.size()}].push_back(parts.digits);
  }
  std::string text;
  for (auto& [key, digits] : numbered) {
    const auto& [prefix, width] = key;
    if (!text.empty()) text += ",";
    if (width == 0 || digits.size() == 1) {
      text += prefix + digits.front();
      continue;
    }
    std::ranges::sort(digits);
    digits.erase(std::unique(digits.begin(), digits.end()), digits.end());
    std::string ranges;
    for (std::size_t i = 0; i < digits.size();) {
      std::size_t last = i;
      while (last + 1 < digits.size() &&
             std::stol(digits[last + 1]) == std::stol(digits[last]) + 1) {
        ++last;
      }
      if (!ranges.empty()) ranges += ",";
      ranges += range_text(digits[i], digits[last]);
      i = last + 1;
    }
    text.append(prefix).append("[").append(ranges).append("]");
  }
  return text;
}

}  // namespace weft::deploy
