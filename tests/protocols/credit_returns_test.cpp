// Credits that come back without events are counted when, and only when, their events would have
// been.

#include "protocols/packet/credit_returns.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "simcore/engine/event_calendar.hpp"

namespace weft::testing {
namespace {

using protocols::CreditReturns;

constexpr std::uint32_t kCreditType = 6;
constexpr std::uint32_t kGranter = 17;

std::uint64_t control_order(std::uint32_t type, std::uint32_t source, std::uint32_t sequence) {
  return CalendarEvent::make_order(EventPriority::kControl, type, source, sequence);
}

/// Two credits of 10 and 20 blocks arrive at 5 ns, with the sequence numbers 3 and 4, and 40 at
/// 6 ns.
CreditReturns three_returns() {
  CreditReturns returns;
  EXPECT_TRUE(returns.push({5_ns, 3, 10}));
  EXPECT_TRUE(returns.push({5_ns, 4, 20}));
  EXPECT_TRUE(returns.push({6_ns, 5, 40}));
  return returns;
}

std::int32_t taken_at(Picoseconds now, std::uint64_t order) {
  return three_returns().take_before(now, order, kCreditType, kGranter);
}

TEST(CreditReturns, AreCountedAfterDeparturesAndArrivalsOfTheirTime) {
  EXPECT_EQ(taken_at(4_ns, 0), 0);
  EXPECT_EQ(taken_at(5_ns, 0), 0);
  EXPECT_EQ(taken_at(5_ns + 1_ps, 0), 30);
  EXPECT_EQ(taken_at(7_ns, 0), 70);
}

TEST(CreditReturns, AreCountedBeforeTimersOfTheirTime) {
  EXPECT_EQ(taken_at(5_ns, CalendarEvent::make_order(EventPriority::kTimer, 0, 0, 0)), 30);
}

TEST(CreditReturns, FollowControlOfOtherKindsAndPortsAtTheirTimeByItsOrder) {
  EXPECT_EQ(taken_at(5_ns, control_order(kCreditType - 1, kGranter, 9)), 0);
  EXPECT_EQ(taken_at(5_ns, control_order(kCreditType + 1, kGranter, 0)), 30);
  EXPECT_EQ(taken_at(5_ns, control_order(kCreditType, kGranter - 1, 9)), 0);
  EXPECT_EQ(taken_at(5_ns, control_order(kCreditType, kGranter + 1, 0)), 30);
  // The event of the first one is at hand.
  EXPECT_EQ(taken_at(5_ns, control_order(kCreditType, kGranter, 3)), 0);
  EXPECT_EQ(taken_at(5_ns, control_order(kCreditType, kGranter, 4)), 10);
}

TEST(CreditReturns, HaveOneEventForTheFirstOneAtATime) {
  CreditReturns returns = three_returns();
  EXPECT_TRUE(returns.files_first());
  EXPECT_FALSE(returns.files_first()) << "it has one";
  EXPECT_EQ(returns.take_filed(), 10);
  EXPECT_TRUE(returns.files_first()) << "the next one has none";
  EXPECT_EQ(returns.take_filed(), 20);
  EXPECT_EQ(returns.take_first(), 40);
  EXPECT_FALSE(returns.files_first()) << "there is none";
}

TEST(CreditReturns, ThatFindNoPlaceAreRefusedAndLeaveTheOthersInOrder) {
  CreditReturns returns;
  std::int32_t pushed = 0;
  while (returns.push({Picoseconds(100 + pushed), 0, 1})) ++pushed;
  EXPECT_EQ(returns.take_before(Picoseconds(102)), 2);
  EXPECT_TRUE(returns.push({Picoseconds(100 + pushed), 0, 1}));
  EXPECT_TRUE(returns.push({Picoseconds(101 + pushed), 0, 1}));
  EXPECT_FALSE(returns.push({Picoseconds(102 + pushed), 0, 1}));
  std::vector<Picoseconds> times;
  returns.for_each([&](const CreditReturns::Return& r) { times.push_back(r.time); });
  ASSERT_EQ(times.size(), static_cast<std::size_t>(pushed));
  for (std::int32_t i = 0; i < pushed; ++i) {
    EXPECT_EQ(times[static_cast<std::size_t>(i)], Picoseconds(102 + i));
    EXPECT_EQ(returns.first().time, Picoseconds(102 + i));
    EXPECT_EQ(returns.take_first(), 1);
  }
  EXPECT_TRUE(returns.empty());
}

}  // namespace
}  // namespace weft::testing
