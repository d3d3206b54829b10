// The fluid engine against max-min fair shares worked out by hand. Links carry 8 Gbps, a byte per
// nanosecond, or multiples of it, so that all times are whole. Tolerance: none, but where a share
// is no whole number of bytes per picosecond, times are rounded up by less than 1 ps, which is
// said.

#include "simcore/fluid/fluid_network.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/own_process.hpp"

namespace weft::testing {
namespace {

/// One message; message i is posted by process 2i to process 2i + 1 on connection i, unless it
/// shares the connection of an earlier one.
struct Post {
  std::vector<std::uint32_t> route;
  Bytes bytes;
  Picoseconds at{};
};

struct Setting {
  std::vector<BitsPerSecond> links;
  std::vector<Post> posts;
  Picoseconds before{};
  std::uint32_t queue_pairs = 1;
  bool is_one_connection = false;  ///< of all messages
  std::optional<Picoseconds> until{};
  Picoseconds measured_from{};
  std::vector<FluidNetwork::CapacityChange> changes{};
};

class Poster final : public ProcessHandler {
 public:
  explicit Poster(const Setting& setting) : setting_(setting) {}
  void on_start(ProcessContext& context, ProcessId self) override {
    const std::size_t own = self.value() / 2;
    const bool posts_all = setting_.is_one_connection && own == 0;
    const std::size_t count = setting_.posts.size();
    const std::size_t end = posts_all ? count : std::min(own + 1, count);
    if (self.value() % 2 != 0 || (setting_.is_one_connection && !posts_all)) return;
    for (std::size_t i = own; i < end; ++i) {
      if (setting_.posts[i].at > Picoseconds(0)) {
        context.wake_at(setting_.posts[i].at, i);
      } else {
        post(context, i);
      }
    }
  }
  void on_wake(ProcessContext& context, ProcessId, std::uint64_t token) override {
    post(context, token);
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext& context, ProcessId, ConnectionId) override {
    last_acknowledged = context.now();
  }
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

  Picoseconds last_acknowledged;

 private:
  void post(ProcessContext& context, std::uint64_t i) {
    context.post(ConnectionId(setting_.is_one_connection ? 0 : i), setting_.posts[i].bytes);
  }
  const Setting& setting_;
};

/// Delivery of every message in picoseconds, then for every queue pair the bytes it carried, then
/// the time of the last acknowledgement, the status and the time of the end.
std::vector<std::int64_t> run(const Setting& setting) {
  return in_own_process([&setting] {
    const std::size_t connections = setting.is_one_connection ? 1 : setting.posts.size();
    std::vector<Connection> all;
    for (std::size_t i = 0; i < connections; ++i) {
      all.push_back({ProcessId(2 * i), ProcessId(2 * i + 1), 0});
    }
    FluidNetwork network(
        2 * connections, all,
        {.capacities = setting.links,
         .changes = setting.changes,
         .queue_pairs = setting.queue_pairs,
         .control_latency = 1_us,
         .route_of = [&setting](ConnectionId c,
                                std::uint32_t) { return setting.posts[c.value()].route; },
         .transfer_of =
             [&setting](ConnectionId, std::uint32_t, Bytes size) {
               return FluidTransfer{size, setting.before, 0_ps, 3_ns};
             }});
    Poster poster(setting);
    const auto status = network.run(poster, setting.until, setting.measured_from);
    std::vector<std::int64_t> values;
    for (const FluidMessage& m : network.messages())
      values.push_back(m.delivered.value_or(Picoseconds(-1)).count());
    for (std::size_t c = 0; c < connections; ++c) {
      for (std::uint32_t q = 0; q < setting.queue_pairs; ++q) {
        values.push_back(std::llround(network.carried(ConnectionId(c), q)));
      }
    }
    values.push_back(poster.last_acknowledged.count());
    values.push_back(static_cast<std::int64_t>(status));
    values.push_back(network.now().count());
    return values;
  });
}

/// Of all child processes so far.
double processor_seconds_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

std::vector<std::int64_t> deliveries(const Setting& setting) {
  std::vector<std::int64_t> values = run(setting);
  values.resize(setting.posts.size());
  return values;
}

using Times = std::vector<std::int64_t>;

TEST(FluidNetwork, ParkingLotGivesEveryFlowHalfOfEachLink) {
  // One flow over three links of 1 B/ns, and one on each link: all get 1/2, so 1000 B take 2000 ns.
  EXPECT_EQ(
      deliveries({.links = {8_Gbps, 8_Gbps, 8_Gbps},
                  .posts = {{{0, 1, 2}, 1000_B}, {{0}, 1000_B}, {{1}, 1000_B}, {{2}, 1000_B}}}),
      Times({2'000'000, 2'000'000, 2'000'000, 2'000'000}));
}

TEST(FluidNetwork, WhatAFlowCannotUseOnOneLinkGoesToTheOthers) {
  // Link 0: 2 B/ns for flows A and B, 1 each. Link 1: 4 B/ns for A and C: A is held to 1, C gets 3.
  // A and B end at 1200 ns. C has 6000 B: 3600 by then, and the other 2400 at 4 B/ns: 1800 ns.
  EXPECT_EQ(deliveries({.links = {16_Gbps, 32_Gbps},
                        .posts = {{{0, 1}, 1200_B}, {{0}, 1200_B}, {{1}, 6000_B}}}),
            Times({1'200'000, 1'200'000, 1'800'000}));
}

TEST(FluidNetwork, HShapeSharesTheBarAndLeavesTheLegsTheRest) {
  // Legs 0, 1 (left) and 2, 3 (right) of 4 B/ns, the bar (4) of 2 B/ns. Flows: 0-bar-2, 1-bar-3,
  // and 0-1 within the left side. The bar gives 1 each; the left one gets 4 - 1 = 3 on both legs.
  // 900 B of it take 300 ns; the others, 1000 B at 1 B/ns, 1000 ns.
  EXPECT_EQ(deliveries({.links = {32_Gbps, 32_Gbps, 32_Gbps, 32_Gbps, 16_Gbps},
                        .posts = {{{0, 4, 2}, 1000_B}, {{1, 4, 3}, 1000_B}, {{0, 1}, 900_B}}}),
            Times({1'000'000, 1'000'000, 300'000}));
}

TEST(FluidNetwork, AFlowThatEndsLeavesItsShareToTheOthers) {
  // 1000, 2000 and 3000 B on 1 B/ns: at thirds until 3000 ns, at halves until 5000 ns, alone until
  // 6000 ns. A fourth of 500 B comes at 5500 ns: it and the third share until 6500 ns.
  EXPECT_EQ(
      deliveries({.links = {8_Gbps},
                  .posts = {{{0}, 1000_B}, {{0}, 2000_B}, {{0}, 3000_B}, {{0}, 500_B, 5500_ns}}}),
      Times({3'000'000, 5'000'000, 6'500'000, 6'500'000}));
}

TEST(FluidNetwork, SharesThatAreNoWholeNumbersAreRoundedUp) {
  // Three flows of 1 B on 1 B/ns: 3 ns. Three of 1 B on 7 B/ns: 428.57 ps, so 429.
  EXPECT_EQ(deliveries({.links = {8_Gbps}, .posts = {{{0}, 1_B}, {{0}, 1_B}, {{0}, 1_B}}}),
            Times({3000, 3000, 3000}));
  EXPECT_EQ(deliveries({.links = {56_Gbps}, .posts = {{{0}, 1_B}, {{0}, 1_B}, {{0}, 1_B}}}),
            Times({429, 429, 429}));
}

TEST(FluidNetwork, MessagesOfAQueuePairFlowOneAfterTheOther) {
  // Two messages on one queue pair and one on another: the pairs share, not the messages. The first
  // of 1000 B and the other pair's 1000 B end at 2000 ns; the second follows alone: 3000 ns.
  const Setting one{.links = {8_Gbps},
                    .posts = {{{0}, 1000_B}, {{0}, 1000_B}, {{0}, 500_B}, {{0}, 500_B}},
                    .queue_pairs = 2,
                    .is_one_connection = true};
  // Pair 0: 1000 then 500; pair 1: 1000 then 500.
  EXPECT_EQ(deliveries(one), Times({2'000'000, 2'000'000, 3'000'000, 3'000'000}));
  Setting single = one;
  single.queue_pairs = 1;
  EXPECT_EQ(deliveries(single), Times({1'000'000, 2'000'000, 2'500'000, 3'000'000}));
}

TEST(FluidNetwork, LatencyPassesBeforeTheBytesButNotBetweenMessagesOfAQueuePair) {
  // 100 ns before the first 1000 B; the second is ready behind it. The sender knows 3 ns later.
  const Setting setting{.links = {8_Gbps},
                        .posts = {{{0}, 1000_B}, {{0}, 1000_B}},
                        .before = 100_ns,
                        .is_one_connection = true};
  EXPECT_EQ(run(setting), Times({1'100'000, 2'100'000, 2000, 2'103'000, 0, 2'103'000}));
}

TEST(FluidNetwork, NoFlowIsFavouredForItsShortPath) {
  // SimGrid would weigh flows by the inverse of their latencies. Here 1 link or 3, both get half.
  EXPECT_EQ(deliveries({.links = {8_Gbps, 80_Gbps, 80_Gbps},
                        .posts = {{{0}, 1000_B}, {{1, 0, 2}, 1000_B}}}),
            Times({2'000'000, 2'000'000}));
}

TEST(FluidNetwork, StopsAtItsLimitAndCountsWhatHasFlowed) {
  // 1000 and 5000 B share 1 B/ns. At 3000 ns the first is through (2000 ns) and 2000 B of the
  // second.
  const Setting setting{
      .links = {8_Gbps}, .posts = {{{0}, 1000_B}, {{0}, 5000_B}}, .until = 3000_ns};
  const auto limit = static_cast<std::int64_t>(FluidNetwork::Status::kTimeLimit);
  EXPECT_EQ(run(setting), Times({2'000'000, -1, 1000, 2000, 2'003'000, limit, 3'000'000}));
}

TEST(FluidNetwork, ARunThatWouldOutlastTheClockStopsInsteadOfOverflowing) {
  // 1e12 B at 1 Mbps: 8e6 s, and 2^63 ps are 9.2e6 s. The second would end at 16e6 s.
  const Setting setting{.links = {1_Mbps},
                        .posts = {{{0}, Bytes(1'000'000'000'000)}, {{0}, Bytes(1'000'000'000'000)}},
                        .is_one_connection = true};
  const std::vector<std::int64_t> values = run(setting);
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(values[4], static_cast<std::int64_t>(FluidNetwork::Status::kTimeLimit));
  EXPECT_EQ(values[5], 0) << "nothing has happened";
}

TEST(FluidNetwork, ALimitAfterTheEndIsNotReached) {
  const Setting setting{.links = {8_Gbps}, .posts = {{{0}, 1000_B}}, .until = 1_s};
  EXPECT_EQ(run(setting), Times({1'000'000, 1000, 1'003'000, 0, 1'003'000}));
}

TEST(FluidNetwork, MeasurementBeginsInTheMiddleOfAMessage) {
  // At 400 ns half of the 400 B that flowed belong to each; 800 B of each are still to come.
  const Setting setting{
      .links = {8_Gbps}, .posts = {{{0}, 1000_B}, {{0}, 1000_B}}, .measured_from = 400_ns};
  EXPECT_EQ(run(setting), Times({2'000'000, 2'000'000, 800, 800, 2'003'000, 0, 2'003'000}));
}

TEST(FluidNetwork, ALinkThatChangesItsRateSharesItAnewAtOnce) {
  // Two flows of 1000 B on 2 B/ns: 400 B each by 400 ns. Then 0.5 B/ns: 100 B each more by 800 ns.
  // Then 4 B/ns for the last 500 B each, at 2 B/ns: 1050 ns.
  EXPECT_EQ(deliveries({.links = {16_Gbps},
                        .posts = {{{0}, 1000_B}, {{0}, 1000_B}},
                        .changes = {{800_ns, 0, 32_Gbps}, {400_ns, 0, 4_Gbps}}}),
            Times({1'050'000, 1'050'000}));
}

TEST(FluidNetwork, AnEmptyRouteTakesNoTime) {
  EXPECT_EQ(deliveries({.links = {8_Gbps}, .posts = {{{}, 1000_B, 5_ns}}}), Times({5000}));
}

TEST(FluidNetwork, ThirtyTwoToOneTakesThirtyTwoTimesAsLong) {
  // 100 MB each into 400 Gbps: 32 x 100e6 B / 50e9 B/s = 64 ms for all of them.
  Setting setting{.links = {400_Gbps}, .posts = {}};
  for (std::uint32_t i = 0; i < 32; ++i) {
    setting.posts.push_back({{i + 1, 0}, 100_MB});
    setting.links.push_back(400_Gbps);
  }
  EXPECT_EQ(deliveries(setting), Times(32, 64'000'000'000));
}

TEST(FluidNetwork, TheSameInputGivesTheSameBits) {
  // 60 flows of odd sizes over 12 links, three links each: 60 completions, none of them whole.
  Setting setting;
  for (std::int64_t l = 1; l <= 12; ++l) setting.links.emplace_back(1'000'000'007 * l);
  for (std::uint32_t i = 0; i < 60; ++i) {
    setting.posts.push_back(
        {{i % 5, 5 + i % 4, 9 + i % 3}, Bytes(1000 + 7919 * i), Picoseconds(i % 7 * 12'345)});
  }
  EXPECT_EQ(run(setting), run(setting));
}

// Cancelling a flow looks through all that flow, which took three times as long here, and whoever
// had asked for the end waited. What has flowed until then counts.
TEST(FluidNetwork, ARunEndsAtOnceWhateverFlows) {
  constexpr std::int64_t kFlows = 50'000;
  Setting setting{.links = {BitsPerSecond(8'000'000'000 * kFlows)}, .posts = {}, .until = 10_us};
  for (std::int64_t i = 0; i < kFlows; ++i) setting.posts.push_back({{0}, 1_MB});
  const double before = processor_seconds_of_children();
  const std::vector<std::int64_t> values = run(setting);
  EXPECT_LT(processor_seconds_of_children() - before, 12);
  EXPECT_EQ(values[0], -1) << "not delivered";
  EXPECT_EQ(values[kFlows], 10'000) << "carried, at a byte per nanosecond";
  EXPECT_EQ(values.back(), 10'000'000);
}

}  // namespace
}  // namespace weft::testing
