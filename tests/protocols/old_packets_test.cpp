#include "protocols/state/old_packets.hpp"

#include <gtest/gtest.h>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {
namespace {

Packet sent_at(Picoseconds time) {
  Packet packet;
  set_sent_stamp(packet, static_cast<std::uint64_t>(time.count()));
  return packet;
}

TEST(OldPackets, ReadsAnyAgeBelowAWrapFromThePacket) {
  const OldPackets old;
  for (const Picoseconds sent : {0_ps, 4'294'967'295_ps, 4'294'967'296_ps, 3'600_s + 1_ps}) {
    for (const Picoseconds age : {0_ps, 1_ps, 4'294'967'296_ps, 700_ms, 70_s}) {
      EXPECT_EQ(old.elapsed(sent_at(sent), sent + age), age) << sent.count();
    }
  }
}

// Packets under way for seconds, on long links or behind slow ones, cost no scan: one is due every
// 17 s.
TEST(OldPackets, ScansEverySeventeenSecondsOnly) {
  OldPackets old;
  EXPECT_FALSE(old.is_look_due(17_s));
  EXPECT_TRUE(old.is_look_due(18_s));
}

TEST(OldPackets, DoesNotTouchTheDestination) {
  Packet packet;
  packet.send_to(262'143, 0);
  set_sent_stamp(packet, ~std::uint64_t{0});
  EXPECT_EQ(packet.destination(), 262'143U);
  EXPECT_EQ(sent_stamp(packet), kSentMask);
  packet.send_to(0, packet.sent_upper());
  EXPECT_EQ(sent_stamp(packet), kSentMask);
}

}  // namespace
}  // namespace weft::protocols
