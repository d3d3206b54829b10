#include <gtest/gtest.h>

#include <map>

#include "protocols/state/queue_pair.hpp"
#include "tests/support/draws.hpp"

namespace weft::protocols {
namespace {

// A receiver's use of it: what comes ahead of the next packet is held, and once that has come, all
// that follows without a gap is removed. Against a map from the sequence to whether it ends a
// message, with spreads below and above what the rings hold at first, from sequences near 0 to near
// 2^32.
TEST(ReorderBuffer, HoldsWhatIsAheadOfAGapUntilItIsRemoved) {
  for (const std::uint64_t spread : {2U, 63U, 64U, 65U, 130U, 1000U, 5000U}) {
    for (const std::uint32_t begin : {0U, 63U, 100'000U, ~0U - 400'000U}) {
      testing::Draws draws(spread + begin);
      ReorderBuffer buffer;
      std::map<std::uint32_t, bool> held;
      std::uint32_t expected = begin;
      for (int i = 0; i < 1500; ++i) {
        const auto sequence = expected + static_cast<std::uint32_t>(draws.below(spread));
        const bool is_last = draws.one_in(5);
        ASSERT_EQ(buffer.insert(expected, sequence, is_last),
                  held.emplace(sequence, is_last).second);
        ASSERT_EQ(buffer.holds(expected), held.contains(expected));
        while (buffer.holds(expected)) {
          ASSERT_EQ(buffer.remove(expected), held.at(expected));
          held.erase(expected++);
        }
        ASSERT_EQ(held.contains(expected), false);
        ASSERT_EQ(buffer.empty(), held.empty());
        // The next packet comes at last: no more than 80 per round, so that sequences do not wrap.
        for (std::uint64_t n = draws.one_in(8) ? draws.below(80) : 0; n > 0; --n) {
          if (!buffer.holds(expected)) {
            ++expected;
            continue;
          }
          ASSERT_EQ(buffer.remove(expected), held.at(expected));
          held.erase(expected++);
        }
      }
      // Everything that was held can still be told from what was not.
      for (; !held.empty(); ++expected) {
        ASSERT_EQ(buffer.holds(expected), held.contains(expected)) << "spread " << spread;
        if (!held.contains(expected)) continue;
        ASSERT_EQ(buffer.remove(expected), held.at(expected));
        held.erase(expected);
      }
      ASSERT_TRUE(buffer.empty());
    }
  }
}

// 64 sequences are held in place, counted from the next packet; rings beyond hold whole words of
// 64, 128 sequences at first, counted from the word of the next packet.
TEST(ReorderBuffer, TellsTheFirstSequenceBeyondItsRingsFromThoseInThem) {
  for (const std::uint32_t word : {0U, 1U, 63U, 64U, 640U}) {
    for (const std::uint32_t beyond : {63U, 64U, 65U, 127U, 128U, 129U, 255U, 256U}) {
      ReorderBuffer buffer;
      EXPECT_TRUE(buffer.insert(word, word + 1, true));
      EXPECT_TRUE(buffer.insert(word, word + beyond, false));
      EXPECT_FALSE(buffer.holds(word));
      EXPECT_TRUE(buffer.remove(word + 1));
      EXPECT_TRUE(buffer.holds(word + beyond));
      EXPECT_FALSE(buffer.remove(word + beyond));
      EXPECT_TRUE(buffer.empty());
    }
  }
}

TEST(ReorderBuffer, KnowsACopyFromTheFirst) {
  ReorderBuffer buffer;
  EXPECT_TRUE(buffer.insert(0, 5, true));
  EXPECT_FALSE(buffer.insert(0, 5, false));
  EXPECT_TRUE(buffer.remove(5)) << "the copy does not change what the first one said";
  EXPECT_TRUE(buffer.empty());
  EXPECT_TRUE(buffer.insert(0, 5, false)) << "removed, it may come again";
  EXPECT_FALSE(buffer.remove(5));
}

TEST(ReorderBuffer, IsEmptyAtFirst) {
  const ReorderBuffer buffer{};
  EXPECT_TRUE(buffer.empty());
  EXPECT_FALSE(buffer.holds(0));
  EXPECT_FALSE(buffer.holds(~0U));
}

}  // namespace
}  // namespace weft::protocols
