#include "simcore/base/hash.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <vector>

namespace weft {
namespace {

// Chi-square limits for 15 and 255 degrees of freedom at p = 0.001 each: 37.7 and 330.5.
constexpr double kLimit15 = 37.7;
constexpr double kLimit255 = 330.5;

double chi_square(const std::vector<int>& cells, double expected) {
  double sum = 0;
  for (const int observed : cells) sum += (observed - expected) * (observed - expected) / expected;
  return sum;
}

// mix64 is a bijection if every step is: x ^= x >> k is (its inverse is a sum of shifts), and so is
// multiplication by an odd number. The test undoes the steps one by one.
TEST(Mix64, IsABijection) {
  const auto unshift = [](std::uint64_t y, unsigned k) {
    std::uint64_t x = y;
    for (unsigned done = k; done < 64; done += k) x = y ^ (x >> k);
    return x;
  };
  const auto inverse = [](std::uint64_t odd) {  // Newton's iteration modulo 2^64
    std::uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  };
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t original = i * 0x9e3779b97f4a7c15ULL;
    std::uint64_t x = unshift(mix64(original), 31) * inverse(0x94d049bb133111ebULL);
    x = unshift(x, 27) * inverse(0xbf58476d1ce4e5b9ULL);
    ASSERT_EQ(unshift(x, 30), original);
  }
}

// Flipping one input bit should flip each of the 64 output bits with probability 1/2: 32 on
// average. Over 1000 inputs the mean has a standard deviation of 4 / sqrt(1000) = 0.13; 64 input
// bits are tested, so five deviations (0.63) and the finaliser's own small bias give the tolerance
// of 1.
TEST(Mix64, OneInputBitChangesHalfTheOutputBits) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    int flipped = 0;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
      const std::uint64_t x = mix64(i, i);
      flipped += std::popcount(mix64(x) ^ mix64(x ^ (std::uint64_t{1} << bit)));
    }
    EXPECT_NEAR(flipped / 1000.0, 32.0, 1.0) << "bit " << bit;
  }
}

TEST(Mix64, KeyAndValueAreNotInterchangeable) {
  EXPECT_NE(mix64(1, 2), mix64(2, 1));
  EXPECT_NE(mix64(0, 0), mix64(mix64(0, 0), 0));
}

TEST(ReduceRange, CoversTheRangeEvenly) {
  // Equally spaced hashes: the counts per value may differ by one only.
  for (const std::uint32_t n : {1U, 3U, 7U, 16U, 1000U}) {
    std::vector<int> cells(n);
    constexpr std::uint64_t kSteps = 1 << 16;
    for (std::uint64_t i = 0; i < kSteps; ++i) ++cells.at(reduce_range(i << 48U, n));
    for (const int count : cells) EXPECT_NEAR(count, kSteps / static_cast<double>(n), 1.0);
  }
}

TEST(FlowEntropy, DependsOnEveryPartAndOnDirection) {
  const HostId a(3U);
  const HostId b(8U);
  const std::set<std::uint32_t> distinct = {flow_entropy(a, b, 0), flow_entropy(b, a, 0),
                                            flow_entropy(a, b, 1), flow_entropy(a, a, 0)};
  EXPECT_EQ(distinct.size(), 4U);
}

TEST(ChooseByFlow, IsUniformOverFlowKeysAsTheyOccur) {
  // The regular keys of an all-to-all: 128 x 127 ordered pairs, 16 equal-cost ports.
  std::vector<int> cells(16);
  const std::uint64_t seed = switch_hash_seed(1, NodeId(200U));
  for (std::uint32_t source = 0; source < 128; ++source) {
    for (std::uint32_t destination = 0; destination < 128; ++destination) {
      if (source == destination) continue;
      ++cells.at(choose_by_flow(seed, flow_entropy(HostId(source), HostId(destination), 0), 16));
    }
  }
  EXPECT_LT(chi_square(cells, 128 * 127 / 16.0), kLimit15);
}

TEST(ChooseByFlow, SecondTierDoesNotRepeatTheFirst) {
  // Polarisation: of the flows that chose one port at the first switch, the choices at the second
  // are still spread. The joint choice over 16 x 16 cells is uniform.
  constexpr std::uint32_t kFlows = 1 << 16;
  std::vector<int> cells(256);
  const std::uint64_t first = switch_hash_seed(1, NodeId(200U));
  const std::uint64_t second = switch_hash_seed(1, NodeId(201U));
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    const std::uint32_t entropy = flow_entropy(HostId(flow), HostId(flow + 1), 0);
    ++cells.at(choose_by_flow(first, entropy, 16) * 16 + choose_by_flow(second, entropy, 16));
  }
  EXPECT_LT(chi_square(cells, kFlows / 256.0), kLimit255);
}

TEST(ChooseByPacket, SpreadsThePacketsOfOneFlow) {
  std::vector<int> cells(16);
  constexpr int kPackets = 1 << 14;
  const std::uint64_t seed = switch_hash_seed(1, NodeId(200U));
  for (std::uint32_t sequence = 0; sequence < kPackets; ++sequence) {
    ++cells.at(choose_by_packet(seed, 0x12345678, sequence, 0, 16));
  }
  EXPECT_LT(chi_square(cells, kPackets / 16.0), kLimit15);
}

TEST(SwitchHashSeed, DiffersBySwitchAndByRun) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t run = 0; run < 10; ++run) {
    for (std::uint32_t node = 0; node < 100; ++node) {
      seeds.insert(switch_hash_seed(run, NodeId(node)));
    }
  }
  EXPECT_EQ(seeds.size(), 1000U);
}

}  // namespace
}  // namespace weft
