#include "tools/evidence/links/rate_unit.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace weft::evidence {
namespace {

constexpr double kMebi = 1048576e-9;
constexpr double kGibi = 1073741824e-9;

constexpr std::array<std::pair<std::string_view, double>, 8> kPrefixes{{{"Gb", 0.125},
                                                                        {"Gbit", 0.125},
                                                                        {"Gbits", 0.125},
                                                                        {"Mb", 0.125e-3},
                                                                        {"GB", 1},
                                                                        {"MB", 1e-3},
                                                                        {"MiB", kMebi},
                                                                        {"GiB", kGibi}}};

bool is_unit_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '/'; }

}  // namespace

std::optional<double> rate_unit(std::string_view unit) {
  if (unit == "gbps") return 0.125;
  for (const std::string_view per_second : {"/sec", "/s", "ps", "s"}) {
    if (!unit.ends_with(per_second)) continue;
    const std::string_view prefix = unit.substr(0, unit.size() - per_second.size());
    const auto* const found =
        std::ranges::find(kPrefixes, prefix, &std::pair<std::string_view, double>::first);
    if (found != kPrefixes.end()) return found->second;
  }
  return {};
}

std::optional<double> rate_unit_in(std::string_view text) {
  std::optional<double> found;
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_unit_letter(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && is_unit_letter(text[end])) ++end;
    const auto unit = rate_unit(text.substr(begin, end - begin));
    if (unit && found && *unit != *found) return {};
    if (unit) found = unit;
    begin = end;
  }
  return found;
}

}  // namespace weft::evidence
