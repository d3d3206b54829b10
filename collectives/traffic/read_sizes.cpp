#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/traffic/size_distribution.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::collectives {

namespace {

using Point = SizeDistribution::Point;

constexpr std::size_t kMaxPoints = 100'000;
/// Digits of a percentage behind its point that a part of kWhole is fine enough for.
constexpr std::size_t kMaxDigits = 7;

std::string_view take_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\r,";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  std::uint32_t digits = 0;
  std::int64_t number = 0;
  for (const char c : word) {
    if (c < '0' || c > '9' || ++digits > 15) return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return digits > 0 ? std::optional(number) : std::nullopt;
}

/// A percentage in parts of kWhole, without the rounding of binary fractions.
std::optional<std::int64_t> parts_of(std::string_view word) {
  const std::size_t point = std::min(word.find('.'), word.size());
  const std::optional<std::int64_t> whole = whole_number(word.substr(0, point));
  std::string behind(word.substr(std::min(point + 1, word.size())));
  while (behind.size() > kMaxDigits && behind.back() == '0') behind.pop_back();
  if (!whole || *whole > 100 || behind.size() > kMaxDigits) return std::nullopt;
  behind.resize(kMaxDigits, '0');
  const std::optional<std::int64_t> fraction = whole_number(behind);
  if (!fraction) return std::nullopt;
  return *whole * (SizeDistribution::kWhole / 100) + *fraction;
}

std::optional<Point> point_of(std::string_view line, std::string& problem) {
  const std::string_view size = take_word(line);
  const std::string_view percent = take_word(line);
  const std::optional<std::int64_t> bytes = whole_number(size);
  const std::optional<std::int64_t> parts = parts_of(percent);
  if (!bytes) {
    problem = backquoted(size) + " is no size in bytes";
  } else if (!parts) {
    problem = backquoted(percent) + " is no percentage from 0 to 100 of up to seven decimals";
  } else if (!take_word(line).empty()) {
    problem = "has more than bytes and a percentage";
  } else {
    return Point{Bytes(*bytes), *parts};
  }
  return std::nullopt;
}

}  // namespace

Result<SizeDistribution> parse_size_distribution(std::string_view text, const std::string& file) {
  std::vector<Point> points;
  int number = 0;
  const auto fail = [&](std::string message) {
    return Error{std::move(message), {file, number, 1, {}}};
  };
  while (!text.empty()) {
    std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    std::string_view rest = line;
    if (take_word(rest).empty()) continue;
    std::string problem;
    const std::optional<Point> point = point_of(line, problem);
    if (!point) return fail(std::move(problem));
    if (points.size() == kMaxPoints) {
      return fail("has more than " + std::to_string(kMaxPoints) + " points");
    }
    points.push_back(*point);
  }
  if (std::string problem = SizeDistribution::problem_of(points); !problem.empty()) {
    return fail(std::move(problem));
  }
  return SizeDistribution(std::move(points));
}

}  // namespace weft::collectives
