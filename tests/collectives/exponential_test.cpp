#include "collectives/jitter/exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "simcore/base/random.hpp"

namespace weft::collectives {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

/// -ln((bits + 1) / 2^64) by the C library, in extended precision; near u = 1 by log1p, where the
/// logarithm of the quotient would have no correct digits.
long double reference(std::uint64_t bits) {
  const auto missing = static_cast<long double>(kMax - bits);
  const long double two_to_64 = std::ldexp(1.0L, 64);
  if (missing < std::ldexp(1.0L, 60)) return -std::log1p(-missing / two_to_64);
  return -std::log((static_cast<long double>(bits) + 1) / two_to_64);
}

void expect_close(std::uint64_t bits) {
  const long double exact = reference(bits);
  const long double value = std::ldexp(static_cast<long double>(negative_log(bits)), -58);
  // Claimed: off by less than 2^-56, which is 1e-9 of every value from 1.4e-8 on. 2^-57 more for
  // the reference's own error.
  EXPECT_NEAR(static_cast<double>(value - exact), 0, std::ldexp(1.5, -56)) << bits;
  if (exact > 1.4e-8L) {
    EXPECT_LT(std::fabs(value - exact), 1e-9L * exact) << bits;
  }
}

TEST(Exponential, NegativeLogAgreesWithTheLibraryToOneInABillion) {
  const RandomStream random(7, Purpose::kTestScenario, 0);
  for (std::uint64_t i = 0; i < 50'000; ++i) expect_close(random.bits(i));
}

TEST(Exponential, NegativeLogHoldsAtEveryPowerOfTwo) {
  for (unsigned shift = 0; shift < 64; ++shift) {
    const std::uint64_t power = std::uint64_t{1} << shift;
    for (const std::uint64_t bits : {power - 1, power, power + 1, kMax - power, kMax - power + 1}) {
      expect_close(bits);
    }
  }
}

TEST(Exponential, TheMostIsNoLessAndBelowTwiceTheMeanMore) {
  const RandomStream random(8, Purpose::kTestScenario, 0);
  const auto expect_max = [](Picoseconds mean, std::uint64_t bits) {
    EXPECT_GE(max_exponential(mean, bits), exponential(mean, bits)) << bits;
    EXPECT_LE(max_exponential(mean, bits), exponential(mean, bits) + 2 * mean) << bits;
  };
  for (const Picoseconds mean : {Picoseconds(1), Picoseconds(1'000'003), Picoseconds::max() / 64}) {
    for (std::uint64_t i = 0; i < 1000; ++i) expect_max(mean, random.bits(i));
    for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{1}, kMax - 1, kMax}) {
      expect_max(mean, bits);
    }
  }
}

// u = 2^-k has the logarithm k ln 2; the first 58 fractional bits of ln 2 are 0x2c5c85fdf473de6.
// The constant is cut off at 64 bits, so the k-fold is at most 1 unit low.
TEST(Exponential, PowersOfTwoGiveMultiplesOfLogTwo) {
  for (std::uint64_t k = 1; k <= 64; ++k) {
    const std::uint64_t bits = k == 64 ? 0 : (std::uint64_t{1} << (64 - k)) - 1;
    __extension__ using Wide = unsigned __int128;
    const auto expected = static_cast<std::uint64_t>((Wide{k} * 0xb17217f7d1cf79abULL) >> 6U);
    EXPECT_EQ(negative_log(bits), expected) << k;
  }
  EXPECT_EQ(negative_log(kMax), 0U);
}

TEST(Exponential, IsMonotonous) {
  std::uint64_t last = kMax;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t value = negative_log(i * (kMax / 100'000));
    EXPECT_LE(value, last);
    last = value;
  }
}

// n exponential variates of mean m have a mean of m +- m / sqrt(n), and 1/e of them exceed m, with
// standard deviation sqrt(p (1 - p) / n). Three of each.
TEST(Exponential, HasItsMeanAndItsTail) {
  constexpr int kDraws = 100'000;
  const RandomStream random(11, Purpose::kTestScenario, 1);
  double sum = 0;
  int above = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Picoseconds gap = exponential(1_us, random.bits(static_cast<std::uint64_t>(i)));
    sum += static_cast<double>(gap.count());
    above += gap > 1_us ? 1 : 0;
  }
  const double p = std::exp(-1.0);
  EXPECT_NEAR(sum / kDraws, 1e6, 3 * 1e6 / std::sqrt(kDraws));
  EXPECT_NEAR(above / double{kDraws}, p, 3 * std::sqrt(p * (1 - p) / kDraws));
}

TEST(Exponential, OfNoMeanIsZero) { EXPECT_EQ(exponential(0_ps, 12345), 0_ps); }

}  // namespace
}  // namespace weft::collectives
