#include "scenarios/blame/explain/mending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace weft::scenarios {
namespace {

/// How a failure is mended, where nothing is named and where something is.
struct Mending {
  const char* what;
  const char* unnamed;
  const char* verb;
  const char* of_one;      ///< what one thing does
  const char* of_several;  ///< what several do
};

constexpr Mending kMendings[] = {
    {"link-failures", "mend the links that fail", "mend ", ", which fails", ", which fail"},
    {"nic-pauses", "replace the NIC that holds its switch paused", "replace ",
     ", which holds its switch paused", ", which hold their switches paused"},
    {"bit-errors", "mend the links that corrupt frames", "replace ", ", which corrupts frames",
     ", which corrupt frames"}};

/// `a`, `a and b`, `a, b and 3 more`.
std::string joined_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, names.size()); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (names.size() > kMax) text += fmt::format(" and {} more", names.size() - kMax);
  return text;
}

}  // namespace

std::string mending_text(const Degradation& failure) {
  const auto how = std::ranges::find(kMendings, failure.what, &Mending::what);
  if (how == std::end(kMendings)) return {};
  if (failure.names.empty()) return how->unnamed;
  const bool is_one = failure.names.size() == 1;
  return how->verb + joined_names(failure.names) + (is_one ? how->of_one : how->of_several);
}

}  // namespace weft::scenarios
