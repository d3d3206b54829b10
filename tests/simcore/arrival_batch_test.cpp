#include "simcore/engine/arrival_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <tuple>
#include <vector>

#include "tests/support/draws.hpp"

namespace weft {
namespace {

/// Links that end at a logical process, what is on them, and the batch of one window after the
/// other.
class Arrivals {
 public:
  explicit Arrivals(std::uint32_t ports) : wires_(ports) {
    for (std::uint32_t i = 0; i < ports; ++i) links_.push_back(std::make_unique<Link>());
  }

  void send(std::uint32_t port, std::int64_t time) {
    const std::uint32_t number = sent_++;
    links_[port]->data_in.push(Picoseconds(time), pool_, [&](Packet& packet) {
      packet = {};
      packet.sequence = number;
    });
    wires_[port].emplace_back(time, number);
  }

  /// All that arrives in [start, end) comes in the order of time, port and place on the link.
  void expect_window(std::int64_t start, std::int64_t end) {
    using Arrival = std::tuple<std::int64_t, std::uint32_t, std::uint32_t>;  // time, port, number
    std::vector<Arrival> expected;
    batch_.begin(Picoseconds(start), Picoseconds(end - start));
    for (std::uint32_t port = 0; port < wires_.size(); ++port) {
      auto& wire = wires_[port];
      while (!wire.empty() && wire.front().first < end) {
        expected.emplace_back(wire.front().first, port, wire.front().second);
        wire.pop_front();
      }
      batch_.gather(*links_[port], port, Picoseconds(end), pool_);
      ASSERT_EQ(links_[port]->in_flight(), wire.size());
    }
    std::ranges::stable_sort(expected, [](const Arrival& a, const Arrival& b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    batch_.sort();
    for (const auto& [time, port, number] : expected) {
      ASSERT_FALSE(batch_.done());
      ASSERT_EQ(batch_.next_time(), Picoseconds(time));
      ASSERT_EQ(batch_.next_port(), port);
      ASSERT_EQ(batch_.pop().sequence, number);
    }
    ASSERT_TRUE(batch_.done());
  }

 private:
  ChunkPool pool_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::deque<std::pair<std::int64_t, std::uint32_t>>> wires_;
  ArrivalBatch batch_;
  std::uint32_t sent_ = 0;
};

TEST(ArrivalBatch, IsDoneWhereNothingArrives) {
  Arrivals arrivals(3);
  arrivals.expect_window(0, 1000);
  arrivals.send(1, 1000);
  arrivals.expect_window(0, 1000);
  arrivals.expect_window(1000, 1001);
}

// From one packet to thousands, spread or all at once, and windows of a picosecond to 4 ms.
TEST(ArrivalBatch, OrdersByTimeThenPortThenPlaceOnTheLink) {
  for (const std::int64_t length : {1L, 2L, 1000L, 1L << 20, (1L << 32) - 2}) {
    for (const std::uint32_t ports : {1U, 2U, 5U, 64U}) {
      for (const std::uint64_t max : {2U, 15U, 17U, 300U}) {
        testing::Draws draws(ports * max + static_cast<std::uint64_t>(length));
        Arrivals arrivals(ports);
        std::int64_t start = draws.between(0, 1L << 50);
        for (int window = 0; window < 4; ++window) {
          // Some spread over the window and the next one, some within a few picoseconds.
          const std::int64_t spread = draws.one_in(2) ? 2 * length : std::min(2 * length, 3L);
          for (std::uint32_t port = 0; port < ports; ++port) {
            std::vector<std::int64_t> times(draws.below(max));
            for (std::int64_t& time : times) time = start + length + draws.between(0, spread - 1);
            std::ranges::sort(times);
            for (const std::int64_t time : times) arrivals.send(port, time);
          }
          start += length;
          ASSERT_NO_FATAL_FAILURE(arrivals.expect_window(start, start + length));
          start += length;
          ASSERT_NO_FATAL_FAILURE(arrivals.expect_window(start, start + length));
        }
      }
    }
  }
}

TEST(ArrivalBatch, TellsTheFirstAndTheLastPicosecondOfAWindow) {
  Arrivals arrivals(2);
  constexpr std::int64_t kStart = 1'000'000'000'000;
  constexpr std::int64_t kLength = (1L << 32) - 2;
  arrivals.send(0, kStart + kLength - 1);
  arrivals.send(0, kStart + kLength);
  arrivals.send(1, kStart);
  arrivals.send(1, kStart + kLength - 1);
  arrivals.expect_window(kStart, kStart + kLength);
  arrivals.expect_window(kStart + kLength, kStart + 2 * kLength);
}

}  // namespace
}  // namespace weft
