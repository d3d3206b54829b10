#include "scenarios/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "scenarios/text/plain_number.hpp"
#include "simcore/base/escape.hpp"
#include "simcore/text/counted.hpp"

namespace weft::scenarios {
namespace {

struct NamedScale {
  double scale;
  const char* name;
};

/// The largest unit that leaves at least 1, or the smallest there is.
std::string scaled(double value, std::span<const NamedScale> units, int digits = 4) {
  const NamedScale* unit = &units.back();
  for (const NamedScale& u : units) {
    if (std::abs(value) >= u.scale * 0.9995) {
      unit = &u;
      break;
    }
  }
  if (value == 0) return fmt::format("0 {}", units.back().name);
  return plain_number(value / unit->scale, digits) + " " + unit->name;
}

}  // namespace

std::string format_time(double seconds) {
  constexpr std::array<NamedScale, 6> kUnits{
      {{3600, "h"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}}};
  return scaled(seconds, kUnits);
}

std::string format_bytes(double bytes) {
  constexpr std::array<NamedScale, 5> kUnits{{{1099511627776.0, "TiB"},
                                              {1073741824.0, "GiB"},
                                              {1048576.0, "MiB"},
                                              {1024.0, "KiB"},
                                              {1, "B"}}};
  return scaled(bytes, kUnits);
}

std::string format_rate(double bits_per_second) {
  constexpr std::array<NamedScale, 6> kUnits{
      {{1e15, "Pbps"}, {1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "Kbps"}, {1, "bps"}}};
  return scaled(bits_per_second, kUnits);
}

std::string format_tokens(double per_second) {
  constexpr std::array<NamedScale, 4> kUnits{
      {{1e9, "G tokens/s"}, {1e6, "M tokens/s"}, {1e3, "k tokens/s"}, {1, "tokens/s"}}};
  return scaled(per_second, kUnits, 3);
}

std::string format_dollars(double dollars) { return "$" + plain_number(dollars, 4); }

std::string format_share(double share) {
  const char* const sign = share < 0 ? "-" : "";
  const double percent = std::abs(100 * share);
  if (percent == 0) return "0 %";
  if (percent < 0.1) return share < 0 ? "> -0.1 %" : "< 0.1 %";
  if (percent < 0.995) return sign + plain_number(percent, 2) + " %";
  return fmt::format("{}{:.1f} %", sign, percent);
}

std::string format_count(std::int64_t count) { return weft::format_count(count); }

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = escaped(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::to_string(const std::string& indent) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = indent + fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) line += fmt::format("  {:>{}}", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace weft::scenarios
