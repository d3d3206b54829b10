#include "simcore/engine/event_calendar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "tests/support/draws.hpp"

namespace weft {
namespace {

/// What events are ordered by, as the model says it.
using Order = std::tuple<std::int64_t, EventPriority, std::uint32_t, std::uint32_t, std::uint32_t>;

CalendarEvent event_of(const Order& order) {
  const auto& [time, priority, type, source, sequence] = order;
  return {.time = Picoseconds(time),
          .order = CalendarEvent::make_order(priority, type, source, sequence)};
}

TEST(CalendarEvents, AreOrderedByTimeRankTypeSourceAndSequence) {
  // Each field at its ends, so that none may run into the next.
  std::vector<Order> orders;
  for (const std::int64_t time : {0L, 1L, 1L << 60}) {
    for (const EventPriority priority :
         {EventPriority::kDeparture, EventPriority::kControl, EventPriority::kTimer}) {
      for (const std::uint32_t type : {0U, 1U, 15U}) {
        for (const std::uint32_t source : {0U, 1U, (1U << 26) - 1}) {
          for (const std::uint32_t sequence : {0U, 1U, ~0U}) {
            orders.emplace_back(time, priority, type, source, sequence);
          }
        }
      }
    }
  }
  for (const Order& a : orders) {
    for (const Order& b : orders) {
      ASSERT_EQ(event_of(a) < event_of(b), a < b);
    }
  }
}

TEST(EventCalendar, HandsOutEventsInOrderHoweverTheyCame) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::Draws draws(seed);
    EventCalendar calendar;
    std::vector<Order> waiting;  // of which the least is next
    std::uint32_t sequence = 0;
    for (int i = 0; i < 2000; ++i) {
      if (waiting.empty() || !draws.one_in(2)) {
        const Order order{draws.between(0, 100), static_cast<EventPriority>(draws.below(4)),
                          static_cast<std::uint32_t>(draws.below(16)),
                          static_cast<std::uint32_t>(draws.below(3)), sequence++};
        waiting.push_back(order);
        calendar.push(event_of(order));
      } else {
        const auto min = std::ranges::min_element(waiting);
        const CalendarEvent expected = event_of(*min);
        waiting.erase(min);
        ASSERT_EQ(calendar.top().order, expected.order);
        const CalendarEvent event = calendar.pop();
        ASSERT_EQ(event.time, expected.time);
        ASSERT_EQ(event.order, expected.order);
      }
      ASSERT_EQ(calendar.events().size(), waiting.size());
      ASSERT_EQ(calendar.empty(), waiting.empty());
      ASSERT_EQ(calendar.next_time(),
                waiting.empty() ? EventCalendar::kNever
                                : Picoseconds(std::get<0>(*std::ranges::min_element(waiting))));
    }
  }
}

TEST(EventCalendar, KeepsWhatAnEventSays) {
  EventCalendar calendar;
  calendar.push(
      {.time = Picoseconds(3), .order = 1, .type = 2, .target = 4, .value = ~0ULL, .origin = 5});
  const CalendarEvent event = calendar.pop();
  EXPECT_EQ(event.type, 2U);
  EXPECT_EQ(event.target, 4U);
  EXPECT_EQ(event.value, ~0ULL);
  EXPECT_EQ(event.origin, 5U);
}

}  // namespace
}  // namespace weft
