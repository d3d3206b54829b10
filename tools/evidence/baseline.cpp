#include "tools/evidence/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace weft::evidence {
namespace {

using CurveKey = std::tuple<std::string, std::string, std::string, std::optional<std::int32_t>,
                            std::uint32_t, bool, bool>;
using Curve = std::map<std::int64_t, double>;

std::map<CurveKey, Curve> curves_of(std::span<const Series> all) {
  std::map<CurveKey, std::map<std::int64_t, std::vector<double>>> times;
  for (const Series& series : all) {
    auto& curve = times[{series.operation, series.type, series.reduction, series.root,
                         series.on.ranks, series.in_place, series.is_upper_bound}];
    for (const MeasuredTime& time : series.times) curve[time.bytes].push_back(time.time_us);
  }
  std::map<CurveKey, Curve> curves;
  for (auto& [key, sizes] : times) {
    Curve& curve = curves[key];
    for (auto& [bytes, samples] : sizes) {
      std::ranges::sort(samples);
      curve[bytes] = samples[(samples.size() - 1) / 2];
    }
  }
  return curves;
}

BaselineSeries empty_series(const CurveKey& key) {
  BaselineSeries series;
  std::tie(series.operation, series.type, series.reduction, series.root, series.ranks,
           series.in_place, series.is_upper_bound) = key;
  return series;
}

BaselineSeries compared(const CurveKey& key, const Curve& before, const Curve& now) {
  BaselineSeries series = empty_series(key);
  std::set<std::int64_t> sizes;
  for (const auto& [bytes, time] : before) sizes.insert(bytes);
  for (const auto& [bytes, time] : now) sizes.insert(bytes);
  for (const std::int64_t bytes : sizes) {
    const auto a = before.find(bytes);
    const auto b = now.find(bytes);
    if (b == now.end()) {
      series.only_baseline.push_back(bytes);
    } else if (a == before.end()) {
      series.only_now.push_back(bytes);
    } else {
      series.sizes.push_back({bytes, a->second, b->second});
    }
  }
  return series;
}

std::string size_list(const std::vector<std::int64_t>& sizes) {
  constexpr std::size_t kMaxSizes = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaxSizes, sizes.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  }
  return sizes.size() > kMaxSizes ? text + ", ..." : text;
}

}  // namespace

std::string BaselineSeries::name() const {
  std::string text = operation;
  if (ranks > 0) text += fmt::format(" of {} ranks", ranks);
  if (!type.empty()) text += ", " + type;
  if (!reduction.empty()) text += ", " + reduction;
  if (root) text += fmt::format(", root {}", *root);
  if (in_place) text += ", in place";
  if (is_upper_bound) text += ", upper bounds";
  return text;
}

BaselineComparison compare_with_baseline(std::span<const Series> baseline,
                                         std::span<const Series> now) {
  const std::map<CurveKey, Curve> before = curves_of(baseline);
  const std::map<CurveKey, Curve> after = curves_of(now);
  BaselineComparison comparison;
  for (const auto& [key, curve] : before) {
    const auto other = after.find(key);
    if (other == after.end()) {
      comparison.only_baseline.push_back(empty_series(key).name());
    } else {
      comparison.series.push_back(compared(key, curve, other->second));
    }
  }
  for (const auto& [key, curve] : after) {
    if (!before.contains(key)) comparison.only_now.push_back(empty_series(key).name());
  }
  return comparison;
}

std::string baseline_text(const BaselineComparison& comparison) {
  std::string text;
  for (const BaselineSeries& series : comparison.series) {
    text += fmt::format("{}\n{:>14}  {:>12}  {:>12}  {:>6}\n", series.name(), "bytes",
                        "baseline us", "now us", "ratio");
    for (const BaselineSize& size : series.sizes) {
      text += fmt::format("{:>14}  {:>12.2f}  {:>12.2f}  {:>6.2f}\n", size.bytes, size.baseline_us,
                          size.time_us, size.ratio());
    }
    if (!series.only_baseline.empty()) {
      text += "  only in the baseline: " + size_list(series.only_baseline) + "\n";
    }
    if (!series.only_now.empty()) text += "  only now: " + size_list(series.only_now) + "\n";
  }
  for (const std::string& name : comparison.only_baseline) {
    text += "only in the baseline: " + name + "\n";
  }
  for (const std::string& name : comparison.only_now) text += "only now: " + name + "\n";
  return text;
}

}  // namespace weft::evidence
