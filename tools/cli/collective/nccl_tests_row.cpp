#include "tools/cli/collective/nccl_tests_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>

namespace weft::cli {
namespace {

/// Of NVIDIA/nccl-tests, src/common.cu (test_typenames), of all tags, and of RCCL's.
constexpr std::array<std::pair<std::string_view, int>, 16> kTypes{{{"int8", 1},
                                                                   {"uint8", 1},
                                                                   {"int32", 4},
                                                                   {"uint32", 4},
                                                                   {"int64", 8},
                                                                   {"uint64", 8},
                                                                   {"half", 2},
                                                                   {"float", 4},
                                                                   {"double", 8},
                                                                   {"bfloat16", 2},
                                                                   {"f8e4m3", 1},
                                                                   {"f8e5m2", 1},
                                                                   {"fp8_e4m3", 1},
                                                                   {"fp8_e5m2", 1},
                                                                   {"char", 1},
                                                                   {"int", 4}}};
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
std::optional<std::size_t> find_type(const std::vector<std::string>& words) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto known = std::ranges::find(kTypes, std::string_view(words[i]),
                                         &std::pair<std::string_view, int>::first);
    if (known == kTypes.end() || (!is_quantity(words[i - 2]) && !is_quantity(words[i - 1]))) {
      continue;
    }
    const auto comment =
        std::ranges::find_if(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i),
                             [](const std::string& word) { return word.starts_with('#'); });
    if (comment == words.begin() + static_cast<std::ptrdiff_t>(i)) return i;
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

/// What is wrong with the numbers from `place` on, if they are a time and two bandwidths.
std::string read_numbers(const std::vector<std::string>& words, std::size_t place,
                         double us_per_time, MeasuredRow& row) {
  if (words.size() < place + 3)
    return "has no time, algbw and busbw one after the other: it is cut";
  const std::array<std::pair<const char*, Printed*>, 3> columns{
      {{"time", &row.time_us}, {"algbw", &row.algorithm_bandwidth}, {"busbw", &row.bus_bandwidth}}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [column, target] = columns[i];
    const std::string& word = words[place + i];
    const auto number = printed(word);
    if (!number) return problem_of_number(column, word);
    if (number->value < 0) return fmt::format("{} is {}: it cannot be negative", column, word);
    *target = *number;
  }
  if (row.time_us.value == 0) return "time is 0: nothing takes no time";
  row.time_us.value *= us_per_time;
  row.time_us.unit *= us_per_time;
  const auto checks_in = [&row](double times) {
    return checks(row.size, row.time_us, row.algorithm_bandwidth, times);
  };
  if (row.size == 0 || checks_in(1)) return {};
  constexpr double kThousand = 1000;
  return fmt::format(
      "does not check: {} bytes in {} us are {:.4g} GB/s, and algbw is {}{}", row.size,
      words[place], static_cast<double>(row.size) * 1e-3 / row.time_us.value, words[place + 1],
      checks_in(kThousand) ? "; times in ms, as versions of 2017 have them, need their header"
                           : "");
}

/// `#wrong` counts; `error` of versions before 2.12 is a deviation, with a point or an exponent.
bool counts_wrong(const std::vector<std::string>& words, std::size_t place) {
  std::int64_t elements = 0;
  return place < words.size() && read(words[place], elements) && elements > 0;
}

/// What stands behind the numbers out of place: as many in place, if these check, too.
void read_in_place(const std::vector<std::string>& words, std::size_t place, double us_per_time,
                   MeasuredRow& row) {
  if (words.size() < place + 2) return;
  auto time = printed(words[place]);
  const auto bandwidth = printed(words[place + 1]);
  if (!time || !bandwidth || time->value <= 0) return;
  time->value *= us_per_time;
  time->unit *= us_per_time;
  if (!checks(row.size, *time, *bandwidth)) return;
  row.in_place_us = *time;
  row.has_wrong_data = row.has_wrong_data || counts_wrong(words, place + 3);
}

}  // namespace

std::int64_t MeasuredRow::parts() const {
  const std::int64_t part = count * element;
  return part > 0 && size % part == 0 ? size / part : 0;
}

std::vector<std::string> words_of(std::string_view line) {
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"}) {
    if (const auto at = line.rfind(stream); at != std::string_view::npos) {
      line.remove_prefix(at + stream.size());
    }
  }
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_colour = line.substr(i).starts_with("\x1b[");
    if (is_colour || line[i] == '[') {
      const std::size_t end = line.find(is_colour ? 'm' : ']', i);
      const std::string_view tag = line.substr(i, end == line.npos ? end : end - i);
      if (end != line.npos && tag.find(' ') == tag.npos) {
        text += is_colour ? "" : " ";
        i = end;
        continue;
      }
    }
    text += line[i];
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // byte order mark
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

bool looks_like_row(const std::vector<std::string>& words) { return find_type(words).has_value(); }

std::string read_row(const std::vector<std::string>& words, double us_per_time, MeasuredRow& row) {
  const std::size_t type = find_type(words).value();
  if (auto wrong = read_positive("size", words[type - 2], row.size); !wrong.empty()) return wrong;
  if (auto wrong = read_positive("count", words[type - 1], row.count); !wrong.empty()) return wrong;
  if (row.size == 0 && row.count > 0) return "size is 0";
  row.element = std::ranges::find(kTypes, std::string_view(words[type]),
                                  &std::pair<std::string_view, int>::first)
                    ->second;
  row.kind = words[type];
  std::size_t place = type + 1;
  if (place < words.size() && std::ranges::find(kReductions, words[place]) != kReductions.end()) {
    row.redop = words[place++];
    row.kind += " " + row.redop;
  }
  // A whole number is a root, or the time of a row without one.
  std::int64_t root = 0;
  const bool may_have_root = place < words.size() && read(words[place], root);
  std::vector<std::size_t> starts;
  if (may_have_root) starts.push_back(place + 1);
  if (!may_have_root || root > 0) starts.push_back(place);
  std::string problem;
  for (const std::size_t start : starts) {
    const std::string wrong = read_numbers(words, start, us_per_time, row);
    if (wrong.empty()) {
      if (start > place) row.kind += " " + words[place];
      row.has_wrong_data = counts_wrong(words, start + 3);
      read_in_place(words, start + 4, us_per_time, row);
      return {};
    }
    if (problem.empty()) problem = wrong;
  }
  return problem;
}

}  // namespace weft::cli
