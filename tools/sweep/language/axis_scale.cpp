#include "tools/sweep/language/axis_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "scenarios/text/plain_number.hpp"

namespace weft::sweep {
namespace {

struct Step {
  std::string_view unit;
  double factor;
};

constexpr std::array<Step, 5> kTimes{
    {{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr std::array<Step, 4> kDecimalBytes{{{"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}};
constexpr std::array<Step, 4> kBinaryBytes{
    {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}}};
constexpr std::array<Step, 4> kRates{{{"bps", 1}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}}};
constexpr std::array<Step, 4> kLengths{{{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"km", 1e3}}};

/// Tics of more digits than this crowd an axis.
constexpr double kMaxDigits = 1e4;

/// The largest unit of which the largest value has at least one and a half; a smaller one if then
/// no value needs decimals, nor more than four digits.
template <std::size_t N>
AxisScale pick(const std::array<Step, N>& steps, double min, double largest) {
  AxisScale scale{steps[0].factor, std::string(steps[0].unit), false};
  for (const Step& step : steps) {
    const bool is_needed = largest / scale.divisor >= kMaxDigits || min >= step.factor;
    if (largest >= 1.5 * step.factor && is_needed) {
      scale = {step.factor, std::string(step.unit), false};
    }
  }
  return scale;
}

bool is_binary(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return std::fmod(v, 1024) == 0; }) &&
         !std::ranges::all_of(values, [](double v) { return std::fmod(v, 1000) == 0; });
}

}  // namespace

std::string AxisScale::text(double value) const {
  return scenarios::plain_number(value / divisor, 4);
}

bool is_geometric(const std::vector<double>& ascending) {
  if (ascending.size() < 3 || ascending.front() <= 0) return false;
  if (ascending.back() / ascending.front() < 4) return false;
  double min_ratio = ascending[1] / ascending[0];
  double largest_ratio = min_ratio;
  double min_gap = ascending[1] - ascending[0];
  double largest_gap = min_gap;
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    const double ratio = ascending[i] / ascending[i - 1];
    const double gap = ascending[i] - ascending[i - 1];
    min_ratio = std::min(min_ratio, ratio);
    largest_ratio = std::max(largest_ratio, ratio);
    min_gap = std::min(min_gap, gap);
    largest_gap = std::max(largest_gap, gap);
  }
  return std::log(largest_ratio) / std::log(min_ratio) < largest_gap / min_gap;
}

AxisScale scale_of(const std::vector<double>& values, const std::string& unit) {
  double largest = 0;
  double min = std::numeric_limits<double>::max();
  for (const double v : values) {
    largest = std::max(largest, std::fabs(v));
    if (v != 0) min = std::min(min, std::fabs(v));
  }
  if (unit == "s") return pick(kTimes, min, largest);
  if (unit == "B")
    return is_binary(values) ? pick(kBinaryBytes, min, largest) : pick(kDecimalBytes, min, largest);
  if (unit == "bit/s") return pick(kRates, min, largest);
  if (unit == "B/s") {
    AxisScale scale = pick(kRates, 8 * min, 8 * largest);
    scale.divisor /= 8;
    return scale;
  }
  if (unit == "m") return pick(kLengths, min, largest);
  return {};
}

}  // namespace weft::sweep
