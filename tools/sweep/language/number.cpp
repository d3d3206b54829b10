#include "tools/sweep/language/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <variant>

#include "simcore/base/units.hpp"

namespace weft::sweep {
namespace {

struct Scale {
  const Dimension* dimension;
  const char* unit;
  double per_unit;  ///< base units in one SI unit
};

std::array<Scale, 4> scales() {
  return {{{&dimension_of<Picoseconds>(), "s", 1e12},
           {&dimension_of<Bytes>(), "B", 1},
           {&dimension_of<BitsPerSecond>(), "bit/s", 1},
           {&dimension_of<Millimetres>(), "m", 1e3}}};
}

}  // namespace

std::string Number::unit() const {
  for (const Scale& scale : scales()) {
    if (scale.dimension == dimension) return scale.unit;
  }
  return {};
}

double to_si(std::int64_t count, const Dimension& dimension) {
  for (const Scale& scale : scales()) {
    if (scale.dimension == &dimension) return static_cast<double>(count) / scale.per_unit;
  }
  return static_cast<double>(count);
}

std::optional<Number> parse_number(std::string_view text) {
  Number number;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number.value);
  if (error == std::errc() && stop == end) {
    if (!std::isfinite(number.value)) return std::nullopt;
    return number;
  }
  for (const Scale& scale : scales()) {
    const auto parsed = parse_quantity(text, *scale.dimension);
    if (const auto* count = std::get_if<std::int64_t>(&parsed)) {
      return Number{to_si(*count, *scale.dimension), scale.dimension, *count};
    }
  }
  return std::nullopt;
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

double round_to(double value, int digits) {
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*e", digits - 1, value);
  return std::strtod(buffer.data(), nullptr);
}

}  // namespace weft::sweep
