// NewReno's reaction (RFC 5681): slow start by a packet per packet, then a packet per window; half
// of the window at a mark or a loss, once per window of data; one packet after a time-out.

#include "protocols/congestion/new_reno/new_reno.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft::protocols::congestion {
namespace {

/// A sender that always has as many packets in flight as its window allows.
struct NewRenoSender {
  explicit NewRenoSender(const NewRenoConfig& config = {}) : p(config) {
    s.start(p, {.line_rate = 100'000_Mbps, .packet = 9'038_B});
    fill();
  }
  void fill() { sent = std::max(sent, arrived + s.window(p)); }
  void ack(bool is_marked, std::uint32_t packets = 1) {
    arrived += packets;
    s.on_ack(p,
             {.packets = packets,
              .arrived = arrived,
              .sent = sent,
              .is_marked = is_marked,
              .delay = 10_us},
             1_us);
    fill();
  }
  /// ACKs for everything in flight, each for `packets` packets.
  void round(std::uint32_t packets = 1) {
    const std::uint32_t end = sent;
    while (arrived + packets <= end) ack(false, packets);
    if (arrived != end) ack(false, end - arrived);
  }
  [[nodiscard]] double window() const { return s.window_fixed().to_double(); }

  NewRenoConfig p;
  NewReno s;
  std::uint32_t arrived = 0;
  std::uint32_t sent = 0;
};

TEST(NewReno, SlowStartDoublesPerRoundTripHoweverManyPacketsAnAckAnswers) {
  for (const std::uint32_t every : {1U, 2U, 5U}) {
    NewRenoSender sender;
    for (const double window : {20.0, 40.0, 80.0}) {
      sender.round(every);
      EXPECT_EQ(sender.window(), window) << "an ACK per " << every;
    }
  }
}

TEST(NewReno, CongestionAvoidanceAddsAPacketPerRoundTrip) {
  NewRenoSender sender({.window = {.initial = 40, .slow_start_limit = 40}});
  for (int i = 1; i <= 20; ++i) {
    sender.round(2);
    EXPECT_NEAR(sender.window(), 40 + i, 0.05 * i) << "the window grows while its ACKs come";
  }
}

TEST(NewReno, SlowStartEndsExactlyAtItsLimit) {
  NewRenoSender sender({.window = {.initial = 10, .slow_start_limit = 15}});
  for (int i = 0; i < 5; ++i) sender.ack(false);
  EXPECT_EQ(sender.window(), 15);
  sender.ack(false);
  EXPECT_NEAR(sender.window(), 15 + 1.0 / 15, 1e-6);
}

// MODEL.md 9.8
TEST(NewReno, CutsOnceForAllThatHadBeenSentByTheFirstMark) {
  NewRenoSender sender({.window = {.initial = 64}});
  const std::uint32_t end = sender.sent;
  sender.ack(true);
  EXPECT_EQ(sender.window(), 32);
  while (sender.arrived != end) sender.ack(true);
  EXPECT_EQ(sender.window(), 32) << "neither another cut nor growth in this round trip";
  sender.fill();
  sender.ack(true);
  EXPECT_EQ(sender.window(), 16) << "the next window has marks, too";
}

TEST(NewReno, AMarkAndALossInOneWindowAreOneCongestionEvent) {
  NewRenoSender sender({.window = {.initial = 64}});
  sender.ack(true);
  sender.s.on_loss(sender.p, LossSignal::kNack, 1_us);
  EXPECT_EQ(sender.window(), 32);
}

TEST(NewReno, WithoutEcnMarksAreNoNews) {
  NewRenoSender sender({.window = {.initial = 64, .ecn = false}});
  sender.ack(true);
  EXPECT_EQ(sender.window(), 65);
  EchoesUntilReduced receiver;
  EXPECT_EQ(receiver.on_marked(sender.p, 1_us), MarkResponse::kNothing);
  EXPECT_EQ(receiver.on_marked(NewRenoConfig(), 1_us), MarkResponse::kEchoUntilReduced);
}

TEST(NewReno, ATimeOutLeavesOnePacketAndHalfOfTheWindowAsThreshold) {
  NewRenoSender sender({.window = {.initial = 64}});
  sender.s.on_loss(sender.p, LossSignal::kTimeout, 1_us);
  EXPECT_EQ(sender.window(), 1);
  // A second one in a row says nothing of what the path bears (RFC 5681, 3.1).
  sender.s.on_loss(sender.p, LossSignal::kTimeout, 2_us);
  EXPECT_EQ(sender.window(), 1);
  sender.arrived = sender.sent;
  sender.fill();
  for (const double window : {2.0, 4.0, 8.0, 16.0, 32.0}) {
    sender.round();
    EXPECT_EQ(sender.window(), window) << "slow start up to half of what it was";
  }
  sender.round();
  EXPECT_NEAR(sender.window(), 33, 0.05);
}

TEST(NewReno, NoReductionLeavesLessThanTwoPacketsAndOfAMarkOne) {
  NewRenoSender sender({.window = {.initial = 3}});
  sender.s.on_loss(sender.p, LossSignal::kNack, 1_us);
  EXPECT_EQ(sender.window(), 2) << "RFC 5681, equation 4";
  NewRenoSender marked({.window = {.initial = 2}});
  for (int i = 0; i < 8; ++i) marked.ack(true);
  EXPECT_EQ(marked.window(), 1) << "RFC 3168, 6.1.2";
}

// MODEL.md 9.9
TEST(NewReno, TheWindowGrowsOnlyWhileAllOfItIsInUse) {
  NewRenoSender sender({.window = {.initial = 10, .slow_start_limit = 10}});
  for (int i = 0; i < 100; ++i) {
    ++sender.arrived;
    sender.s.on_ack(sender.p, {.packets = 1, .arrived = sender.arrived, .sent = sender.arrived + 3},
                    1_us);
  }
  EXPECT_EQ(sender.window(), 10) << "four were in flight";
}

TEST(NewReno, AnAckThatRepeatsTheLastLetsNothingGrow) {
  NewRenoSender sender;
  ++sender.arrived;
  sender.s.on_ack(sender.p,
                  {.packets = 1, .arrived = sender.arrived, .sent = sender.sent, .may_grow = false},
                  1_us);
  EXPECT_EQ(sender.window(), 10);
}

}  // namespace
}  // namespace weft::protocols::congestion
