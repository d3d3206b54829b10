#include <gtest/gtest.h>

#include <string>

#include "tests/collectives/mutations.hpp"
#include "tests/collectives/schedule_shapes.hpp"

// A proof is worth what it refuses: every schedule is proved again with every one of its steps
// missing, doubled, with another peer, another chunk, another count and another use. All must
// fail but those that `why_right` lists with the reason.
namespace weft::collectives {
namespace {

class EveryMutation : public ::testing::TestWithParam<Pair> {};

TEST_P(EveryMutation, IsFoundOnFewRanks) {
  const auto [operation, algorithm] = GetParam();
  for (const std::uint32_t n : {2U, 3U, 4U, 6U}) {
    expect_all_found(operation, algorithm, n, {.size = 601, .root = n / 2});
  }
}

TEST_P(EveryMutation, IsFoundInDomains) {
  const auto [operation, algorithm] = GetParam();
  expect_all_found(operation, algorithm, 6, {.size = 601, .root = 1, .domain = 2});
}

TEST_P(EveryMutation, IsFoundInChannelsChunksAndSlices) {
  const auto [operation, algorithm] = GetParam();
  for (const std::uint32_t n : {2U, 4U}) {
    expect_all_found(operation, algorithm, n,
                     {.size = 601, .channels = 2, .chunk = 200, .slices = 2, .root = n / 2});
  }
}

INSTANTIATE_TEST_SUITE_P(Symbolic, EveryMutation, ::testing::ValuesIn(all_pairs()), test_name);

// What another lane, the scale-up switches and a later run would meet: each was once taken for
// right.
TEST(Proof, RefusesWhatIsLeftBehind) {
  const auto problems = [](Operation operation, Algorithm algorithm, std::uint32_t n,
                           Step::Kind kind, bool is_doubled) {
    const auto original = make_schedule(plan(operation, algorithm, n, {.size = 600}), algorithm);
    WrittenSchedule schedule(*original);
    for (Mutation& mutation : mutations_of(schedule)) {
      if (mutation.original.kind != kind) continue;
      if (mutation.change != std::string(is_doubled ? "doubled" : "missing")) continue;
      schedule.mutate(&mutation);
      const Proof proof = prove(schedule);
      return proof.problems.empty() ? std::string() : proof.problems[0];
    }
    return std::string("no such step");
  };
  using enum Step::Kind;
  const auto nvls = [&](Step::Kind kind, bool is_doubled) {
    return problems(Operation::kAllGather, Algorithm::kNvls, 4, kind, is_doubled);
  };
  EXPECT_EQ(nvls(kMulticast, true), "nobody receives what is multicast from rank 0 to rank 0");
  EXPECT_EQ(nvls(kReceiveMulticast, false),
            "nobody receives what is multicast from rank 0 to rank 0");
  EXPECT_EQ(problems(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, 4, kNotify, true),
            "rank 0, channel 1, is notified more often than it waits");
  EXPECT_EQ(problems(Operation::kAllReduce, Algorithm::kHierarchical, 4, kNotify, true),
            "rank 0, channel 1, is notified more often than it waits");
}

}  // namespace
}  // namespace weft::collectives
