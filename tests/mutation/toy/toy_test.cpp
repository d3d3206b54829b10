#include "toy.hpp"

#include <gtest/gtest.h>

TEST(Toy, TakesTheLarger) {
  EXPECT_EQ(toy::larger(1, 2), 2);
  EXPECT_EQ(toy::larger(2, 1), 2);
}
TEST(Toy, Counts) {
  toy::Counter counter;
  EXPECT_FALSE(counter.is_over(0));
  EXPECT_FALSE(counter.is_over(-1));
  counter.add(3);
  EXPECT_TRUE(counter.is_over(2));
  EXPECT_FALSE(counter.is_over(3));
  EXPECT_EQ(counter.total(), 3);
  EXPECT_EQ(counter.entries(), 1U);
}
TEST(Toy, Clamps) {
  EXPECT_EQ(toy::clamp(2), 2);
  EXPECT_EQ(toy::clamp(12), 9);
}
TEST(Toy, FindsTheHighest) {
  EXPECT_EQ(toy::next(0), 0);
  EXPECT_EQ(toy::next(1), 0);
  EXPECT_EQ(toy::next(6), 2);
}
TEST(Toy, CountsDown) { EXPECT_EQ(toy::waits_forever(3), 3); }
