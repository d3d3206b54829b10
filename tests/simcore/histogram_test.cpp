#include "simcore/base/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "simcore/base/random.hpp"

namespace weft {
namespace {

// Values whose logarithm is uniform between 1 and 2^62: a random number of random bits.
std::vector<std::int64_t> log_uniform_values(std::uint64_t seed, std::size_t count) {
  const RandomStream stream(seed, Purpose::kTestScenario, 0);
  std::vector<std::int64_t> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t width = 1 + stream.below(2 * i, 62);
    const std::uint64_t top = std::uint64_t{1} << (width - 1);
    values.push_back(static_cast<std::int64_t>(top | (stream.bits(2 * i + 1) & (top - 1))));
  }
  return values;
}

Histogram histogram_of(const std::vector<std::int64_t>& values) {
  Histogram histogram;
  for (const std::int64_t value : values) histogram.add(value);
  return histogram;
}

// Nearest rank by the definition: the ceil(p * n)-th smallest, p given as a fraction of integers.
std::int64_t nearest_rank(std::vector<std::int64_t> values, std::size_t numerator,
                          std::size_t denominator) {
  std::sort(values.begin(), values.end());
  const std::size_t rank = (values.size() * numerator + denominator - 1) / denominator;
  return values[std::max<std::size_t>(rank, 1) - 1];
}

// A bucket [l, l + w) above 127 has w <= l / 64, and the middle is at most (w - 1) / 2 + 1/2 <= w /
// 2 away from any of its values v >= l: the relative error is at most 1/128.
constexpr std::int64_t kInverseError = 128;

TEST(Histogram, QuantilesAreWithinOnePercentFrom1To2To62) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto values = log_uniform_values(seed, 5'000);
    const Histogram histogram = histogram_of(values);
    for (std::size_t per_mille = 0; per_mille <= 1000; per_mille += 7) {
      const std::int64_t exact = nearest_rank(values, per_mille, 1000);
      const std::int64_t reported = histogram.quantile(static_cast<double>(per_mille) / 1000);
      ASSERT_LE(std::abs(reported - exact), exact / kInverseError)
          << "seed " << seed << ", " << per_mille << " per mille of " << exact;
    }
  }
}

TEST(Histogram, EverySingleValueIsReportedWithinItsBucket) {
  // Two other values keep min and max from making the answer exact.
  for (unsigned bit = 0; bit < 62; ++bit) {
    for (const std::int64_t nudge : {-1, 0, 1}) {
      const std::int64_t value = (std::int64_t{1} << bit) + nudge;
      Histogram histogram;
      histogram.add(0);
      histogram.add(value);
      histogram.add(std::numeric_limits<std::int64_t>::max());
      EXPECT_LE(std::abs(histogram.p50() - value), value / kInverseError) << value;
    }
  }
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (std::int64_t value = 0; value <= 100; ++value) histogram.add(value);
  // 101 values: the nearest rank of p is ceil(101 p), and the value of rank r is r - 1.
  EXPECT_EQ(histogram.quantile(0.0), 0);
  EXPECT_EQ(histogram.quantile(0.25), 25);
  EXPECT_EQ(histogram.p50(), 50);
  EXPECT_EQ(histogram.p99(), 99);
  EXPECT_EQ(histogram.p999(), 100);
  EXPECT_EQ(histogram.quantile(1.0), 100);
}

TEST(Histogram, NearestRankDoesNotSufferFromRoundingOfP) {
  // ceil(0.07 * 100) is 8 in doubles and 7 in truth.
  Histogram histogram;
  for (std::int64_t value = 1; value <= 100; ++value) histogram.add(value);
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(histogram.quantile(percent / 100.0), percent);
  }
}

TEST(Histogram, MinMaxCountAndMeanAreExact) {
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  Histogram histogram;
  for (int i = 0; i < 3; ++i) histogram.add(kGreatest);
  histogram.add(12'345'678'901);
  EXPECT_EQ(histogram.count(), 4U);
  EXPECT_EQ(histogram.min(), 12'345'678'901);
  EXPECT_EQ(histogram.max(), kGreatest);
  EXPECT_EQ(histogram.quantile(0.0), 12'345'678'901);
  EXPECT_EQ(histogram.quantile(1.0), kGreatest);
  // Three times 2^63 needs more than 64 bits; a wrapped sum would be far off.
  EXPECT_NEAR(histogram.mean(), 0.75 * std::ldexp(1.0, 63), std::ldexp(1.0, 33));
}

TEST(Histogram, QuantilesNeverLeaveTheRangeOfTheValues) {
  Histogram histogram;
  for (int i = 0; i < 10; ++i) histogram.add(1'000'001);
  for (const double p : {0.0, 0.1, 0.5, 0.99, 1.0}) EXPECT_EQ(histogram.quantile(p), 1'000'001);
}

TEST(Histogram, MergedPartsEqualTheWholeInAnyOrder) {
  const auto values = log_uniform_values(99, 10'000);
  Histogram parts[3];
  for (std::size_t i = 0; i < values.size(); ++i) parts[i * i % 3].add(values[i]);
  Histogram forwards;
  for (const Histogram& part : parts) forwards.merge(part);
  Histogram backwards;
  for (int i = 2; i >= 0; --i) backwards.merge(parts[i]);
  const Histogram whole = histogram_of(values);
  EXPECT_EQ(forwards, whole);
  EXPECT_EQ(backwards, whole);
  Histogram other = whole;
  other.add(1);
  EXPECT_NE(other, whole);
}

TEST(Histogram, EmptyReportsZeroes) {
  Histogram histogram;
  EXPECT_TRUE(histogram.is_empty());
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_EQ(histogram.p99(), 0);
  EXPECT_EQ(histogram.mean(), 0.0);

  Histogram one;
  one.add(7);
  one.merge(histogram);
  EXPECT_EQ(one.min(), 7);
  one.clear();
  EXPECT_EQ(one, histogram);
}

TEST(Histogram, FitsTheMemoryBudget) { EXPECT_LE(sizeof(Histogram), 40U * 1024); }

}  // namespace
}  // namespace weft
