// Which calls of a rank may be on the network at once: those that no dependency orders.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/memo/overlap.hpp"
#include "tests/collectives/tasks/written_tasks.hpp"

namespace weft {
namespace {

using collectives::CallCounts;
using testing::after_calls;
using testing::after_compute;
using testing::all_reduce;
using testing::WrittenTasks;

constexpr std::array<std::uint32_t, 2> kBoth{0, 1};

/// Communicators 0 and 1 of both ranks, and their calls 0 and 1.
std::unique_ptr<WrittenTasks> two_communicators() {
  auto tasks = std::make_unique<WrittenTasks>();
  tasks->add_call(tasks->add_communicator("a", {0, 1}), all_reduce(4000_B));
  tasks->add_call(tasks->add_communicator("b", {0, 1}), all_reduce(4000_B));
  return tasks;
}

CallCounts overlapping(std::unique_ptr<const WrittenTasks> tasks,
                       std::span<const std::uint32_t> communicators = kBoth) {
  collectives::ProgramSetting setting;
  setting.ranks = 2;
  const auto program = collectives::TaskProgram::make(setting, std::move(tasks), {}).value();
  return collectives::overlapping_calls(*program, 0, communicators);
}

TEST(Overlap, CallsThatNothingOrdersBothCount) {
  auto tasks = two_communicators();
  tasks->call(0);
  tasks->call(1);
  EXPECT_EQ(overlapping(std::move(tasks)), (CallCounts{{0, 1}, {1, 1}}));
}

TEST(Overlap, ACallAfterAnotherDoesNot) {
  auto tasks = two_communicators();
  tasks->call(1, {after_calls(0, 1)});
  tasks->call(0);
  EXPECT_EQ(overlapping(std::move(tasks)), CallCounts{});
}

TEST(Overlap, WhatIsComputedBetweenThemOrdersThem) {
  for (const bool waits : {true, false}) {
    auto tasks = two_communicators();
    tasks->call(0);
    for (const std::uint32_t rank : {0U, 1U}) {
      tasks->compute(
          rank, 5_us,
          waits ? std::vector{after_calls(0, 1)} : std::vector<collectives::Dependency>());
    }
    tasks->call(1, {after_compute(1)});
    EXPECT_EQ(overlapping(std::move(tasks)).size(), waits ? 0U : 2U);
  }
}

TEST(Overlap, AnotherCommunicatorBetweenThemOrdersThem) {
  auto tasks = two_communicators();
  tasks->add_call(tasks->add_communicator("c", {0, 1}), all_reduce(4000_B));
  tasks->call(0);
  tasks->call(2, {after_calls(0, 1)});
  tasks->call(1, {after_calls(2, 1)});
  EXPECT_EQ(overlapping(std::move(tasks)), CallCounts{});
}

TEST(Overlap, CallsOfOneStreamNeverDo) {
  auto tasks = two_communicators();
  tasks->call(0);
  tasks->call(0);
  const std::array<std::uint32_t, 1> alone{0};
  EXPECT_EQ(overlapping(std::move(tasks), alone), CallCounts{});
}

// A call is after all that came before in its stream, and what another dependency knows less of is
// not forgotten.
TEST(Overlap, WhatIsKnownStaysKnown) {
  auto tasks = two_communicators();
  tasks->call(0);
  for (const std::uint32_t rank : {0U, 1U}) tasks->compute(rank, 5_us);
  tasks->call(1, {after_calls(0, 1), after_compute(1)});
  tasks->call(1);
  EXPECT_EQ(overlapping(std::move(tasks)), CallCounts{});
}

// b's only call is after the second of a's four: it may be beside the third and the fourth.
TEST(Overlap, IsCountedByCall) {
  auto tasks = two_communicators();
  tasks->add_call(0, all_reduce(8000_B));
  for (const std::uint32_t call : {0U, 2U, 2U, 0U}) tasks->call(call);
  tasks->call(1, {after_calls(0, 2)});
  EXPECT_EQ(overlapping(std::move(tasks)), (CallCounts{{0, 1}, {1, 1}, {2, 1}}));
}

// Gradients run beside the layers whose sums continue: each of b's calls is beside one of a's.
TEST(Overlap, EachIsSeenWhereBothStreamsContinue) {
  auto tasks = two_communicators();
  for (std::int64_t i = 0; i < 3; ++i) {
    tasks->call(0);
    tasks->call(1, {after_calls(0, i + 1)});
  }
  EXPECT_EQ(overlapping(std::move(tasks)), (CallCounts{{0, 2}, {1, 2}}));
}

}  // namespace
}  // namespace weft
