#include "protocols/config/headroom.hpp"

#include "protocols/config/response_class.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simcore/base/random.hpp"

namespace weft::protocols {
namespace {

/// The table that SONiC ships for the SN5600 (pg_profile_lookup.ini: port MTU 9216, lossless MTU
/// 1024, packets of 64 B only).
struct Row {
  BitsPerSecond rate;
  Millimetres length;
  Bytes xoff;
};
const std::array<Row, 15> kSn5600Table{{
    {25_Gbps, Millimetres(5'000), 48'128_B},
    {25_Gbps, Millimetres(40'000), 52'224_B},
    {25_Gbps, Millimetres(300'000), 76'800_B},
    {100_Gbps, Millimetres(5'000), 113'664_B},
    {100_Gbps, Millimetres(40'000), 126'976_B},
    {100_Gbps, Millimetres(300'000), 225'280_B},
    {200_Gbps, Millimetres(5'000), 131'072_B},
    {200_Gbps, Millimetres(40'000), 157'696_B},
    {200_Gbps, Millimetres(300'000), 355'328_B},
    {400_Gbps, Millimetres(5'000), 231'424_B},
    {400_Gbps, Millimetres(40'000), 283'648_B},
    {400_Gbps, Millimetres(300'000), 677'888_B},
    {800_Gbps, Millimetres(5'000), 257'024_B},
    {800_Gbps, Millimetres(40'000), 362'496_B},
    {800_Gbps, Millimetres(300'000), 1'150'976_B},
}};

constexpr Sn5600Settings kOfTheTable{.port_mtu = 9216_B, .small_packets = 100};

TEST(Sn5600Headroom, IsTheVendorsTableToTheByte) {
  for (const Row& row : kSn5600Table) {
    EXPECT_EQ(sn5600_headroom(row.rate, row.length, kOfTheTable), row.xoff)
        << row.rate.count() << " bps, " << row.length.count() << " mm";
  }
}

// A length and its propagation time at 198,000 km/s are two ways to say the same.
TEST(Sn5600Headroom, TakesTheWireAsALengthOrAsATime) {
  for (const Row& row : kSn5600Table) {
    // mm / (198e9 mm/s) in picoseconds, rounded to the nearest.
    const Picoseconds time((row.length.count() * 1'000 + 99) / 198);
    EXPECT_EQ(sn5600_headroom(row.rate, time, kOfTheTable), row.xoff)
        << row.length.count() << " mm";
  }
}

// What the vendor's script gives for Spectrum-4 with half of the packets small (sonic-swss#3235).
TEST(Sn5600Headroom, IsTheVendorsSumWithHalfOfThePacketsSmall) {
  EXPECT_EQ(sn5600_headroom(800_Gbps, Millimetres(300'000)), 474'112_B);
  EXPECT_EQ(sn5600_headroom(200_Gbps, Millimetres(40'000)), 65'536_B);
}

std::int64_t cells(std::int64_t bytes, std::int64_t cell) { return (bytes + cell - 1) / cell; }

/// Tries every multiset of sizes: best[w] is the most cells of packets of w bytes in all.
std::int64_t max_cells_by_trying(std::int64_t bytes, std::int64_t smallest, std::int64_t largest,
                                 std::int64_t cell) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(bytes) + 1, 0);
  for (std::int64_t w = 1; w <= bytes; ++w) {
    best[static_cast<std::size_t>(w)] = best[static_cast<std::size_t>(w - 1)];
    for (std::int64_t s = smallest; s <= std::min(largest, w); ++s) {
      best[static_cast<std::size_t>(w)] =
          std::max(best[static_cast<std::size_t>(w)],
                   best[static_cast<std::size_t>(w - s)] + cells(s, cell));
    }
  }
  return best[static_cast<std::size_t>(bytes)];
}

TEST(MostCells, AgreesWithTryingEverySetOfPackets) {
  const RandomStream random(1, Purpose::kPlacement, 0);
  std::uint64_t draw = 0;
  for (int i = 0; i < 400; ++i) {
    const auto cell = static_cast<std::int64_t>(1 + random.below(draw++, 40));
    const auto smallest = static_cast<std::int64_t>(1 + random.below(draw++, 90));
    const auto largest = smallest + static_cast<std::int64_t>(random.below(draw++, 120));
    const auto bytes = static_cast<std::int64_t>(random.below(draw++, 900));
    EXPECT_EQ(max_cells(Bytes(bytes), Bytes(smallest), Bytes(largest), Bytes(cell)),
              max_cells_by_trying(bytes, smallest, largest, cell))
        << bytes << " bytes in packets of " << smallest << " to " << largest << ", cells of "
        << cell;
  }
}

// With cells of one byte k packets take any sum from k m to k M: the most is W, or the largest
// packets as many times as the smallest fit.
TEST(MostCells, OfOneByteAreBytes) {
  for (std::int64_t bytes = 0; bytes < 2'000; bytes += 7) {
    EXPECT_EQ(max_cells(Bytes(bytes), 300_B, 400_B, 1_B), std::min(bytes, bytes / 300 * 400));
  }
}

// 50 GB between XOFF and its effect: a wire around the sun. No loop over it.
TEST(MostCells, OfGigabytesAreBoundedWithoutALoop) {
  const std::int64_t bytes = 50'000'000'000;
  EXPECT_GE(max_cells(Bytes(bytes), 83_B, 4178_B, 192_B), bytes / 83);
  EXPECT_LE(max_cells(Bytes(bytes), 83_B, 4178_B, 192_B), bytes / 83 + 1);
}

HeadroomTerms terms() {
  HeadroomTerms t;
  t.rate = 400_Gbps;
  t.wire = 366'500_ps;
  t.pipeline = 500_ns;
  t.response = 1'158'400_ps;  // 905 quanta
  t.pause_frame = 84_B;
  t.reverse_packet = 4178_B;
  t.smallest = 83_B;
  t.largest = 4178_B;
  return t;
}

// By hand, 400 Gbps being 50 B/ns, all packets of 4178 B, cells of 1 B:
//   the pause waits 83,560 ps and takes 1,680 ps; wire twice 733,000; response 1,158,400; pipeline
//   500,000: 2,476,640 ps, in which 123,832 B start: 29 packets. With the one that crosses and the
//   one that starts at the last instant 31 x 4178 = 129,518 B.
TEST(ExactHeadroom, IsTheSumOfItsTerms) {
  HeadroomTerms t = terms();
  t.smallest = t.largest;
  EXPECT_EQ(exact_headroom(t), 129'518_B);
  // A pause without size or propagation leaves wire, pipeline and response: 2,024,900 ps, 24
  // packets.
  t.pause_frame = 0_B;
  t.pause_propagates = false;
  EXPECT_EQ(exact_headroom(t), 26 * 4178_B);
  // With the pause frame again, behind a packet that holds the egress for 4178 B at 100 Gbps less
  // the 234 B by which it is forwarded: 315,520 ps more than 2,476,640, so 2,792,160 ps, 33
  // packets.
  HeadroomTerms held = terms();
  held.smallest = held.largest;
  held.reverse_hold = 315'520_ps;
  EXPECT_EQ(exact_headroom(held), 35 * 4178_B);
  // Cells of 192 B: 22 for each packet.
  t.cell = 192_B;
  EXPECT_EQ(exact_headroom(t), std::int64_t{26} * 22 * 192_B);
}

TEST(ExactHeadroom, GrowsWithEveryTerm) {
  const Bytes base = exact_headroom(terms());
  const auto with = [](auto change) {
    HeadroomTerms t = terms();
    change(t);
    return exact_headroom(t);
  };
  EXPECT_GT(with([](auto& t) { t.wire += 100_ns; }), base);
  EXPECT_GT(with([](auto& t) { t.pipeline += 100_ns; }), base);
  EXPECT_GT(with([](auto& t) { t.response += 100_ns; }), base);
  EXPECT_GT(with([](auto& t) { t.pause_frame += 100_B; }), base);
  EXPECT_GT(with([](auto& t) { t.reverse_packet += 1000_B; }), base);
  EXPECT_GT(with([](auto& t) { t.largest += 100_B; }), base);
  EXPECT_GT(with([](auto& t) { t.rate = 800_Gbps; }), base);
  EXPECT_GT(with([](auto& t) { t.cell = 192_B; }), base) << "small packets waste cells";
  EXPECT_LT(with([](auto& t) { t.pause_propagates = false; }), base);
  for (std::int64_t ns = 0; ns < 3'000; ns += 13) {
    const auto at = [&](std::int64_t more) {
      return with([&](auto& t) {
        t.wire = Picoseconds((ns + more) * 1'000);
        t.cell = 192_B;
      });
    };
    EXPECT_LE(at(0), at(1)) << ns;
  }
}

/// One host on one switch, a 400 Gbps wire of 100 ns.
Fabric one_host() {
  Fabric fabric;
  fabric.nodes.push_back(
      {.name = "h0", .first_port = PortId(0U), .port_count = 1, .pipeline = 0_ps});
  fabric.nodes.push_back({.name = "s0",
                          .kind = NodeKind::kSwitch,
                          .tier = 1,
                          .first_port = PortId(1U),
                          .port_count = 1,
                          .pipeline = 500_ns});
  fabric.ports.push_back({NodeId(0U), PortId(1U), 400_Gbps, 100_ns});
  fabric.ports.push_back({NodeId(1U), PortId(0U), 400_Gbps, 100_ns});
  fabric.hosts.emplace_back(0U);
  fabric.switches.emplace_back(1U);
  return fabric;
}

TEST(HeadroomOf, IsWhatTheClassAsksFor) {
  const Fabric fabric = one_host();
  SwitchConfig switches;
  const std::vector<TransportConfig> transports{RoceConfig()};
  const auto headroom = [&](PfcConfig::Headroom kind) {
    switches.data().pfc().headroom = kind;
    switches.data().pfc().headroom_bytes = 12'345_B;
    return headroom_of(fabric, PortId(1U), switches, switches.data(), transports);
  };
  EXPECT_EQ(headroom(PfcConfig::Headroom::kShared), 0_B);
  EXPECT_EQ(headroom(PfcConfig::Headroom::kGiven), 12'345_B);
  EXPECT_EQ(headroom(PfcConfig::Headroom::kHpcc), 15'000_B) << "3 x 100 ns x 50 B/ns";
  EXPECT_EQ(headroom(PfcConfig::Headroom::kSn5600), sn5600_headroom(400_Gbps, 100_ns));
  EXPECT_EQ(
      headroom(PfcConfig::Headroom::kExact),
      exact_headroom(headroom_terms(fabric, PortId(1U), switches, switches.data(), transports)));
}

TEST(PacketSizes, DependOnWhatTravelsInTheClass) {
  const SwitchConfig switches;
  RoceConfig roce;
  roce.ack_size = 60_B;
  const auto smallest = [&](std::size_t number) {
    return packet_sizes(switches, switches.classes[ClassId(number)], {roce}).smallest;
  };
  EXPECT_EQ(smallest(0), 60_B) << "ACKs go with the data they answer";
  EXPECT_EQ(smallest(1), 60_B) << "CNPs go in the highest class";
  roce.ack_class = "control";
  EXPECT_EQ(smallest(0), 83_B) << "82 B of headers and one of payload";
  EXPECT_EQ(packet_sizes(switches, switches.data(), {DatagramConfig()}).smallest, 83_B);
  EXPECT_EQ(packet_sizes(switches, switches.data(), {roce}).largest, 4178_B);
  RoceConfig small;
  small.format.payload = 1024_B;
  small.ack_class = small.cnp_class = "control";
  const PacketSizes both = packet_sizes(switches, switches.data(), {small, roce});
  EXPECT_EQ(both.largest, 4178_B) << "of all transports";
}

// The class of a scale-up domain stands last, above all others; no CNP travels in it.
TEST(PacketSizes, OfCnpsCountInTheHighestClassOutsideOfScaleUpDomains) {
  SwitchConfig switches;
  TrafficClass nvlink;
  nvlink.name = "nvlink";
  nvlink.network = NetworkKind::kScaleUp;
  switches.classes.push_back(nvlink);
  RoceConfig roce;
  roce.ack_size = 60_B;
  roce.ack_class = switches.data().name;
  EXPECT_EQ(packet_sizes(switches, switches.classes[ClassId(1)], {roce}).smallest, 60_B);
  EXPECT_EQ(packet_sizes(switches, nvlink, {roce}).smallest, 83_B);
  EXPECT_EQ(highest_class(switches), ClassId(1));
}

}  // namespace
}  // namespace weft::protocols
