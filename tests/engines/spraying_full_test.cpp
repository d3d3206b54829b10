// What spraying promises: on a non-blocking fabric, with receivers that take any order and without
// congestion control, the last message of a permutation is as good as alone.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

double over_ideal(const std::string& balancing, const std::string& size) {
  const auto results = scenarios::simulate(experiment_of(
      "permutation.yaml", {"jobs[0].size=" + size, "fabric.load_balancing=" + balancing,
                           "transport.receiver=any-order", "transport.congestion_control=none"}));
  EXPECT_EQ(results.totals.buffer_drops, 0);
  EXPECT_EQ(results.totals.packets_retransmitted, 0U);
  return to_seconds(results.jobs[0].jct) / to_seconds(results.jobs[0].ideal);
}

TEST(Spraying, InTurnIsWithin3PercentOfIdealFrom2MiB) {
  EXPECT_LT(over_ideal("round-robin", "2MiB"), 1.03);
}

// Queues at uplinks that are full on average grow with the root of the time, so that their share of
// it falls: below 3 % at 64 MiB.
TEST(Spraying, AtRandomIsWithin3PercentOfIdealFrom64MiB) {
  EXPECT_LT(over_ideal("spray", "64MiB"), 1.03);
}

TEST(Spraying, ByLoadIsWithin3PercentOfIdealFrom64MiB) {
  EXPECT_LT(over_ideal("adaptive", "64MiB"), 1.03);
}

}  // namespace
}  // namespace weft::testing
