#include "tools/evidence/nccl_tests/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>

#include "tools/evidence/operations.hpp"

namespace weft::evidence {
namespace {

/// test_opnames, and what stands there where nothing is reduced.
constexpr std::array<std::string_view, 7> kReductions{"sum", "prod", "max",   "min",
                                                      "avg", "none", "mulsum"};

template <class Number>
bool read(std::string_view word, Number& number) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end && !word.empty();
}

/// A number and the unit of its last digit: `35.20` is within 0.01, `1.2e+07` within 1e+06.
std::optional<Printed> printed(const std::string& word) {
  Printed number;
  if (!read(word, number.value) || !std::isfinite(number.value)) return {};
  const std::size_t exponent = word.find_first_of("eE");
  const std::string_view digits = std::string_view(word).substr(0, exponent);
  const std::size_t point = digits.find('.');
  const auto decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
  int power = 0;
  if (exponent != std::string::npos) {
    std::string_view text = std::string_view(word).substr(exponent + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    if (!read(text, power)) return {};
  }
  number.unit = std::pow(10.0, power - static_cast<int>(decimals));
  return number;
}

bool is_quantity(const std::string& word) {
  const std::size_t sign = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
  return word.size() > sign && std::isdigit(static_cast<unsigned char>(word[sign])) != 0;
}

/// Where the type of a row stands; nothing if this is none.
std::optional<std::size_t> type_in_row(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with('#')) return {};
    if (i < 2 || find_type(words[i]) == nullptr) continue;
    if (is_quantity(words[i - 2]) || is_quantity(words[i - 1])) return i;
  }
  return {};
}

std::string problem_of_number(const char* column, const std::string& word) {
  if (word.find(',') != std::string::npos) {
    return fmt::format("{} is `{}`: numbers have a decimal point, and no commas", column, word);
  }
  return fmt::format("{} is `{}`, which is no number", column, word);
}

std::string read_positive(const char* column, const std::string& word, std::int64_t& number) {
  if (!read(word, number)) return problem_of_number(column, word);
  if (number >= 0) return {};
  return fmt::format("{} is {}: it cannot be negative", column, word);
}

/// Whether size / time is algbw as far as they are printed, and a thousandth besides.
bool checks(std::int64_t size, const Printed& time_us, const Printed& printed, double times = 1) {
  constexpr double kSlack = 1e-3;
  const double bytes = static_cast<double>(size) * 1e-3 / times;
  const double shortest = time_us.value - time_us.unit;
  const double min = bytes / (time_us.value + time_us.unit) * (1 - kSlack);
  return printed.value + printed.unit >= min &&
         (shortest <= 0 || printed.value - printed.unit <= bytes / shortest * (1 + kSlack));
}

/// A time and two bandwidths, one after the other.
struct Numbers {
  Printed time_us;
  Printed algorithm_bandwidth;
  Printed bus_bandwidth;
};

/// What is wrong with the numbers of `size` bytes from `place` on.
std::string read_numbers(const std::vector<std::string>& words, std::size_t place,
                         double us_per_time, std::int64_t size, Numbers& numbers) {
  if (words.size() < place + 3) {
    return "has no time, algbw and busbw one after the other: it is cut";
  }
  const std::array<std::pair<const char*, Printed*>, 3> columns{
      {{"time", &numbers.time_us},
       {"algbw", &numbers.algorithm_bandwidth},
       {"busbw", &numbers.bus_bandwidth}}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [column, target] = columns[i];
    const std::string& word = words[place + i];
    const auto number = printed(word);
    if (!number) return problem_of_number(column, word);
    if (number->value < 0) return fmt::format("{} is {}: it cannot be negative", column, word);
    *target = *number;
  }
  if (numbers.time_us.value == 0) return "time is 0: nothing takes no time";
  numbers.time_us.value *= us_per_time;
  numbers.time_us.unit *= us_per_time;
  const auto checks_in = [&numbers, size](double times) {
    return checks(size, numbers.time_us, numbers.algorithm_bandwidth, times);
  };
  if (size == 0 || checks_in(1)) return {};
  constexpr double kThousand = 1000;
  return fmt::format(
      "does not check: {} bytes in {} us are {:.4g} GB/s, and algbw is {}{}", size, words[place],
      static_cast<double>(size) * 1e-3 / numbers.time_us.value, words[place + 1],
      checks_in(kThousand) ? "; times in ms, as versions of 2017 have them, need their header"
                           : "");
}

/// `#wrong` counts; `error` of versions before 2.12 is a deviation, with a point or an exponent.
bool counts_wrong(const std::vector<std::string>& words, std::size_t place) {
  std::int64_t elements = 0;
  return place < words.size() && read(words[place], elements) && elements > 0;
}

/// What stands behind the numbers out of place: as many in place, if these check, too.
void read_in_place(const std::vector<std::string>& words, std::size_t place,
                   const RowLayout& layout, MeasuredRow& row) {
  if (words.size() <= place) return;
  Numbers numbers;
  row.in_place_problem = read_numbers(words, place, layout.us_per_time, row.size, numbers);
  if (!row.in_place_problem.empty()) return;
  row.in_place_us = numbers.time_us;
  row.in_place_algorithm_bandwidth = numbers.algorithm_bandwidth;
  row.in_place_bus_bandwidth = numbers.bus_bandwidth;
  if (layout.wrong > 0 && counts_wrong(words, place + layout.wrong)) row.has_wrong_data = true;
}

/// Where times may begin, behind type and redop: a whole number is a root, or the time of a row
/// without one.
std::vector<std::size_t> possible_starts(const std::vector<std::string>& words, std::size_t place,
                                         const RowLayout& layout) {
  std::int32_t root = 0;
  const bool may_have_root =
      (layout.line == 0 || layout.has_root) && place < words.size() && read(words[place], root);
  std::vector<std::size_t> starts;
  if (may_have_root) starts.push_back(place + 1);
  if (!may_have_root || root > 0) starts.push_back(place);
  return starts;
}

}  // namespace

std::int64_t MeasuredRow::parts() const {
  const std::int64_t part = count * element;
  return part > 0 && size % part == 0 ? size / part : 0;
}

std::vector<std::string> words_of(std::string_view line) {
  constexpr std::size_t kMaxTag = 64;
  constexpr std::string_view kBlanks = " \t\v\f\r";
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"}) {
    if (const auto at = line.rfind(stream); at != std::string_view::npos) {
      line.remove_prefix(at + stream.size());
    }
  }
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // byte-order mark of files put together
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '[') {
      const std::string_view tag = line.substr(i, kMaxTag);
      const std::size_t end = tag.find(']');
      if (end != tag.npos && tag.substr(0, end).find(' ') == tag.npos) {
        text += ' ';
        i += end;
        continue;
      }
    }
    text += line[i];
  }
  std::vector<std::string> words;
  for (std::size_t begin = text.find_first_not_of(kBlanks); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::optional<RowLayout> read_header(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 3> kNames{"size", "count", "type"};
  constexpr std::array<std::string_view, 3> kNamesOf2017{"bytes", "N", "type"};
  RowLayout layout;
  auto at = std::ranges::search(words, kNames).begin();
  if (at == words.end()) {
    at = std::ranges::search(words, kNamesOf2017).begin();
    layout.is_of_2017 = true;
    layout.us_per_time = 1000;
  }
  if (at == words.end()) return {};
  layout.wrong = 0;
  layout.in_place = 0;
  const std::vector<std::string> names(at, words.end());
  std::optional<std::size_t> first;
  for (std::size_t i = kNames.size(); i < names.size(); ++i) {
    const bool is_cpu = names[i] == "cputime";
    if (!first && (names[i] == "redop" || names[i] == "op")) layout.has_redop = true;
    if (!first && names[i] == "root") layout.has_root = true;
    if (first && names[i] == "#wrong" && layout.wrong == 0) layout.wrong = i - *first;
    if (names[i] != "time" && !is_cpu) continue;
    if (is_cpu) layout.is_cpu_time = true;
    if (!first) {
      first = i;
    } else if (layout.in_place == 0) {
      layout.in_place = i - *first;
    }
  }
  layout.fields = names.size();
  return first ? std::optional(layout) : std::nullopt;
}

bool looks_like_row(const std::vector<std::string>& words) {
  return type_in_row(words).has_value();
}

std::string read_row(const std::vector<std::string>& words, const RowLayout& layout,
                     MeasuredRow& row) {
  const std::size_t type = type_in_row(words).value();
  row.fields = words.size() - (type - 2);
  if (auto wrong = read_positive("size", words[type - 2], row.size); !wrong.empty()) return wrong;
  if (auto wrong = read_positive("count", words[type - 1], row.count); !wrong.empty()) return wrong;
  if (row.size == 0 && row.count > 0) return "size is 0";
  row.type = words[type];
  row.kind = row.type;
  row.element = find_type(row.type)->bytes;
  std::size_t place = type + 1;
  const bool may_reduce = layout.line == 0 || layout.has_redop;
  if (may_reduce && place < words.size() &&
      std::ranges::find(kReductions, words[place]) != kReductions.end()) {
    row.redop = words[place++];
    row.kind += " " + row.redop;
  }
  std::string problem;
  for (const std::size_t start : possible_starts(words, place, layout)) {
    Numbers numbers;
    const std::string wrong = read_numbers(words, start, layout.us_per_time, row.size, numbers);
    if (problem.empty()) problem = wrong;
    if (!wrong.empty()) continue;
    row.time_us = numbers.time_us;
    row.algorithm_bandwidth = numbers.algorithm_bandwidth;
    row.bus_bandwidth = numbers.bus_bandwidth;
    if (start > place) {
      row.kind += " " + words[place];
      std::int32_t root = -1;
      if (read(words[place], root) && root >= 0) row.root = root;
    }
    // Words of redop and root may be blank.
    const std::size_t blank = (layout.has_redop && row.redop.empty() ? 1 : 0) +
                              (layout.has_root && start == place ? 1 : 0);
    row.is_incomplete = row.fields + blank < layout.fields;
    if (layout.wrong > 0) row.has_wrong_data = counts_wrong(words, start + layout.wrong);
    if (layout.in_place > 0) read_in_place(words, start + layout.in_place, layout, row);
    return {};
  }
  row.is_incomplete = row.fields < layout.fields;
  return problem;
}

}  // namespace weft::evidence
