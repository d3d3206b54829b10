#include "topologies/analysis/bisection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/topologies/domain_fabrics.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

std::vector<HostId> all_hosts(const Fabric& fabric) {
  std::vector<HostId> hosts;
  for (std::size_t i = 0; i < fabric.hosts.size(); ++i) hosts.emplace_back(i);
  return hosts;
}

std::optional<Bisection> by_flow(const Fabric& fabric,
                                 NetworkKind network = NetworkKind::kScaleOut) {
  return find_bisection(fabric, NetworkView(fabric, network), all_hosts(fabric));
}
std::optional<Bisection> by_formula(const Fabric& fabric,
                                    NetworkKind network = NetworkKind::kScaleOut) {
  return closed_form_bisection(fabric, NetworkView(fabric, network), all_hosts(fabric));
}

// A k-ary fat tree is non-blocking: k^3/8 hosts of each half send at their full 400 Gbps.
TEST(Bisection, FatTreesHaveFullBisection) {
  for (const std::uint32_t k : {2U, 4U, 6U, 8U}) {
    const Fabric fabric = Network(fat_tree(k)).fabric;
    const BitsPerSecond full = 400_Gbps * (k * k * k / 8);
    EXPECT_EQ(by_flow(fabric)->rate, full) << k;
    EXPECT_EQ(by_flow(fabric)->hosts, full) << k;
    EXPECT_EQ(by_formula(fabric)->rate, full) << k;
    EXPECT_EQ(by_formula(fabric)->method, Bisection::Method::kClosedForm);
  }
}

// R racks of h hosts under s spines at 400 Gbps: half the racks send R/2 * min(h, s) * 400 Gbps.
TEST(Bisection, LeafSpinesHaveThatOfTheirUplinks) {
  for (const std::uint32_t racks : {2U, 4U, 8U}) {
    for (const std::uint32_t spines : {1U, 3U, 8U, 12U}) {
      const Fabric fabric = Network(leaf_spine(racks, 8, spines)).fabric;
      const BitsPerSecond expected = 400_Gbps * (racks / 2) * std::min(8U, spines);
      EXPECT_EQ(by_flow(fabric)->rate, expected) << racks << " " << spines;
      EXPECT_EQ(by_flow(fabric)->method, Bisection::Method::kMaxFlow);
      EXPECT_EQ(by_formula(fabric)->rate, expected) << racks << " " << spines;
      EXPECT_EQ(by_formula(fabric)->hosts, 400_Gbps * (racks / 2) * 8);
    }
  }
}

// Three racks of 4 under one spine: the half of 6 hosts is a rack and two hosts of the next. The
// rack sends 400 Gbps up its link, the two hosts 800 to the other two under their leaf: 1,200. No
// formula, for three racks cannot be halved.
TEST(Bisection, OddNumbersOfRacksAreSplit) {
  const Fabric fabric = Network(leaf_spine(3, 4, 1)).fabric;
  EXPECT_EQ(by_flow(fabric)->rate, 1200_Gbps);
  EXPECT_FALSE(by_formula(fabric).has_value());
}

// 36 GPUs of 18 links of 400 Gbps: 259.2 Tbps per direction, 32.4 TB/s.
TEST(Bisection, Nvl72IsNonBlocking) {
  const Fabric fabric = nvl72_fabric();
  const BitsPerSecond expected = 400_Gbps * 36 * 18;
  EXPECT_EQ(by_flow(fabric, NetworkKind::kScaleUp)->rate, expected);
  EXPECT_EQ(by_formula(fabric, NetworkKind::kScaleUp)->rate, expected);
  EXPECT_FALSE(by_flow(fabric, NetworkKind::kScaleOut).has_value());
}

// DGX-2: 6 scale-up switches with 8 trunks of 25 GB/s: 1.2 TB/s per direction, 2.4 TB/s in both, as
// is published. No formula where links stay within a tier.
TEST(Bisection, TwoBoardsHaveThatOfTheirTrunks) {
  const Fabric fabric = two_boards_fabric();
  EXPECT_EQ(by_flow(fabric, NetworkKind::kScaleUp)->rate, 200_Gbps * 6 * 8);
  EXPECT_FALSE(by_formula(fabric, NetworkKind::kScaleUp).has_value());
}

// Two planes of 4 leaves of 6 hosts at 200 Gbps and 6 spines: 12 hosts with 2 * 200 Gbps.
TEST(Bisection, PlanesAddUp) {
  EXPECT_EQ(by_flow(planes_fabric(2, 4, 6, 6))->rate, 400_Gbps * 12);
  EXPECT_EQ(by_formula(planes_fabric(2, 4, 6, 6))->rate, 400_Gbps * 12);
  EXPECT_EQ(by_flow(planes_fabric(2, 4, 6, 3))->rate, 200_Gbps * 12);
  EXPECT_EQ(by_formula(planes_fabric(2, 4, 6, 3))->rate, 200_Gbps * 12);
}

// On rails, domains are no bottleneck for each other on the same leaf: the narrow cut is between
// rails. 4 domains, 4 rails with one leaf each and one uplink: half of the leaves have 2 uplinks.
TEST(Bisection, RailsAreCutBetweenLeaves) {
  const Fabric fabric =
      PartFabric{.domains = 4, .gpus = 8, .switches = 2, .rails = 4, .spines = 1}.build();
  const std::optional<Bisection> found = by_flow(fabric);
  EXPECT_EQ(found->rate, 400_Gbps * 2);
  EXPECT_NE(found->halves, Bisection::Halves::kHostOrder);
  EXPECT_EQ(found->hosts, 400_Gbps * 16);
  EXPECT_EQ(by_formula(fabric)->rate, 400_Gbps * 2);
}

// The 8 x NVL72 with 144 uplinks of 32 leaves that have 18 GPUs each is non-blocking: 288 * 400.
TEST(Bisection, SuperpodIsNonBlocking) {
  const Fabric fabric = superpod_fabric();
  EXPECT_EQ(by_flow(fabric)->rate, 400_Gbps * 288);
  EXPECT_EQ(by_formula(fabric)->rate, 400_Gbps * 288);
}

// Four GPUs share two NICs of 2 x 400 Gbps, one port to each of two planes, four servers under a
// leaf per plane and rack. Half of the racks have 8 NICs: 8 * 800 Gbps, and no plane lends the
// other its spines by way of a NIC: with one spine less in a plane, what it carries is lost.
TEST(Bisection, NicsAreNoWayBetweenPlanes) {
  ServerPart part = server(4, 2);
  part.scale_up = scale_up(2, {3}, 200_Gbps);
  part.nic.ports = 2;
  ClosSpec spec = clos({racks_of(4, 4, part)}, 8);
  spec.planes = 2;
  const Fabric fabric = Network(spec).fabric;
  ASSERT_TRUE(fabric.node(fabric.peer_node(PortId(fabric.ports_of(NodeId(0U)).size() - 1))).is_nic);
  EXPECT_EQ(by_flow(fabric)->rate, 400_Gbps * 2 * 4 * 2 * 2);
  EXPECT_EQ(by_formula(fabric)->rate, 400_Gbps * 2 * 4 * 2 * 2);
  // All links of the first plane's leaves to spines but one are very slow now.
  Fabric crippled = fabric;
  for (Port& port : crippled.ports) {
    const Node& a = crippled.node(port.node);
    const Node& b = crippled.node(crippled.port(port.peer).node);
    const std::string& spine = a.name < b.name ? b.name : a.name;
    const bool is_uplink = a.tier + b.tier == 5;
    if (is_uplink && spine.starts_with("p0-") && spine != "p0-spine0") port.rate = 1_bps;
  }
  // Two racks: 2 * 400 Gbps by spine 0 of plane 0, 7 links of 1 bps each, and all of plane 1.
  EXPECT_EQ(by_flow(crippled)->rate, 400_Gbps * (2 + 2 * 4 * 2) + 1_bps * 2 * 7);
}

// The flow over switches alone is that over all nodes.
TEST(Bisection, AgreesWithAFlowOverAllNodes) {
  ClosSpec spec = clos({racks_of(4, 2, hgx_h100())}, 3);
  spec.attachment = ClosSpec::Attachment::kRail;
  spec.group = 4;
  const Fabric fabric = Network(spec).fabric;
  const NetworkView view(fabric, NetworkKind::kScaleOut);
  const auto n = static_cast<std::uint32_t>(fabric.hosts.size());
  for (const std::uint32_t stride : {1U, 2U, 5U, n / 2}) {
    std::vector<Side> sides(n, Side::kSecond);
    const auto is_first = [stride](std::uint32_t host) { return host / stride % 2 == 0; };
    for (std::uint32_t host = 0; host < n; ++host) {
      if (is_first(host)) sides[host] = Side::kFirst;
    }
    EXPECT_EQ(max_flow(view, sides).count() / 1'000'000'000,
              max_flow_gbps(fabric, NetworkKind::kScaleOut, is_first));
  }
}

// Equal totals hide a cut where the wiring is not the same for all: two leaves on one spine, two on
// another, one thin link between the spines through a core.
TEST(Bisection, FormulaRefusesWhatIsNotRegular) {
  CustomSpec spec;
  for (const char* name : {"a", "b", "c", "d"}) spec.nodes.push_back(host(name));
  for (const char* name : {"l1", "l2", "l3", "l4"}) spec.nodes.push_back(switch_of_tier(name, 1));
  for (const char* name : {"s1", "s2", "s3"}) spec.nodes.push_back(switch_of_tier(name, 2));
  spec.links = {link("a", "l1"),  link("b", "l2"),  link("c", "l3"),  link("d", "l4"),
                link("l1", "s1"), link("l2", "s1"), link("l2", "s2"), link("l3", "s2"),
                link("l3", "s3"), link("l4", "s3")};
  const Fabric fabric = Network(spec).fabric;
  EXPECT_FALSE(by_formula(fabric).has_value());
  EXPECT_EQ(by_flow(fabric)->rate, 100_Gbps);
}

// Beyond the largest network for flows the formula answers, or nobody.
TEST(Bisection, LargeNetworksAreAnsweredByTheFormula) {
  const Fabric regular = Network(leaf_spine(4, 8, 4)).fabric;
  const NetworkView view(regular, NetworkKind::kScaleOut);
  const auto found = find_bisection(regular, view, all_hosts(regular), 1);
  EXPECT_EQ(found->method, Bisection::Method::kClosedForm);
  EXPECT_EQ(found->rate, 400_Gbps * 8);
  const Fabric odd = Network(leaf_spine(3, 8, 4)).fabric;
  EXPECT_FALSE(
      find_bisection(odd, NetworkView(odd, NetworkKind::kScaleOut), all_hosts(odd), 1).has_value());
}

}  // namespace
}  // namespace weft::topologies
