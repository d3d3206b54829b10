#include "simcore/engine/winner_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/draws.hpp"

namespace weft {
namespace {

TEST(WinnerTree, IsEmptyAtFirstWhateverItsSize) {
  for (const std::uint32_t sources : {0U, 1U, 2U, 3U, 64U, 65U}) {
    WinnerTree tree(sources);
    EXPECT_EQ(tree.top(), WinnerTree::kNone);
    for (std::uint32_t i = 0; i < sources; ++i) EXPECT_EQ(tree.key(i), WinnerTree::kNone);
  }
}

// Against the least of an array: keys that rise, fall, are equal, and go.
TEST(WinnerTree, HasTheLeastOfAllKeysOnTopAfterEveryUpdate) {
  for (const std::uint32_t sources : {1U, 2U, 3U, 7U, 8U, 9U, 63U, 100U}) {
    testing::Draws draws(sources);
    WinnerTree tree(sources);
    std::vector<std::uint64_t> keys(sources, WinnerTree::kNone);
    for (int i = 0; i < 3000; ++i) {
      const auto source = static_cast<std::uint32_t>(draws.below(sources));
      if (draws.one_in(4)) {
        tree.remove(source);
        keys[source] = WinnerTree::kNone;
      } else {
        // Few different keys: ties. Now and then a very large one.
        keys[source] = draws.one_in(20) ? WinnerTree::kNone - 1 - draws.below(2) : draws.below(50);
        tree.update(source, keys[source]);
      }
      ASSERT_EQ(tree.top(), *std::ranges::min_element(keys)) << sources << " sources, step " << i;
      ASSERT_EQ(tree.key(source), keys[source]);
    }
  }
}

TEST(WinnerTree, ForgetsEverythingWhenItIsReset) {
  WinnerTree tree(5);
  for (std::uint32_t i = 0; i < 5; ++i) tree.update(i, i);
  tree.reset(3);
  EXPECT_EQ(tree.top(), WinnerTree::kNone);
  tree.update(2, 7);
  EXPECT_EQ(tree.top(), 7U);
}

}  // namespace
}  // namespace weft
