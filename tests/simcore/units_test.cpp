#include "simcore/base/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "simcore/base/random.hpp"

namespace weft {
namespace {

__extension__ using Wide = unsigned __int128;

// The wire time t of b bytes at r bits per second is the least integer with t * r >= b * 8 * 10^12:
// rounded up, and exactly so. Both sides are formed in 128 bits (b < 2^40, r < 2^43, so b * 8e12
// stays below 2^83); t itself is below 2^63 for r >= 10^6.
TEST(TransmissionTime, IsTheLeastTimeThatCarriesAllBits) {
  const RandomStream stream(1, Purpose::kTestScenario, 0);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const auto bytes = static_cast<std::int64_t>(stream.below(3 * i, 1ULL << (1 + i % 40)));
    const auto rate =
        static_cast<std::int64_t>(1'000'000 + stream.below(3 * i + 1, 1ULL << (1 + i % 43)));
    const Picoseconds time = transmission_time(Bytes(bytes), BitsPerSecond(rate));
    const Wide needed = static_cast<Wide>(bytes) * 8 * kPicosecondsPerSecond;
    ASSERT_GE(static_cast<Wide>(time.count()) * static_cast<Wide>(rate), needed);
    if (bytes > 0) {
      ASSERT_LT(static_cast<Wide>(time.count() - 1) * static_cast<Wide>(rate), needed);
    } else {
      ASSERT_EQ(time.count(), 0);
    }
  }
}

// 1 byte at 400 Gbps is 8 / 4e11 s = 20 ps exactly; 4158 bytes are 83,160 ps, which truncation to
// nanoseconds would turn into 83 ns. 1 byte at 3 Gbps is 2666.67 ps and rounds up.
TEST(TransmissionTime, KnownValues) {
  EXPECT_EQ(transmission_time(1_B, 400_Gbps), 20_ps);
  EXPECT_EQ(transmission_time(4158_B, 400_Gbps), 83'160_ps);
  EXPECT_EQ(transmission_time(1_B, 3_Gbps), 2'667_ps);
  EXPECT_EQ(transmission_time(3_B, 3_Gbps), 8_ns);
  EXPECT_EQ(transmission_time(0_B, 1_bps), 0_ps);
  // 1 TB at 1 Gbps is 8000 s; b * 8 * 10^12 is 8e24 there and far beyond 64 bits.
  EXPECT_EQ(transmission_time(1'000'000_MB, 1_Gbps), 8'000_s);
}

// bytes_in is floor(t * r / 8e12) and so undoes transmission_time as long as the time of one byte
// is at least a picosecond, r <= 8 Tbps: the rounding up adds less than one byte.
TEST(BytesIn, UndoesTransmissionTime) {
  const RandomStream stream(2, Purpose::kTestScenario, 0);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const Bytes bytes(static_cast<std::int64_t>(stream.below(2 * i, 1ULL << (1 + i % 40))));
    const BitsPerSecond rate(
        static_cast<std::int64_t>(1'000'000 + stream.below(2 * i + 1, 7'000'000'000'000)));
    const Picoseconds time = transmission_time(bytes, rate);
    ASSERT_EQ(bytes_in(time, rate), bytes);
    if (bytes > 0_B) {
      ASSERT_EQ(bytes_in(time - 1_ps, rate), bytes - 1_B);
    }
  }
}

TEST(BytesIn, RoundsDown) {
  EXPECT_EQ(bytes_in(19_ps, 400_Gbps), 0_B);
  EXPECT_EQ(bytes_in(39_ps, 400_Gbps), 1_B);
  EXPECT_EQ(bytes_in(1_s, 800_Gbps), Bytes(100'000'000'000));
}

TEST(Units, LiteralsAgreeWithEachOther) {
  EXPECT_EQ(1_s, Picoseconds(kPicosecondsPerSecond));
  EXPECT_EQ(1_s, 1'000_ms);
  EXPECT_EQ(1_ms, 1'000_us);
  EXPECT_EQ(1_us, 1'000_ns);
  EXPECT_EQ(1_ns, 1'000_ps);
  EXPECT_EQ(1_KiB, 1'024_B);
  EXPECT_EQ(1_MiB, 1'024_KiB);
  EXPECT_EQ(1_GiB, 1'024_MiB);
  EXPECT_EQ(1_MB, 1'000_KB);
  EXPECT_EQ(1_KB, 1'000_B);
  EXPECT_EQ(1_Gbps, 1'000_Mbps);
  EXPECT_EQ(1_Mbps, 1'000'000_bps);
  EXPECT_DOUBLE_EQ(to_seconds(1'500_ms), 1.5);
}

TEST(Units, ArithmeticIsThatOfOneUnit) {
  EXPECT_EQ(3_us - 500_ns + 2 * 250_ns, 3_us);
  EXPECT_EQ(10_KB / 3, Bytes(3'333));
  EXPECT_EQ(10_KB / 4_KB, 2);
  EXPECT_EQ(10_KB % 4_KB, 2_KB);
  EXPECT_LT(999_ps, 1_ns);
}

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};

TEST(Units, DifferentUnitsDoNotMix) {
  static_assert(Addable<Bytes, Bytes>);
  static_assert(!Addable<Bytes, Picoseconds>);
  static_assert(!Addable<Bytes, int>);
  static_assert(!Comparable<Bytes, Picoseconds>);
  static_assert(!std::is_convertible_v<int, Picoseconds>);
  static_assert(!std::is_convertible_v<Bytes, BitsPerSecond>);
  static_assert(!std::is_constructible_v<Bytes, BitsPerSecond>);
}

// Beside the time 0, which is one: what is missing comes before it, and no span moves it.
TEST(OptionalTime, IsMissingOrATimeFromZeroOn) {
  constexpr OptionalTime missing;
  constexpr OptionalTime zero = Picoseconds(0);
  EXPECT_FALSE(missing);
  EXPECT_TRUE(zero);
  EXPECT_EQ(*zero, Picoseconds(0));
  EXPECT_LT(missing, zero);
  EXPECT_LT(missing, Picoseconds(0));
  EXPECT_EQ(std::max(missing, zero), zero);
  EXPECT_EQ(missing.value_or(Picoseconds(7)), Picoseconds(7));
  EXPECT_EQ(zero.value_or(Picoseconds(7)), Picoseconds(0));
  EXPECT_EQ(missing + Picoseconds(5), missing);
  EXPECT_EQ(missing - Picoseconds(5), missing);
  EXPECT_EQ(zero + Picoseconds(5), Picoseconds(5));
  EXPECT_EQ(Picoseconds(9) + zero, Picoseconds(9));
  EXPECT_EQ(OptionalTime(Picoseconds(9)) - Picoseconds(4), Picoseconds(5));
  static_assert(sizeof(OptionalTime) == sizeof(Picoseconds));
  static_assert(!std::is_convertible_v<OptionalTime, Picoseconds>);
}

}  // namespace
}  // namespace weft
