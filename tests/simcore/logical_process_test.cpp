#include "simcore/engine/logical_process.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <memory>
#include <vector>

#include "tests/support/draws.hpp"

// One logical process with a model that only writes down what happens: all sources of events at
// once, at few different times, so that many are equal.
namespace weft {
namespace {

/// Ordered as the engine must order them: by time, rank, then port or calendar order.
struct Event {
  std::int64_t time = 0;
  EventPriority priority = EventPriority::kDeparture;
  std::uint64_t order = 0;  ///< the local port, or what the calendar sorts by
  std::uint32_t number = 0;

  auto operator<=>(const Event&) const = default;
};

/// Ports of which the first half are fed from outside, the others by those of the first half.
class Recorder {
 public:
  Recorder(std::uint32_t ports, std::uint64_t seed) : draws_(seed), departures_(ports) {
    links_.resize(ports);
    for (std::uint32_t local = 0; local < ports; ++local) {
      links_[local] = std::make_unique<Link>();
      lp_.ports.emplace_back(local);
      lp_.inbound.push_back(links_[local].get());
      if (local < ports / 2) lp_.external_in.push_back(local);
      links_[local]->activity_index = local < ports / 2 ? 8 + local : ActivityBitmap::kNobody;
    }
    lp_.first_activity_word = 1;
    worker_.activity.reset(1 + ActivityBitmap::words_for(ports));
    lp_.keys = EventKeys(ports);
    lp_.next.reset(2 * ports);
  }

  void draw_events(std::int64_t until) {
    for (std::uint32_t local = 0; local < links_.size(); ++local) {
      const auto times = [&](std::uint64_t max) {
        std::vector<std::int64_t> drawn(draws_.below(max));
        for (std::int64_t& time : drawn) time = draws_.between(0, until - 1);
        std::ranges::sort(drawn);
        return drawn;
      };
      for (const std::int64_t time : times(30)) departures_[local].push_back(time);
      departures_[local].erase(std::unique(departures_[local].begin(), departures_[local].end()),
                               departures_[local].end());
      plan_departure(local);
      if (local >= links_.size() / 2) continue;
      for (const std::int64_t time : times(60)) send(local, time);
    }
    for (std::uint32_t i = 0; i < 100; ++i) {
      const auto priority = draws_.one_in(2) ? EventPriority::kControl : EventPriority::kTimer;
      push({.time = Picoseconds(draws_.between(0, until - 1)),
            .order = CalendarEvent::make_order(priority, 3,
                                               static_cast<std::uint32_t>(draws_.below(4)), i)});
    }
  }
  void push(const CalendarEvent& event) {
    lp_.calendar.push(event);
    ++lp_.live_events;
  }

  // What run_window asks of a model.
  void depart(const Here& here, std::uint32_t local) {
    happened_.push_back({here.now.count(), EventPriority::kDeparture, local, 0});
    departures_[local].erase(departures_[local].begin());
    plan_departure(local);
    // What leaves a port of the first half arrives inside, at its counterpart, a little later.
    if (local >= links_.size() / 2) return;
    const auto to = static_cast<std::uint32_t>(local + links_.size() / 2);
    const bool is_first = links_[to]->in_flight() == 0;
    send(to, here.now.count() + 2);
    if (is_first)
      here.lp.next.update(here.lp.port_count() + to,
                          here.lp.keys.arrival(here.now + Picoseconds(2), to));
  }
  void arrive(const Here& here, const Packet& packet, std::uint32_t local) {
    happened_.push_back({here.now.count(), EventPriority::kArrival, local, packet.sequence});
  }
  bool handle(const Here& here, const CalendarEvent& event) {
    happened_.push_back({event.time.count(), static_cast<EventPriority>(event.order >> 62U),
                         event.order & ~(3ULL << 62U), 0});
    --here.lp.live_events;
    return true;
  }
  void accept_control(const Here&, const Packet& frame, std::uint32_t) {
    push({.time = Picoseconds(frame.stamp),
          .order = CalendarEvent::make_order(EventPriority::kControl, 1, 0, frame.sequence)});
  }
  void fetch_state(const LogicalProcess&, std::uint32_t) { ++fetched_; }
  void fetch_packets(const LogicalProcess&, std::uint32_t) {}
  void fetch_flows(const LogicalProcess&, std::uint32_t) {}

  void run(std::int64_t start, std::int64_t end, bool reads_activity = true) {
    worker_.activity.turn(reads_activity);
    run_window(lp_, worker_, *this, Picoseconds(start), Picoseconds(end));
  }

  [[nodiscard]] LogicalProcess& lp() { return lp_; }
  [[nodiscard]] Worker& worker() { return worker_; }
  [[nodiscard]] Link& link(std::uint32_t local) { return *links_[local]; }
  [[nodiscard]] const std::vector<Event>& happened() const { return happened_; }
  [[nodiscard]] std::size_t departures_left() const {
    std::size_t left = 0;
    for (const auto& times : departures_) left += times.size();
    return left;
  }
  void send(std::uint32_t local, std::int64_t time) {
    const std::uint32_t number = sent_++;
    links_[local]->data_in.push(Picoseconds(time), worker_.pool, [&](Packet& packet) {
      packet = {};
      packet.sequence = number;
    });
    worker_.activity.set(links_[local]->activity_index);
  }
  [[nodiscard]] std::uint32_t sent() const { return sent_; }
  /// Ports whose memory was asked for.
  [[nodiscard]] std::uint32_t fetched() const { return fetched_; }

 private:
  void plan_departure(std::uint32_t local) {
    if (departures_[local].empty()) {
      lp_.next.remove(local);
    } else {
      lp_.next.update(local, lp_.keys.departure(Picoseconds(departures_[local].front()), local));
    }
  }

  testing::Draws draws_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::vector<std::int64_t>> departures_;  ///< by port, to come
  LogicalProcess lp_;
  Worker worker_;
  std::vector<Event> happened_;
  std::uint32_t fetched_ = 0;
  std::uint32_t sent_ = 0;
};

// Whatever the windows, all that is due happens, in the one order of the model.
TEST(LpWindow, HandlesAllEventsInOrderOfTimeRankAndSource) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const std::int64_t length : {1L, 7L, 50L, 1000L}) {
      Recorder recorder(8, seed);
      recorder.draw_events(50);
      const std::size_t departures = recorder.departures_left();
      std::int64_t now = 0;
      for (; now < 60; now += length) {
        const std::size_t before = recorder.happened().size();
        recorder.run(now, now + length);
        for (std::size_t i = before; i < recorder.happened().size(); ++i) {
          ASSERT_GE(recorder.happened()[i].time, now);
          ASSERT_LT(recorder.happened()[i].time, now + length);
        }
      }
      EXPECT_TRUE(std::ranges::is_sorted(recorder.happened())) << "windows of " << length;
      EXPECT_EQ(recorder.happened().size(), departures + 100 + recorder.sent());
      EXPECT_EQ(recorder.worker().sums.events, recorder.happened().size());
      EXPECT_EQ(next_event_time(recorder.lp(), Picoseconds(now)), EventCalendar::kNever);
      EXPECT_TRUE(recorder.lp().calendar.empty());
    }
  }
}

TEST(LpWindow, KnowsTheTimeOfItsNextEvent) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Recorder recorder(6, seed);
    recorder.draw_events(200);
    for (std::int64_t now = 0;;) {
      const Picoseconds time = next_event_time(recorder.lp(), Picoseconds(now));
      if (time == EventCalendar::kNever) break;
      const std::int64_t next = time.count();
      ASSERT_GE(next, now);
      const std::size_t before = recorder.happened().size();
      recorder.run(now, next);  // nothing happens before
      ASSERT_EQ(recorder.happened().size(), before);
      recorder.run(next, next + 1);
      ASSERT_GT(recorder.happened().size(), before);
      now = next + 1;
    }
    EXPECT_EQ(recorder.departures_left(), 0U);
  }
}

// A frame of a lane takes effect at its time, whatever the window that it is fetched in; those of
// one lane may overtake each other.
TEST(LpWindow, BringsLinkControlToItsTime) {
  Recorder recorder(2, 1);
  Link& link = recorder.link(0);
  for (const auto& frame : {std::pair{35, 0U}, {12, 1U}, {12, 2U}}) {
    link.control_in.push(Picoseconds(frame.first), recorder.worker().pool, [&](Packet& packet) {
      packet = {};
      packet.sequence = frame.second;
    });
    recorder.worker().activity.set(link.activity_index);
  }
  EXPECT_EQ(next_event_time(recorder.lp(), Picoseconds(10)), Picoseconds(10));
  recorder.run(10, 20);
  recorder.run(20, 30);
  ASSERT_EQ(recorder.happened().size(), 2U);
  EXPECT_EQ(recorder.happened()[0].order & 0xffffffffU, 1U);
  EXPECT_EQ(recorder.happened()[1].order & 0xffffffffU, 2U);
  EXPECT_EQ(next_event_time(recorder.lp(), Picoseconds(30)), Picoseconds(35));
  recorder.run(30, 40);
  EXPECT_EQ(recorder.happened().size(), 3U);
}

// Of twenty links into the logical process one has packets, for two windows: only that one is
// looked at, until it has nothing left. Its memory is asked for while eight others lie before it,
// so not at all.
TEST(LpWindow, LooksAtNoLinkThatNothingComesBy) {
  Recorder recorder(40, 1);
  recorder.send(17, 12);
  recorder.send(17, 25);
  recorder.run(10, 20);
  EXPECT_EQ(recorder.happened().size(), 1U);
  recorder.run(20, 30);
  recorder.run(30, 40);
  ASSERT_EQ(recorder.happened().size(), 2U);
  EXPECT_EQ(recorder.happened()[1].time, 25);
  EXPECT_EQ(recorder.fetched(), 0U);
  for (std::uint32_t local = 0; local < 20; ++local) recorder.send(local, 45);
  recorder.run(40, 50);
  EXPECT_EQ(recorder.happened().size(), 22U);
  EXPECT_EQ(recorder.fetched(), 20 - kStateAhead);
}

TEST(LpWindow, ThatDoesNotReadSignalsLooksAtEveryLink) {
  Recorder recorder(40, 1);
  recorder.send(17, 12);
  recorder.send(3, 25);
  recorder.run(10, 20, false);
  EXPECT_EQ(recorder.happened().size(), 1U);
  EXPECT_EQ(recorder.fetched(), 20 - kStateAhead);
  recorder.run(20, 30);  // what is left on a link control events again
  EXPECT_EQ(recorder.happened().size(), 2U);
  EXPECT_EQ(recorder.fetched(), 20 - kStateAhead);
}

TEST(EventKeys, HoldTimeRankAndPort) {
  for (const std::uint32_t ports : {1U, 2U, 3U, 64U, 65U, 1000U}) {
    const EventKeys keys(ports);
    for (const Picoseconds time : {Picoseconds(0), Picoseconds(1), Picoseconds(1L << 45)}) {
      for (const std::uint32_t local : {0U, ports - 1}) {
        EXPECT_FALSE(keys.is_arrival(keys.departure(time, local)));
        EXPECT_TRUE(keys.is_arrival(keys.arrival(time, local)));
        for (const std::uint64_t key : {keys.departure(time, local), keys.arrival(time, local)}) {
          EXPECT_EQ(keys.time_of(key), time);
          EXPECT_EQ(keys.local_of(key), local);
          EXPECT_LT(key, keys.departure(time + Picoseconds(1), 0));
        }
        EXPECT_LT(keys.departure(time, ports - 1), keys.arrival(time, 0));
      }
    }
  }
}

TEST(EventKeys, OfAnLpSayTheSameTimesFromALaterEpochOn) {
  LogicalProcess lp;
  lp.keys = EventKeys(4);
  lp.next.reset(8);
  lp.next.update(1, lp.keys.departure(Picoseconds(1'000), 1));
  lp.next.update(6, lp.keys.arrival(Picoseconds(1'500), 2));
  move_origin(lp, Picoseconds(900));
  EXPECT_EQ(lp.next.top(), lp.next.key(1));
  EXPECT_EQ(lp.next.top(), lp.keys.departure(Picoseconds(1'000), 1));
  EXPECT_EQ(lp.keys.time_of(lp.next.key(1)), Picoseconds(1'000));
  EXPECT_EQ(lp.next.key(6), lp.keys.arrival(Picoseconds(1'500), 2));
  EXPECT_EQ(lp.next.key(0), WinnerTree::kNone);
  lp.next.remove(1);
  EXPECT_EQ(lp.keys.time_of(lp.next.top()), Picoseconds(1'500));
}

}  // namespace
}  // namespace weft
