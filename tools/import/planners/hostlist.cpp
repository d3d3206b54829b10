#include <fmt/format.h>

#include <algorithm>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/planners/slurm_topology.hpp"

namespace weft::import {
namespace {

using NamesOrProblem = std::variant<std::vector<std::string>, std::string>;

/// Splits at commas outside of brackets; nothing where brackets do not match.
std::optional<std::vector<std::string_view>> split_hostlist(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && !is_inside)) {
      if (is_inside) return std::nullopt;
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '[' || text[i] == ']') {
      if (is_inside == (text[i] == '[')) return std::nullopt;
      is_inside = text[i] == '[';
    }
  }
  return parts;
}

/// What stands for each name at one pair of brackets: `01-03,7`.
std::optional<std::vector<std::string>> expand_brackets(std::string_view text, std::size_t limit) {
  std::vector<std::string> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const auto range = parse_range(part);
    if (!range || range->second < range->first || range->second - range->first >= limit) {
      return std::nullopt;
    }
    const std::size_t width = std::min(part.find('-'), part.size());
    if (width > 18) return std::nullopt;
    for (std::uint64_t n = range->first; n <= range->second; ++n) {
      if (numbers.size() >= limit) return std::nullopt;
      numbers.push_back(fmt::format("{:0{}}", n, width));
    }
    at = end + 1;
  }
  return numbers;
}

NamesOrProblem expand_part(std::string_view part, std::size_t limit) {
  std::vector<std::string> names{""};
  for (std::size_t at = 0; at < part.size();) {
    const std::size_t open = std::min(part.find('[', at), part.size());
    for (std::string& name : names) name += part.substr(at, open - at);
    if (open == part.size()) break;
    const std::size_t close = part.find(']', open);
    const auto numbers = expand_brackets(part.substr(open + 1, close - open - 1), limit);
    if (!numbers) {
      return fmt::format("{}: ranges such as `[01-04,07]` of at most {} names expected",
                         backquoted(part), limit);
    }
    if (numbers->size() * names.size() > limit) {
      return fmt::format("{} stands for more than {} names", backquoted(part), limit);
    }
    std::vector<std::string> longer;
    longer.reserve(numbers->size() * names.size());
    for (const std::string& name : names) {
      for (const std::string& number : *numbers) longer.push_back(name + number);
    }
    names = std::move(longer);
    at = close + 1;
  }
  return names;
}

}  // namespace

NamesOrProblem expand_hostlist(std::string_view text, std::size_t limit) {
  const auto parts = split_hostlist(text);
  if (!parts) {
    return fmt::format("brackets of the hostlist {} are not closed: was it cut?", backquoted(text));
  }
  std::vector<std::string> all;
  for (const std::string_view part : *parts) {
    if (part.empty()) return fmt::format("an empty name in {}", backquoted(text));
    NamesOrProblem names = expand_part(part, limit - all.size());
    if (auto* const problem = std::get_if<std::string>(&names)) return std::move(*problem);
    for (std::string& name : std::get<0>(names)) all.push_back(std::move(name));
  }
  return all;
}

}  // namespace weft::import
