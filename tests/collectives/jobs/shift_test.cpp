// A permutation whose pairs are shifted: rank i sends to rank i + K, around the end.

#include <gtest/gtest.h>

#include <cstdint>

#include "collectives/jobs/permutation/permutation.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::PermutationSpec;

PermutationSpec shifted_by(std::uint32_t shift) {
  PermutationSpec spec{1_MiB, 0_ps};
  spec.pairs = PermutationSpec::Pairs::kShift;
  spec.shift = shift;
  return spec;
}

TEST(ShiftedPermutation, HasEachRankSendSoFarOn) {
  for (const std::uint32_t shift : {1U, 3U, 7U, 9U, 8'000'003U}) {
    const collectives::Workload workload = build({job(8, shifted_by(shift))});
    std::uint32_t rank = 0;
    collectives::for_each_transfer(workload, 0,
                                   [&](ConnectionId id, Bytes size, std::int64_t count) {
                                     const Connection& c = workload.connections()[id.value()];
                                     EXPECT_EQ(workload.rank_of(c.source), rank);
                                     EXPECT_EQ(workload.rank_of(c.destination), (rank + shift) % 8);
                                     EXPECT_EQ(size, 1_MiB);
                                     EXPECT_EQ(count, 1);
                                     ++rank;
                                   });
    EXPECT_EQ(rank, 8U);
  }
}

TEST(ShiftedPermutation, TakesTheTimeOfOneMessage) {
  const ZeroLoadRun run(build({job(128, shifted_by(5))}));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, message_time(1_MiB) + kBack);
  EXPECT_EQ(run.outcome().messages, 128);
}

TEST(ShiftedPermutation, ThatLeadsToOneselfIsRefused) {
  for (const std::uint32_t shift : {8U, 16U}) {
    collectives::Problems problems;
    collectives::Permutation::check(shifted_by(shift), 8, problems);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].key, "shift");
  }
  collectives::Problems none;
  collectives::Permutation::check(shifted_by(9), 8, none);
  collectives::Permutation::check({1_MiB, 0_ps}, 1, none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace weft::testing
