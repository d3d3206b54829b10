#include "simcore/text/quantity_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "simcore/text/command_line_size.hpp"

namespace weft {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array kTimeUnits{
    Unit{"ps", 1},
    Unit{"ns", 1'000},
    Unit{"us", 1'000'000},
    Unit{"ms", 1'000'000'000},
    Unit{"s", kPicosecondsPerSecond},
};
// Unicode has two letters for micro: the micro sign and the Greek mu.
constexpr std::array kTimeSynonyms{
    Unit{"\xC2\xB5s", 1'000'000},
    Unit{"\xCE\xBCs", 1'000'000},
};
constexpr std::array kByteUnits{
    Unit{"B", 1},
    Unit{"KB", 1'000},
    Unit{"KiB", 1'024},
    Unit{"MB", 1'000'000},
    Unit{"MiB", 1'048'576},
    Unit{"GB", 1'000'000'000},
    Unit{"GiB", 1'073'741'824},
};
/// What nccl-tests reads `-b 1M` as: parsesize() of its common.cu.
constexpr std::array kNcclTestsUnits{
    Unit{"K", 1'024},     Unit{"k", 1'024},         Unit{"M", 1'048'576},
    Unit{"m", 1'048'576}, Unit{"G", 1'073'741'824}, Unit{"g", 1'073'741'824},
};
constexpr std::array kRateUnits{
    Unit{"bps", 1},
    Unit{"Kbps", 1'000},
    Unit{"Mbps", 1'000'000},
    Unit{"Gbps", 1'000'000'000},
    Unit{"Tbps", 1'000'000'000'000},
};
constexpr std::array kLengthUnits{
    Unit{"mm", 1},
    Unit{"cm", 10},
    Unit{"m", 1'000},
    Unit{"km", 1'000'000},
};
constexpr Dimension kTime{"a time", "picoseconds", "1.5us", kTimeUnits, kTimeSynonyms, true};
constexpr Dimension kBytes{"a size", "bytes", "64KiB", kByteUnits, {}, true};
constexpr Dimension kCommandLineBytes{"a size",   "bytes",         "64KiB",
                                      kByteUnits, kNcclTestsUnits, true};
constexpr Dimension kRate{"a rate", "bits per second", "400Gbps", kRateUnits, {}, false};
constexpr Dimension kLength{"a length", "millimetres", "3m", kLengthUnits, {}, false};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// 10^30 fits in 128 bits, and no unit divides further.
constexpr std::size_t kMaxDecimals = 30;

/// A decimal number: mantissa / 10^decimals.
struct Decimal {
  Wide mantissa = 0;
  std::size_t decimals = 0;
  std::string_view rest;  ///< what follows the number
};

/// Nothing if the text does not begin with a number. More digits than 128 bits can hold are
/// reported by `overflow`.
std::optional<Decimal> read_decimal(std::string_view text, bool& overflow) {
  Decimal number;
  std::size_t i = 0;
  bool has_digits = false;
  bool has_point = false;
  const Wide limit = std::numeric_limits<Wide>::max() / 1'000;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !has_point && has_digits) {
      has_point = true;
      continue;
    }
    if (!is_digit(text[i])) break;
    has_digits = true;
    if (number.mantissa > limit || number.decimals >= kMaxDecimals) {
      overflow = true;
      continue;
    }
    number.mantissa = number.mantissa * 10 + static_cast<Wide>(text[i] - '0');
    if (has_point) ++number.decimals;
  }
  if (!has_digits || text[i - 1] == '.') return std::nullopt;
  number.rest = without_spaces(text.substr(i));
  return number;
}

const Unit* find_unit(std::string_view name, const Dimension& dimension) {
  for (const std::span<const Unit> units : {dimension.units, dimension.synonyms}) {
    const auto found = std::ranges::find(units, name, &Unit::name);
    if (found != units.end()) return &*found;
  }
  return nullptr;
}

std::string expectation(const Dimension& dimension) {
  return "expected " + std::string(dimension.name) + " such as " + std::string(dimension.example) +
         " (units: " + dimension.unit_names() + ")";
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// A unit that differs in more than case is another quantity by orders of magnitude: `KiB` is not
/// what `EiB` means.
std::string unknown_unit(std::string_view unit, const Dimension& dimension) {
  std::string hint;
  for (const Unit& u : dimension.units) {
    if (lower(u.name) == lower(unit)) hint = "; did you mean `" + std::string(u.name) + "`?";
  }
  // A letter alone is 1024 for some and 1000 for others.
  const auto letter = std::ranges::find(kNcclTestsUnits, unit, &Unit::name);
  if (&dimension == &kBytes && letter != kNcclTestsUnits.end()) {
    const std::string name(1, static_cast<char>(std::toupper(unit.front())));
    hint = "; did you mean `" + name + "iB`, as nccl-tests does, or `" + name + "B`?";
  }
  return "has the unknown unit `" + std::string(unit) + "`; " + expectation(dimension) + hint;
}

/// number * factor as a whole count.
std::variant<std::int64_t, std::string> scale(const Decimal& number, std::int64_t factor,
                                              const Dimension& dimension) {
  const std::string too_large = "is too large; at most " +
                                quantity_text(std::numeric_limits<std::int64_t>::max(), dimension) +
                                " can be counted";
  Wide divisor = 1;
  for (std::size_t i = 0; i < number.decimals; ++i) divisor *= 10;
  const auto wide_factor = static_cast<Wide>(factor);
  if (number.mantissa > std::numeric_limits<Wide>::max() / wide_factor) return too_large;
  const Wide product = number.mantissa * wide_factor;
  if (product % divisor != 0) {
    return "is not a whole number of " + std::string(dimension.base);
  }
  const Wide count = product / divisor;
  if (count > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) return too_large;
  return static_cast<std::int64_t>(count);
}

}  // namespace

template <>
const Dimension& dimension_of<Picoseconds>() {
  return kTime;
}
template <>
const Dimension& dimension_of<Bytes>() {
  return kBytes;
}
template <>
const Dimension& dimension_of<BitsPerSecond>() {
  return kRate;
}
template <>
const Dimension& dimension_of<Millimetres>() {
  return kLength;
}

const Dimension& command_line_size() { return kCommandLineBytes; }

std::string Dimension::unit_names() const {
  std::string names;
  for (const Unit& unit : units) {
    if (!names.empty()) names += ", ";
    names += unit.name;
  }
  return names;
}

std::variant<std::int64_t, std::string> parse_quantity(std::string_view text,
                                                       const Dimension& dimension) {
  text = without_spaces(text);
  if (!text.empty() && text.front() == '-') {
    return "is negative; " + expectation(dimension);
  }
  bool overflow = false;
  const std::optional<Decimal> number = read_decimal(text, overflow);
  if (!number) return "is not " + std::string(dimension.name) + "; " + expectation(dimension);
  if (number->rest.empty()) {
    if (dimension.plain_zero && number->mantissa == 0 && !overflow) return std::int64_t{0};
    return "has no unit; " + expectation(dimension);
  }
  const Unit* unit = find_unit(number->rest, dimension);
  if (unit == nullptr) return unknown_unit(number->rest, dimension);
  if (overflow) return std::string("has too many digits; ") + expectation(dimension);
  return scale(*number, unit->factor, dimension);
}

std::string quantity_text(std::int64_t count, const Dimension& dimension) {
  const Unit& base = dimension.units.front();
  std::string shortest = std::to_string(count) + std::string(base.name);
  if (count == 0) return shortest;
  for (const Unit& unit : dimension.units.subspan(1)) {
    if (count % unit.factor != 0) continue;
    std::string text = std::to_string(count / unit.factor) + std::string(unit.name);
    if (text.size() < shortest.size()) shortest = std::move(text);
  }
  return shortest;
}

}  // namespace weft
