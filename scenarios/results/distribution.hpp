#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::scenarios {

/// p50, p95, p99, p999 and max of some quantity.
struct Percentiles {
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

/// Any number of values from 0 on, in memory that has a bound: some thousands are kept as they are,
/// more are counted in buckets, 4,096 of equal width to a power of two. It knows the same whatever
/// the order in which they came.
class Distribution {
 public:
  /// This many values are kept.
  static constexpr std::size_t kExact = 65'536;

  void add(double value, std::uint64_t times = 1);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// By nearest rank: exact up to kExact values, then within 1/8192 of the value; the greatest is
  /// always exact. All 0 if there is no value.
  [[nodiscard]] Percentiles percentiles() const;

 private:
  void put_in_bucket(double value, std::uint64_t times = 1);

  std::vector<double> values_;  ///< empty once there are buckets
  std::vector<std::uint64_t> buckets_;
  std::uint64_t first_bucket_ = 0;
  std::uint64_t count_ = 0;
  double max_ = 0;
};

}  // namespace weft::scenarios
