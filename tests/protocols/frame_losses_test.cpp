// Losses are drawn by their distance. Against independent draws per frame: the number among n
// frames is binomial, and so is it in every part of them.

#include "protocols/state/frame_losses.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weft::protocols {
namespace {

using Unit = LinkErrors::Unit;

constexpr std::uint64_t kSeed = 11;

// Within four standard errors of n p, which one in 16,000 draws misses.

// MODEL.md 4.3
TEST(FrameLosses, AreAsManyAsIndependentDrawsWouldLose) {
  struct Case {
    LinkErrors errors;
    Bytes wire;
    int frames;
  };
  for (const Case& c :
       {Case{{1e-6, Unit::kFrames}, 4'178_B, 20'000'000},
        Case{{1e-4, Unit::kFrames}, 4'178_B, 2'000'000},
        Case{{1e-2, Unit::kFrames}, 64_B, 1'000'000}, Case{{0.3, Unit::kFrames}, 64_B, 200'000},
        Case{{0.9, Unit::kFrames}, 64_B, 200'000}, Case{{1e-9, Unit::kRs544}, 4'178_B, 2'000'000},
        Case{{1e-7, Unit::kBits}, 4'178_B, 500'000}, Case{{1e-3, Unit::kRs272}, 86_B, 100'000}}) {
    FrameLosses losses(c.errors, kSeed, 5);
    for (int i = 0; i < c.frames; ++i) (void)losses.corrupts(c.wire, kSeed, 5);
    const double p = frame_loss_probability(c.errors, c.wire);
    const double deviation = std::sqrt(c.frames * p * (1 - p));
    EXPECT_NEAR(losses.count(), c.frames * p, 4 * deviation) << c.errors.rate;
  }
}

// Of 10,000 blocks of 1,000 frames with p = 1e-3 a share of (1 - p)^1000 = 0.3677 loses none, and
// 0.3681 one; and large and small frames share the losses by what they expose.
TEST(FrameLosses, AreIndependentOfEachOther) {
  FrameLosses losses({1e-3, Unit::kFrames}, kSeed, 7);
  constexpr int kBlocks = 10'000;
  std::vector<int> blocks_with(1'001);
  for (int block = 0; block < kBlocks; ++block) {
    std::size_t lost = 0;
    for (int i = 0; i < 1'000; ++i) lost += losses.corrupts(64_B, kSeed, 7) ? 1 : 0;
    ++blocks_with[lost];
  }
  double probability = std::pow(1 - 1e-3, 1'000);
  for (int lost = 0; lost < 4; ++lost) {
    const double deviation = std::sqrt(kBlocks * probability * (1 - probability));
    EXPECT_NEAR(blocks_with[static_cast<std::size_t>(lost)], kBlocks * probability, 4 * deviation);
    probability *= (1'000.0 - lost) / (lost + 1) * 1e-3 / (1 - 1e-3);
  }
}

TEST(FrameLosses, MixedSizesLoseByWhatTheyExpose) {
  const LinkErrors errors{1e-7, Unit::kRs544};
  FrameLosses losses(errors, kSeed, 9);
  constexpr int kFrames = 1'000'000;
  int small = 0;
  int large = 0;
  for (int i = 0; i < kFrames; ++i) {
    small += losses.corrupts(86_B, kSeed, 9) ? 1 : 0;
    large += losses.corrupts(4'178_B, kSeed, 9) ? 1 : 0;
  }
  const double p = frame_loss_probability(errors, 86_B);
  const double q = frame_loss_probability(errors, 4'178_B);
  EXPECT_NEAR(small, kFrames * p, 4 * std::sqrt(kFrames * p));
  EXPECT_NEAR(large, kFrames * q, 4 * std::sqrt(kFrames * q));
}

TEST(FrameLosses, AreAllOfThemAtOneAndNoneAtZero) {
  FrameLosses all({1, Unit::kFrames}, kSeed, 1);
  FrameLosses none({0, Unit::kFrames}, kSeed, 1);
  FrameLosses hardly({1e-18, Unit::kRs544}, kSeed, 1);
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(all.corrupts(64_B, kSeed, 1));
    EXPECT_FALSE(none.corrupts(64_B, kSeed, 1));
    EXPECT_FALSE(hardly.corrupts(64_B, kSeed, 1));
  }
}

// By seed and by link, and by nothing else.
TEST(FrameLosses, DifferByLinkAndBySeed) {
  const auto first_loss = [](std::uint64_t seed, std::uint32_t port) {
    FrameLosses losses({1e-4, Unit::kFrames}, seed, port);
    int frames = 0;
    while (!losses.corrupts(64_B, seed, port)) ++frames;
    return frames;
  };
  EXPECT_EQ(first_loss(1, 2), first_loss(1, 2));
  EXPECT_NE(first_loss(1, 2), first_loss(1, 3));
  EXPECT_NE(first_loss(1, 2), first_loss(2, 2));
}

}  // namespace
}  // namespace weft::protocols
