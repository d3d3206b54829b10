#include "simcore/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace weft {
namespace {

// The known answers that ship with Random123 (kat_vectors, philox4x32, 10 rounds). They are checked
// when the test is compiled: the generator is constexpr.
static_assert(philox::generate({0, 0, 0, 0}, {0, 0}) ==
              philox::Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox::generate({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                               {0xffffffff, 0xffffffff}) ==
              philox::Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox::generate({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                               {0xa4093822, 0x299f31d0}) ==
              philox::Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

// Chi-square of counts over equally likely cells. With 255 degrees of freedom the mean is 255 and
// the standard deviation sqrt(510) = 22.6; the 0.0005 and 0.9995 quantiles (Wilson-Hilferty) are
// 187 and 336. Both sides matter: a generator that fills its cells too evenly is no better.
constexpr double kLow255 = 187;
constexpr double kHigh255 = 336;

double chi_square(const std::vector<std::uint32_t>& cells, double expected) {
  double sum = 0;
  for (const std::uint32_t observed : cells) {
    const double difference = static_cast<double>(observed) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

// Joint distribution of the upper four bits of two streams: 256 equally likely cells if
// independent.
double joint_chi_square(const RandomStream& a, const RandomStream& b, std::uint64_t offset) {
  constexpr std::uint64_t kDraws = 1 << 16;
  std::vector<std::uint32_t> cells(256);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    ++cells[(a.bits(i) >> 60U << 4U) | (b.bits(i + offset) >> 60U)];
  }
  return chi_square(cells, kDraws / 256.0);
}

TEST(RandomStream, EveryByteIsUniform) {
  constexpr std::uint64_t kDraws = 1 << 16;
  const RandomStream stream(1, Purpose::kArrival, 7);
  for (unsigned byte = 0; byte < 8; ++byte) {
    std::vector<std::uint32_t> cells(256);
    for (std::uint64_t i = 0; i < kDraws; ++i) ++cells[(stream.bits(i) >> (8 * byte)) & 0xffU];
    const double statistic = chi_square(cells, kDraws / 256.0);
    EXPECT_GT(statistic, kLow255) << "byte " << byte;
    EXPECT_LT(statistic, kHigh255) << "byte " << byte;
  }
}

TEST(RandomStream, FirstDrawsOfManyEntitiesAreUniform) {
  // The engine's usual pattern: a few draws from each of many ports or ranks.
  constexpr std::uint64_t kEntities = 1 << 16;
  std::vector<std::uint32_t> cells(256);
  for (std::uint64_t entity = 0; entity < kEntities; ++entity) {
    ++cells[RandomStream(1, Purpose::kEcnMark, entity).bits32(0) >> 24U];
  }
  const double statistic = chi_square(cells, kEntities / 256.0);
  EXPECT_GT(statistic, kLow255);
  EXPECT_LT(statistic, kHigh255);
}

TEST(RandomStream, NeighboursAreIndependent) {
  const RandomStream base(1, Purpose::kEcnMark, 0);
  const struct {
    const char* what;
    RandomStream other;
    std::uint64_t offset;
  } cases[] = {
      {"next entity", RandomStream(1, Purpose::kEcnMark, 1), 0},
      {"far entity", RandomStream(1, Purpose::kEcnMark, std::uint64_t{1} << 32U), 0},
      {"next purpose", RandomStream(1, Purpose::kStartJitter, 0), 0},
      {"next seed", RandomStream(2, Purpose::kEcnMark, 0), 0},
      {"far seed", RandomStream((std::uint64_t{1} << 32U) + 1, Purpose::kEcnMark, 0), 0},
      {"next counter", base, 1},
      {"far counter", base, std::uint64_t{1} << 32U},
  };
  for (const auto& [what, other, offset] : cases) {
    const double statistic = joint_chi_square(base, other, offset);
    EXPECT_GT(statistic, kLow255) << what;
    EXPECT_LT(statistic, kHigh255) << what;
  }
}

TEST(RandomStream, DistinctKeysGiveDistinctNumbers) {
  // 4 seeds x 4 purposes x 8 entities x 8 counters = 1024 draws of 64 bits: a collision by chance
  // has probability 2^20 / 2^65, so one means that part of the key is ignored.
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32U, ~0ULL}) {
    for (const Purpose purpose :
         {Purpose::kEcnMark, Purpose::kStartJitter, Purpose::kPermutation, Purpose::kPlacement}) {
      for (std::uint64_t entity = 0; entity < 8; ++entity) {
        for (std::uint64_t counter = 0; counter < 8; ++counter) {
          seen.insert(RandomStream(seed, purpose, entity).bits(counter));
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 1024U);
}

TEST(RandomStream, Bits32IsTheLowerHalfOfBits) {
  const RandomStream stream(3, Purpose::kPlacement, 9);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(stream.bits32(i), static_cast<std::uint32_t>(stream.bits(i)));
  }
}

TEST(RandomStream, BelowIsUniformWhereTheRangeIsNoPowerOfTwo) {
  // Three cells: 2 degrees of freedom, where P(chi-square > x) = exp(-x / 2): 0.001 at 13.8.
  constexpr std::uint64_t kDraws = 300'000;
  const RandomStream stream(5, Purpose::kDestination, 0);
  std::vector<std::uint32_t> cells(3);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++cells.at(stream.below(i, 3));
  EXPECT_LT(chi_square(cells, kDraws / 3.0), 13.8);
}

TEST(RandomStream, BelowStaysInRange) {
  const RandomStream stream(5, Purpose::kDestination, 1);
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t greatest = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(stream.below(i, 1), 0U);
    EXPECT_LT(stream.below(i, 7), 7U);
    greatest = std::max(greatest, stream.below(i, kHuge));
  }
  // Of 1000 draws the greatest is below 0.98 of the range with probability 0.98^1000 = 2e-9.
  EXPECT_GT(greatest, kHuge / 100 * 98);
}

}  // namespace
}  // namespace weft
