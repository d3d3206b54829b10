#include "protocols/congestion/fixed_point.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace weft::protocols::congestion {
namespace {

using Eighths = Fixed<3>;

static_assert(sizeof(Eighths) == 8 && std::is_trivially_copyable_v<Eighths>);

TEST(FixedPoint, ProductsAndQuotientsAreRoundedTowardsZeroToUnitsOfTheLeft) {
  constexpr Eighths kA = Eighths::from_raw(13);  // 1.625
  constexpr Fixed<1> kHalf = Fixed<1>::one() / 2;
  EXPECT_EQ((kA * kHalf).raw(), 6);
  EXPECT_EQ((Eighths() - kA) * kHalf, Eighths::from_raw(-6));
  EXPECT_EQ((kA / (3 * kHalf)).raw(), 8);  // 8.67
  EXPECT_EQ(Eighths::ratio(2, 3).raw(), 5);
  EXPECT_EQ(10_B * kA, 16_B);  // 16.25
  EXPECT_EQ(10_B / kA, 6_B);   // 6.15
}

// Three units times 5/8, over 2/8, are 7.5 units; rounded before as well they would be 4.
TEST(FixedPoint, ScalingRoundsOnce) {
  EXPECT_EQ(scaled(Eighths::from_raw(3), Eighths::from_raw(5), Eighths::from_raw(2)).raw(), 7);
  EXPECT_EQ(scaled(Eighths::from_raw(13), 5_ns, 4_ns).raw(), 16);
  EXPECT_EQ(scaled(13_B, Eighths::from_raw(5), Eighths::from_raw(4)), 16_B);
  EXPECT_EQ(scaled(13_B, 5_ns, 4_ns), 16_B);
}

TEST(FixedPoint, ProductsDoNotOverflow) {
  using Fine = Fixed<30>;
  const Fine large = Fine::whole(8'000'000'000);
  EXPECT_EQ(large * Fine::whole(1), large);
  EXPECT_EQ(large / large, Fine::one());
}

TEST(FixedPoint, WholeNumbersNextToIt) {
  EXPECT_EQ(Eighths::from_raw(17).floor(), 2);
  EXPECT_EQ(Eighths::from_raw(17).ceil(), 3);
  EXPECT_EQ(Eighths::whole(2).floor(), 2);
  EXPECT_EQ(Eighths::whole(2).ceil(), 2);
  EXPECT_EQ(Eighths::nearest(0.7).raw(), 6);
  EXPECT_EQ(Eighths::from_raw(5).in<5>().raw(), 20);
  EXPECT_EQ(Eighths::from_raw(5).to_double(), 0.625);
}

// Half of what 8 Gbps carry in a microsecond: 500 of 1,000 bytes.
TEST(FixedPoint, ALoadIsTheShareOfWhatTheLinkCarries) {
  EXPECT_EQ(load_of<Fixed<30>>(500_B, 1_us, 8_Gbps), Fixed<30>::one() / 2);
}

}  // namespace
}  // namespace weft::protocols::congestion
