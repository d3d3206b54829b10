#include "scenarios/results/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace weft::scenarios {
namespace {

/// By nearest rank, from all values.
double exact(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<double> draws(std::size_t count) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> of(-12, 3);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(of(random));
  return values;
}

Percentiles percentiles_of(const std::vector<double>& values) {
  Distribution d;
  for (const double value : values) d.add(value);
  EXPECT_EQ(d.count(), values.size());
  return d.percentiles();
}

TEST(Distribution, OfNothingIsZero) { EXPECT_EQ(percentiles_of({}).max, 0); }

TEST(Distribution, OfFewValuesIsExact) {
  for (const std::size_t count : {1U, 2U, 3U, 100U, 999U, 1000U, 1001U, 65'536U}) {
    const std::vector<double> values = draws(count);
    const Percentiles p = percentiles_of(values);
    EXPECT_EQ(p.p50, exact(values, 0.5)) << count;
    EXPECT_EQ(p.p95, exact(values, 0.95)) << count;
    EXPECT_EQ(p.p99, exact(values, 0.99)) << count;
    EXPECT_EQ(p.p999, exact(values, 0.999)) << count;
    EXPECT_EQ(p.max, exact(values, 1)) << count;
  }
}

TEST(Distribution, OfManyValuesIsWithinHalfABucket) {
  const std::vector<double> values = draws(300'000);
  const Percentiles p = percentiles_of(values);
  constexpr double kHalf = 1.0 / 8192;
  EXPECT_NEAR(p.p50 / exact(values, 0.5), 1, kHalf);
  EXPECT_NEAR(p.p95 / exact(values, 0.95), 1, kHalf);
  EXPECT_NEAR(p.p99 / exact(values, 0.99), 1, kHalf);
  EXPECT_NEAR(p.p999 / exact(values, 0.999), 1, kHalf);
  EXPECT_EQ(p.max, exact(values, 1));
}

TEST(Distribution, DoesNotKnowTheOrderOfItsValues) {
  std::vector<double> values = draws(100'000);
  const Percentiles forward = percentiles_of(values);
  std::ranges::reverse(values);
  const Percentiles backward = percentiles_of(values);
  EXPECT_EQ(forward.p50, backward.p50);
  EXPECT_EQ(forward.p999, backward.p999);
}

}  // namespace
}  // namespace weft::scenarios
