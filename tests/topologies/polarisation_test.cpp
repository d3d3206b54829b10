// Polarisation: where two tiers hash alike, the second one repeats the first one's choice, and of
// its links only few are used. A cascade of two tiers of two links: flows come to a top switch from
// a leaf that has already sent them here and not to the other switch by the same bit.

#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <cstdint>
#include <map>
#include <set>

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

constexpr std::uint32_t kFlows = 4096;

/// How many of the links out of the second tier that each of its switches has are used by flows
/// from one leaf, on average over the switches: 8 pods, 8 spines per pod, 8 super-spines per spine.
double used_links(PathHash hash) {
  ClosSpec spec = clos({racks_of(8, 1, server(0, 1))}, 8);
  spec.pods = 8;
  spec.super_spines = 64;
  spec.routing.hash = hash;
  const Network net(spec);
  std::map<PortId, std::set<PortId>> second_of_first;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    const HostId to(1 + i % 7);
    const std::uint32_t entropy = flow_entropy(HostId(0U), to, i);
    const auto path = flow_path(net.fabric, net.routes, 1, HostId(0U), to, entropy);
    EXPECT_EQ(path.size(), 6U);
    second_of_first[path[1]].insert(path[2]);
  }
  EXPECT_EQ(second_of_first.size(), 8U) << "the first tier spreads whatever the hash";
  double used = 0;
  for (const auto& [first, second] : second_of_first) used += static_cast<double>(second.size());
  return used / static_cast<double>(second_of_first.size());
}

// 512 flows per spine on 8 links: independent choices leave one unused with a chance of
// 64 x (7/8)^512, below 1e-27. The same choice again uses 1 of 8.
TEST(Polarisation, ShowsWithEqualSeedsAndGoesWithDifferentOnes) {
  EXPECT_DOUBLE_EQ(used_links({.type = PathHash::Type::kMix, .seeds = PathHash::Seeds::kSame}),
                   1.0);
  EXPECT_DOUBLE_EQ(used_links({.type = PathHash::Type::kMix, .seeds = PathHash::Seeds::kPerSwitch}),
                   8.0);
}

// CRC is linear: another start changes the hash of all flows by the same bits, so flows that met
// before meet again, and other seeds are no help.
TEST(Polarisation, OfCrc16StaysWithDifferentSeeds) {
  EXPECT_DOUBLE_EQ(used_links({.type = PathHash::Type::kCrc16, .seeds = PathHash::Seeds::kSame}),
                   1.0);
  EXPECT_DOUBLE_EQ(
      used_links({.type = PathHash::Type::kCrc16, .seeds = PathHash::Seeds::kPerSwitch}), 1.0);
}

// Against the implementation of Boost, from any start.
TEST(Polarisation, Crc16IsTheStandardOne) {
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t value = i * 2'654'435'761U;
    const auto start = static_cast<std::uint16_t>(i * 40'503U);
    boost::crc_optimal<16, 0x1021, 0, 0, false, false> crc(start);
    for (int byte = 3; byte >= 0; --byte) {
      crc.process_byte(static_cast<unsigned char>(value >> (8 * byte)));
    }
    EXPECT_EQ(crc16(start, value), crc.checksum());
  }
}

}  // namespace
}  // namespace weft::topologies
