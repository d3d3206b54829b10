#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/evidence/measurements.hpp"

namespace weft::evidence {

/// One size in two measurements.
struct BaselineSize {
  std::int64_t bytes = 0;
  double baseline_us = 0;
  double time_us = 0;

  /// How much longer it takes than before: above 1 it is slower.
  [[nodiscard]] double ratio() const { return time_us / baseline_us; }
};

/// The same collective in two measurements.
struct BaselineSeries {
  std::string operation{};
  std::string type{};
  std::string reduction{};
  std::optional<std::int32_t> root{};
  bool in_place = false;
  bool is_upper_bound = false;
  std::uint32_t ranks = 0;
  std::vector<BaselineSize> sizes{};          ///< ascending
  std::vector<std::int64_t> only_baseline{};  ///< sizes
  std::vector<std::int64_t> only_now{};

  /// `all-reduce of 32 ranks, float, sum, in place`
  [[nodiscard]] std::string name() const;
};

struct BaselineComparison {
  std::vector<BaselineSeries> series;      ///< by name
  std::vector<std::string> only_baseline;  ///< names of series
  std::vector<std::string> only_now;
};

/// Pairs series of the same operation, type, reduction, root, ranks and placement. Where a
/// measurement has several of them, such as repeated runs, of each size the median counts.
[[nodiscard]] BaselineComparison compare_with_baseline(std::span<const Series> baseline,
                                                       std::span<const Series> now);

/// A table of it: times, and their ratio.
[[nodiscard]] std::string baseline_text(const BaselineComparison& comparison);

}  // namespace weft::evidence
