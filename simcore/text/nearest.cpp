#include "simcore/text/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t kEdit = 2;  // costs are counted in halves
constexpr std::size_t kCase = 1;
constexpr std::size_t kMaxLength = 64;  // longer names are not typing errors of ours
constexpr std::size_t kMaxListed = 40;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::size_t replacement_cost(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? kCase : kEdit;
}

/// Two letters in the wrong order are one slip: the distance is that of optimal string alignment.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  ///< of two letters less of `a`
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j * kEdit;
  for (std::size_t i = 0; i < a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = (i + 1) * kEdit;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] =
          std::min({last[j] + replacement_cost(a[i], b[j]), row[j] + kEdit, last[j + 1] + kEdit});
      const bool is_swapped =
          i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] && a[i] != b[j];
      if (is_swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + kEdit);
    }
  }
  return row.back();
}

/// Whether `name` is a word of the key `candidate`: `rate` of `bit_error_rate`. Names of parts have
/// hyphens, and who reads them lists all that contain a word.
bool is_word_of(std::string_view name, std::string_view candidate) {
  constexpr std::size_t kMinLength = 3;
  const std::size_t at = candidate.find(name);
  if (name.size() < kMinLength || at == candidate.npos) return false;
  const auto is_end = [](char c) { return c == '_' || c == '.'; };
  const std::size_t end = at + name.size();
  return (at == 0 || is_end(candidate[at - 1])) &&
         (end == candidate.size() || is_end(candidate[end]));
}

}  // namespace

const std::string* nearest(std::string_view name, std::span<const std::string> candidates) {
  if (name.empty() || name.size() > kMaxLength) return nullptr;
  std::size_t best = std::numeric_limits<std::size_t>::max();
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(name, candidate);
    if (d >= best) continue;
    best = d;
    found = &candidate;
  }
  if (found == nullptr) return nullptr;
  // Whoever says `rate` means `bit_error_rate` rather than `at`.
  const auto whole = std::ranges::find_if(
      candidates, [name](const std::string& candidate) { return is_word_of(name, candidate); });
  if (best > kEdit && whole != candidates.end()) return &*whole;
  // Half of the longer name may be wrong; beyond that a suggestion misleads.
  return best <= std::max(name.size(), found->size()) * kEdit / 2 ? found : nullptr;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string* found = nearest(name, candidates);
  return found == nullptr ? std::string() : "; did you mean `" + *found + "`?";
}

std::string listing(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ", ";
    if (i == kMaxListed) return text + "...";
    text += names[i];
  }
  return text;
}

}  // namespace weft
