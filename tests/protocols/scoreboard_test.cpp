#include <gtest/gtest.h>

#include <set>

#include "protocols/state/scoreboard.hpp"
#include "tests/support/draws.hpp"

namespace weft::protocols {
namespace {

// A sender's use of it: packets ahead of the first hole are told in any order, some more than once,
// and now and then everything up to some packet. Against a set of sequence numbers, with spreads
// below and above a word, from sequences near 0 to near 2^32.
TEST(Scoreboard, HoldsWhatHasArrivedBeyondTheFirstHole) {
  for (const std::uint64_t spread : {2U, 63U, 64U, 65U, 130U, 1000U, 5000U}) {
    for (const std::uint32_t begin : {0U, 63U, 100'000U, ~0U - 400'000U}) {
      testing::Draws draws(spread + begin);
      Scoreboard board;
      std::set<std::uint32_t> known;
      std::uint32_t unacked = begin;
      for (int i = 0; i < 1500; ++i) {
        const auto sequence = unacked + static_cast<std::uint32_t>(draws.below(spread));
        ASSERT_EQ(board.add(unacked, sequence), known.insert(sequence).second);
        ASSERT_EQ(board.count(), known.size());
        ASSERT_EQ(board.end(), *known.rbegin() + 1);

        const auto from = unacked + static_cast<std::uint32_t>(draws.below(spread));
        const auto to = from + static_cast<std::uint32_t>(draws.below(spread));
        std::uint32_t hole = from;
        while (hole < to && known.contains(hole)) ++hole;
        ASSERT_EQ(board.next_hole(from, to), hole);
        const auto between =
            std::distance(known.lower_bound(from), known.lower_bound(std::max(from, to)));
        ASSERT_EQ(board.count(from, to), static_cast<std::uint32_t>(between));

        // No more than 200 per round, so that sequences do not wrap.
        if (!draws.one_in(4)) continue;
        const auto next = unacked + static_cast<std::uint32_t>(draws.below(200));
        const auto gone = known.lower_bound(next);
        ASSERT_EQ(board.advance(unacked, next),
                  static_cast<std::uint32_t>(std::distance(known.begin(), gone)));
        known.erase(known.begin(), gone);
        unacked = next;
        ASSERT_EQ(board.empty(), known.empty());
        ASSERT_EQ(board.count(), known.size());
      }
    }
  }
}

TEST(Scoreboard, TakesNoMemoryUntilSomethingArrivesOutOfOrder) {
  Scoreboard board;
  EXPECT_EQ(board.memory_bytes(), 0U);
  EXPECT_EQ(board.advance(0, 1'000'000), 0U);
  EXPECT_EQ(board.next_hole(5, 9), 5U);
  EXPECT_EQ(board.end(), 0U);
  EXPECT_EQ(board.memory_bytes(), 0U);
  board.add(1'000'000, 1'000'070);
  EXPECT_EQ(board.memory_bytes(), 16U);
}

}  // namespace
}  // namespace weft::protocols
