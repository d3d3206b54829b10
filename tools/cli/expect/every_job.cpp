#include "tools/cli/expect/every_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::cli {
namespace {

constexpr std::string_view kStar = ".*.";
/// What names may leave away.
constexpr std::array<std::string_view, 2> kUnitEnds{"_seconds", "_bytes_per_second"};

/// `jobs` and `jct` of `jobs.*.jct`, with the place of its first letter.
struct Pattern {
  std::size_t place = 0;
  std::string before;
  std::string after;

  [[nodiscard]] std::string with(const std::string& name) const {
    return before + "." + name + "." + after;
  }
};

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._-[]").find(c) != std::string_view::npos;
}

std::vector<Pattern> patterns_in(const std::string& text, std::size_t runs) {
  std::vector<Pattern> all;
  for (std::size_t at = text.find(kStar); at != text.npos; at = text.find(kStar, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
    std::size_t end = at + kStar.size();
    while (end < text.size() && is_of_name(text[end])) ++end;
    Pattern pattern{begin, text.substr(begin, at - begin),
                    text.substr(at + kStar.size(), end - at - kStar.size())};
    // `b.jobs` of the second run.
    const std::string& before = pattern.before;
    const bool has_run = runs > 1 && before.size() > 2 && before[1] == '.' && before[0] >= 'a' &&
                         static_cast<std::size_t>(before[0] - 'a') < runs;
    if (has_run) pattern.before = before.substr(2);
    all.push_back(std::move(pattern));
  }
  return all;
}

/// With its unit, or without.
bool is_known(const std::string& name, const std::set<std::string>& names) {
  return names.contains(name) || std::ranges::any_of(kUnitEnds, [&](std::string_view end) {
           return names.contains(name + std::string(end));
         });
}

/// What of a name stands for `*`, at every place where it can. A name with dots in it is a job's.
std::vector<std::string> candidates_of(const Pattern& pattern,
                                       const std::vector<std::string>& names,
                                       const std::set<std::string>& known) {
  std::vector<std::string> found;
  const std::string begin = pattern.before + ".";
  for (const std::string& name : names) {
    if (!name.starts_with(begin)) continue;
    for (std::size_t dot = name.find('.', begin.size()); dot != name.npos;
         dot = name.find('.', dot + 1)) {
      std::string one = name.substr(begin.size(), dot - begin.size());
      const bool is_one = one.find('.') == one.npos || is_known("jobs." + one + ".jct", known);
      if (is_one && std::ranges::find(found, one) == found.end()) found.push_back(std::move(one));
    }
  }
  return found;
}

std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = text.find(kStar); at != text.npos; at = text.find(kStar, at)) {
    text.replace(at, kStar.size(), "." + name + ".");
  }
  return text;
}

sweep::ExpressionProblem nothing_matches(const Pattern& pattern,
                                         const std::vector<std::string>& some,
                                         const std::vector<std::string>& names) {
  std::string sentence = "no number of summary.json matches " + backquoted(pattern.with("*"));
  if (!some.empty()) {
    const std::string one = pattern.before + "." + some.front() + ".";
    std::vector<std::string> ends;
    for (const std::string& name : names) {
      if (!name.starts_with(one)) continue;
      ends.push_back(pattern.before + std::string(kStar) + name.substr(one.size()));
      for (const std::string_view unit : kUnitEnds) {
        if (name.ends_with(unit))
          ends.push_back(ends.back().substr(0, ends.back().size() - unit.size()));
      }
    }
    sentence += did_you_mean(pattern.with("*"), ends);
  }
  return {.sentence = std::move(sentence), .place = pattern.place};
}

}  // namespace

std::variant<std::vector<std::string>, sweep::ExpressionProblem> of_every_name(
    const std::string& expression, const std::vector<std::string>& names, std::size_t runs) {
  const std::vector<Pattern> patterns = patterns_in(expression, runs);
  if (patterns.empty()) return std::vector<std::string>{expression};
  const std::set<std::string> known(names.begin(), names.end());
  const std::vector<std::string> all = candidates_of(patterns.front(), names, known);
  std::vector<std::string> each;
  for (const std::string& name : all) {
    const bool has_all = std::ranges::all_of(
        patterns, [&](const Pattern& pattern) { return is_known(pattern.with(name), known); });
    if (has_all) each.push_back(with_name(expression, name));
  }
  if (!each.empty()) return each;
  const auto wrong = std::ranges::find_if(patterns, [&](const Pattern& pattern) {
    return std::ranges::none_of(
        all, [&](const std::string& name) { return is_known(pattern.with(name), known); });
  });
  return nothing_matches(wrong == patterns.end() ? patterns.front() : *wrong, all, names);
}

}  // namespace weft::cli
