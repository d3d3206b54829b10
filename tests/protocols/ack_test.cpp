// The 64 bits of an ACK hold what its transport says, in every layout.

#include "protocols/packet/ack.hpp"

#include <gtest/gtest.h>

#include "simcore/base/random.hpp"

namespace weft::protocols {
namespace {

AckFields through_a_packet(const AckFields& fields, AckLayout layout, std::uint32_t near) {
  Packet packet;
  write_ack(packet, layout, fields);
  return read_ack(packet, layout, near);
}

TEST(Ack, InOrderReceiversHaveReceivedWhatTheyDoNotExpect) {
  const AckFields read =
      through_a_packet({.expected = 70'000'000, .received = 70'000'000, .sent = 0xdeadbeef},
                       ack_layout(false, true), 0);
  EXPECT_EQ(read.expected, 70'000'000U);
  EXPECT_EQ(read.received, 70'000'000U);
  EXPECT_EQ(read.sent, 0xdeadbeef);
}

TEST(Ack, CountedAcksSayHowManyHaveArrived) {
  const AckFields read =
      through_a_packet({.expected = 5, .received = 4'000'000'000}, ack_layout(true, false), 0);
  EXPECT_EQ(read.expected, 5U);
  EXPECT_EQ(read.received, 4'000'000'000U);
}

TEST(Ack, SequenceCountAndEchoShareTheirRoomWithoutTouchingEachOther) {
  const RandomStream random(7, Purpose::kTestScenario, 0);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint32_t expected = random.bits32(5 * i);
    const auto early = static_cast<std::uint32_t>(random.below(5 * i + 1, 65'536));
    const std::uint32_t sent = random.bits32(5 * i + 2);
    // The sender knows a sequence number up to 2^23 - 1 before or after.
    const auto off =
        static_cast<std::uint32_t>(random.below(5 * i + 3, (1U << 24U) - 1)) - ((1U << 23U) - 1);
    const AckFields read =
        through_a_packet({.expected = expected, .received = expected + early, .sent = sent},
                         AckLayout::kCountedWithEcho, expected + off);
    ASSERT_EQ(read.expected, expected);
    ASSERT_EQ(read.received, expected + early);
    const auto delay = static_cast<std::int64_t>(random.below(5 * i + 4, 60'000'000'000));
    const Picoseconds now((static_cast<std::int64_t>(sent) << kSendTimeShift) + delay);
    EXPECT_NEAR(static_cast<double>(delay_of(read, AckLayout::kCountedWithEcho, now).count()),
                static_cast<double>(delay), 4'096);
  }
}

TEST(Ack, MorePacketsThanCanBeToldAreToldAsTheMost) {
  const AckFields read =
      through_a_packet({.expected = 9, .received = 9 + 100'000}, AckLayout::kCountedWithEcho, 9);
  EXPECT_EQ(read.received, 9U + 65'535U);
}

// A selective acknowledgement names the packet that it answers; an echo beside it leaves that
// alone.
TEST(Ack, SelectiveAcksNameThePacketThatTheyAnswer) {
  for (const std::uint32_t ahead : {0U, 1U, 255U, 256U, 65'535U}) {
    for (const bool echoes : {false, true}) {
      const AckLayout layout = ack_layout(true, echoes, true);
      const AckFields read = through_a_packet(
          {.expected = 20'000'000, .sent = 0xabcdef00, .ahead = ahead}, layout, 19'999'000);
      EXPECT_EQ(read.expected, 20'000'000U);
      EXPECT_EQ(read.ahead, ahead);
      if (!echoes) continue;
      const Picoseconds now((std::int64_t{0xabcdef00} << kSendTimeShift) + 5'000'000);
      EXPECT_NEAR(static_cast<double>(delay_of(read, layout, now).count()), 5e6, 4'096);
    }
  }
  EXPECT_EQ(through_a_packet({.expected = 7, .received = 9}, ack_layout(true, true), 7).ahead, 0U);
}

}  // namespace
}  // namespace weft::protocols
