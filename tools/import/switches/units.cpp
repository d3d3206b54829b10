#include "tools/import/switches/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simcore/text/quantity_text.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::import {
namespace {

constexpr std::array<std::uint64_t, 11> kEthernetMegabits{
    1'000, 2'500, 5'000, 10'000, 25'000, 40'000, 50'000, 100'000, 200'000, 400'000, 800'000};
constexpr std::uint64_t kFastestMegabits = 1'600'000;

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(without_blanks(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::set<std::uint32_t>> number_set(std::string_view text, std::uint32_t max) {
  std::set<std::uint32_t> numbers;
  for (const std::string_view part : split(text, ',')) {
    const auto range = parse_range(part);
    if (!range || range->first > range->second || range->second > max) return std::nullopt;
    for (std::uint64_t n = range->first; n <= range->second; ++n) {
      numbers.insert(static_cast<std::uint32_t>(n));
    }
  }
  return numbers;
}

std::string set_text(const std::set<std::uint32_t>& numbers) {
  std::string text;
  for (auto it = numbers.begin(); it != numbers.end();) {
    const std::uint32_t first = *it;
    std::uint32_t last = first;
    while (++it != numbers.end() && *it == last + 1) last = *it;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last != first) text += fmt::format("-{}", last);
  }
  return text.empty() ? "none" : text;
}

std::optional<BitsPerSecond> ethernet_rate(std::uint64_t megabits_per_second) {
  if (megabits_per_second != kFastestMegabits &&
      std::ranges::find(kEthernetMegabits, megabits_per_second) == kEthernetMegabits.end()) {
    return std::nullopt;
  }
  return BitsPerSecond(static_cast<std::int64_t>(megabits_per_second) * 1'000'000);
}

std::string no_ethernet_rate(std::uint64_t megabits_per_second) {
  constexpr std::uint64_t kTwoBytes = 65'536;
  std::string text = fmt::format("speed {} is no Ethernet rate in Mb/s", megabits_per_second);
  if (megabits_per_second <= kFastestMegabits / 1000 && ethernet_rate(megabits_per_second * 1000)) {
    return text + fmt::format("; {0}000 ({0} Gb/s) meant?", megabits_per_second);
  }
  if (megabits_per_second == kTwoBytes - 1) {
    return text + "; 65535 is the largest number of two bytes: a value was cut";
  }
  for (const std::uint64_t rate : kEthernetMegabits) {
    if (rate >= kTwoBytes && rate % kTwoBytes == megabits_per_second) {
      return text + fmt::format("; it is {} mod 65,536: {} cut to two bytes?", rate, rate);
    }
  }
  return text +
         "; expected 1000, 2500, 5000, 10000, 25000, 40000, 50000, 100000, 200000, 400000, "
         "800000 or 1600000";
}

std::string text_of(BitsPerSecond rate) {
  return quantity_text(rate.count(), dimension_of<BitsPerSecond>());
}

std::string text_of(Millimetres length) {
  return quantity_text(length.count(), dimension_of<Millimetres>());
}

std::string text_of(Bytes bytes) {
  std::string digits = std::to_string(bytes.count());
  for (std::size_t i = digits.size(); i > 3 && digits[i - 4] != '-';) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits + " B";
}

}  // namespace weft::import
