#include "protocols/state/old_packets.hpp"

#include <gtest/gtest.h>

#include <bit>

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
    for (const Picoseconds age : {0_ps, 1_ps, 4'294'967'296_ps, 70_ms, 549_ms}) {
      EXPECT_EQ(old.elapsed(sent_at(sent), sent + age), age) << sent.count();
    }
  }
}

// Packets under way for long, on long links or behind slow ones, cost no scan each window: one is
// due every 137 ms.
TEST(OldPackets, ScansFourTimesPerWrapOnly) {
  OldPackets old;
  EXPECT_FALSE(old.is_check_due(137_ms));
  EXPECT_TRUE(old.is_check_due(138_ms));
}

TEST(PacketHeader, KeepsItsPartsApart) {
  Packet packet;
  packet.set_header(262'143, packet_type(PacketKind::kGrant, ClassId(7)), 0);
  set_sent_stamp(packet, ~std::uint64_t{0});
  EXPECT_EQ(packet.destination(), 262'143U);
  EXPECT_EQ(kind_of(packet), PacketKind::kGrant);
  EXPECT_EQ(class_of(packet), ClassId(7));
  EXPECT_EQ(sent_stamp(packet), kSentMask);
  packet.set_destination(0);
  packet.set_type(packet_type(PacketKind::kData, ClassId(0)));
  EXPECT_EQ(packet.destination(), 0U);
  EXPECT_EQ(kind_of(packet), PacketKind::kData);
  EXPECT_EQ(class_of(packet), ClassId(0));
  EXPECT_EQ(sent_stamp(packet), kSentMask);
}

// A bit that meant two things would confuse ACKs with data.
TEST(PacketHeader, EveryFlagHasABitOfItsOwn) {
  unsigned all = 0;
  for (const PacketFlag flag :
       {kMarked, kEchoesMark, kFirst, kLast, kWindowReduced, kPathIsMarked}) {
    EXPECT_EQ(std::popcount(static_cast<unsigned>(flag)), 1);
    EXPECT_EQ(all & flag, 0U);
    all |= flag;
    Packet packet;
    set(packet, flag);
    EXPECT_TRUE(has(packet, flag));
    EXPECT_EQ(packet.flags, flag);
  }
}

}  // namespace
}  // namespace weft::protocols
