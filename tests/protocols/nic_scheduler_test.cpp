#include "protocols/host/nic_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/bare_state.hpp"
#include "tests/support/draws.hpp"

namespace weft::protocols {
namespace {

using Schedule = SendingEnd::Schedule;
constexpr std::uint32_t kNicClasses = 2;

SwitchConfig two_nic_classes() {
  SwitchConfig config;
  config.classes.resize(kNicClasses, config.classes.front());
  return config;
}

/// One port of a host with queue pairs of two classes, those with even numbers in class 0.
struct Nic {
  explicit Nic(std::uint32_t queue_pairs) : bare(two_nic_classes()) {
    bare.add_ports(1);
    bare.state.nics.resize(1);
    bare.state.senders = SendingEnds(queue_pairs, 0);
    for (std::uint32_t i = 0; i < queue_pairs; ++i) {
      sender(i).traffic_class = ClassId(i % kNicClasses);
    }
  }
  [[nodiscard]] NicScheduler scheduler() { return {bare.state, bare.state.ports[0]}; }
  [[nodiscard]] SendingEnd& sender(QueuePairId qp) { return bare.state.senders[qp]; }
  [[nodiscard]] SendingEnd& sender(std::uint32_t i) { return sender(QueuePairId(i)); }

  testing::BareState bare;
};

// MODEL.md 1.3
TEST(NicScheduler, LetsReadyQueuePairsOfAClassTakeTurns) {
  Nic nic(6);
  NicScheduler scheduler = nic.scheduler();
  for (const std::uint32_t i : {4U, 0U, 1U, 2U}) {
    EXPECT_EQ(scheduler.activate(QueuePairId(i), 10_ps), class_bit(ClassId(i % 2)));
  }
  // Each sends a packet and goes to the end of its class's list.
  for (const std::uint32_t expected : {4U, 0U, 2U, 4U, 0U, 2U, 4U}) {
    ASSERT_EQ(scheduler.first_ready(ClassId(0)), QueuePairId(expected));
    scheduler.take_ready(ClassId(0));
    EXPECT_EQ(nic.sender(expected).schedule, Schedule::kIdle);
    scheduler.activate(QueuePairId(expected), 10_ps);
  }
  EXPECT_EQ(scheduler.first_ready(ClassId(1)), QueuePairId(1U));
}

TEST(NicScheduler, HoldsQueuePairsBackUntilTheirTime) {
  Nic nic(4);
  NicScheduler scheduler = nic.scheduler();
  nic.sender(0).next_send = 30_ps;
  nic.sender(1).next_send = 20_ps;
  nic.sender(2).next_send = 30_ps;
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(scheduler.activate(QueuePairId(i), 10_ps), 0);
  ASSERT_TRUE(scheduler.has_paced());
  EXPECT_EQ(scheduler.next_paced(), 20_ps);
  EXPECT_EQ(scheduler.release_paced(19_ps), 0);
  EXPECT_EQ(scheduler.release_paced(20_ps), class_bit(ClassId(1)));
  EXPECT_EQ(scheduler.release_paced(30_ps), class_bit(ClassId(0)));
  EXPECT_FALSE(scheduler.has_paced());
  EXPECT_EQ(scheduler.first_ready(ClassId(0)), QueuePairId(0U))
      << "of equal times the lower number goes first";
}

// A change of the rate moves the packet that waits, to a later time or to an earlier one; what
// stands for the old time in between is passed over.

// MODEL.md 9.3
TEST(NicScheduler, HoldsQueuePairsBackUntilTheTimeThatTheyWereMovedTo) {
  Nic nic(2);
  NicScheduler scheduler = nic.scheduler();
  NicState& state = nic.bare.state.nics[0];
  for (const std::uint32_t i : {0U, 1U}) {
    nic.sender(i).next_send = 50_ps;
    scheduler.activate(QueuePairId(i), 10_ps);
  }
  nic.sender(0).next_send = 80_ps;
  nic.sender(1).next_send = 20_ps;
  state.wait_until(20_ps, QueuePairId(1U));
  EXPECT_EQ(scheduler.next_paced(), 20_ps);
  EXPECT_EQ(scheduler.release_paced(20_ps), class_bit(ClassId(1)));
  scheduler.take_ready(ClassId(1));
  EXPECT_EQ(scheduler.release_paced(50_ps), 0) << "one waits longer, one has sent";
  EXPECT_EQ(scheduler.next_paced(), 80_ps);
  EXPECT_EQ(scheduler.release_paced(80_ps), class_bit(ClassId(0)));
  EXPECT_FALSE(scheduler.has_paced());
}

// The port is not to wake up for what stands for nothing.
TEST(NicScheduler, ForgetsTheOldTimeOfWhatHasSentSince) {
  Nic nic(1);
  NicScheduler scheduler = nic.scheduler();
  nic.sender(0).next_send = 50_ps;
  scheduler.activate(QueuePairId(0U), 10_ps);
  nic.sender(0).next_send = 20_ps;
  nic.bare.state.nics[0].wait_until(20_ps, QueuePairId(0U));
  EXPECT_EQ(scheduler.release_paced(20_ps), class_bit(ClassId(0)));
  EXPECT_FALSE(scheduler.has_paced());
}

TEST(NicScheduler, LeavesOutWhatFailedWhileItWaited) {
  Nic nic(2);
  NicScheduler scheduler = nic.scheduler();
  nic.sender(0).next_send = 20_ps;
  scheduler.activate(QueuePairId(0U), 10_ps);
  nic.sender(0).schedule = Schedule::kFailed;
  EXPECT_EQ(scheduler.release_paced(20_ps), 0);
  EXPECT_TRUE(scheduler.first_ready(ClassId(0)).is_none());
  scheduler.activate(QueuePairId(1U), 20_ps);
  nic.sender(1).schedule = Schedule::kFailed;
  scheduler.take_ready(ClassId(1));
  EXPECT_EQ(nic.sender(1).schedule, Schedule::kFailed) << "it stays out";
}

// Against a list per class and a set of (time, queue pair).
TEST(NicScheduler, ServesAsListsAndASortedSetWould) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::Draws draws(seed);
    constexpr std::uint32_t kPairs = 20;
    Nic nic(kPairs);
    IdVector<ClassId, std::deque<QueuePairId>> ready(kNicClasses);
    std::set<std::pair<Picoseconds, QueuePairId>> paced;
    Picoseconds now;
    for (int i = 0; i < 3000; ++i) {
      NicScheduler scheduler = nic.scheduler();
      const QueuePairId queue_pair(draws.below(kPairs));
      SendingEnd& sender = nic.sender(queue_pair);
      const ClassId c(draws.below(kNicClasses));
      if (sender.schedule == Schedule::kIdle) {
        sender.next_send = now + Picoseconds(draws.between(-20, 20));
        const bool is_ready = sender.next_send <= now;
        ASSERT_EQ(scheduler.activate(queue_pair, now),
                  is_ready ? class_bit(sender.traffic_class) : 0);
        if (is_ready) {
          ready[sender.traffic_class].push_back(queue_pair);
        } else {
          paced.emplace(sender.next_send, queue_pair);
        }
      } else if (!ready[c].empty()) {
        ASSERT_EQ(scheduler.first_ready(c), ready[c].front());
        scheduler.take_ready(c);
        ready[c].pop_front();
      }
      now += Picoseconds(draws.between(0, 3));
      unsigned classes = 0;
      for (; !paced.empty() && paced.begin()->first <= now; paced.erase(paced.begin())) {
        const QueuePairId released = paced.begin()->second;
        const ClassId of = nic.sender(released).traffic_class;
        ready[of].push_back(released);
        classes |= class_bit(of);
      }
      ASSERT_EQ(scheduler.release_paced(now), classes);
      ASSERT_EQ(scheduler.has_paced(), !paced.empty());
      if (!paced.empty()) {
        ASSERT_EQ(scheduler.next_paced(), paced.begin()->first);
      }
      for (const ClassId k : all_classes(kNicClasses)) {
        ASSERT_EQ(scheduler.first_ready(k),
                  ready[k].empty() ? QueuePairId::none() : ready[k].front());
      }
    }
  }
}

TEST(NicScheduler, HandsOverAllThatWaitAndIsEmptyThen) {
  Nic nic(5);
  NicScheduler scheduler = nic.scheduler();
  nic.sender(3).next_send = 100_ps;
  nic.sender(4).next_send = 50_ps;
  for (std::uint32_t i = 0; i < 5; ++i) scheduler.activate(QueuePairId(i), 10_ps);
  std::vector<QueuePairId> taken;
  scheduler.take_all(all_classes(kNicClasses), taken);
  std::ranges::sort(taken);
  std::vector<QueuePairId> all;
  for (std::uint32_t i = 0; i < 5; ++i) all.emplace_back(i);
  EXPECT_EQ(taken, all);
  EXPECT_FALSE(scheduler.has_paced());
  for (const ClassId c : all_classes(kNicClasses)) EXPECT_TRUE(scheduler.first_ready(c).is_none());
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(nic.sender(i).schedule, Schedule::kIdle);
  EXPECT_EQ(scheduler.activate(QueuePairId(1U), 10_ps), class_bit(ClassId(1)));
}

}  // namespace
}  // namespace weft::protocols
