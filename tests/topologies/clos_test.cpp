#include "topologies/clos/clos.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "simcore/fabric/path.hpp"
#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"
#include "topologies/analysis/summary.hpp"
#include "topologies/assembly/fabric_graph.hpp"
#include "topologies/fat_tree/fat_tree.hpp"

namespace weft::topologies {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr NetworkKind kScaleOut = NetworkKind::kScaleOut;

std::string name(const Fabric& fabric, NodeId node) { return fabric.node(node).name; }

/// The leaves of a host, in the order of its ports.
std::vector<std::string> leaves_of(const Fabric& fabric, std::uint32_t host) {
  std::vector<std::string> names;
  for (const Port& port : fabric.ports_of(fabric.hosts[host])) {
    const Node& peer = fabric.node(fabric.port(port.peer).node);
    if (peer.network == kScaleOut) names.push_back(peer.name);
  }
  return names;
}

/// Half of the hosts sends what all their NICs carry to the other half, however it is cut in two.
void expect_full_bisection(const Fabric& fabric, std::int64_t gbps_per_host) {
  const auto n = static_cast<std::uint32_t>(fabric.hosts.size());
  const std::int64_t all = n / 2 * gbps_per_host;
  const auto low = [n](std::uint32_t h) { return h < n / 2; };
  const auto even = [](std::uint32_t h) { return h % 2 == 0; };
  const auto quarters = [n](std::uint32_t h) { return h / (n / 4) % 2 == 0; };
  EXPECT_EQ(max_flow_gbps(fabric, kScaleOut, low), all);
  EXPECT_EQ(max_flow_gbps(fabric, kScaleOut, even), all);
  EXPECT_EQ(max_flow_gbps(fabric, kScaleOut, quarters), all);
}

/// Everyone reaches everyone over as many paths as the graph has shortest ones.
void expect_all_shortest_paths(const Network& net) {
  const FabricGraph graph(net.fabric);
  const auto n = static_cast<std::uint32_t>(net.fabric.hosts.size());
  for (std::uint32_t from = 0; from < n; from += 1 + n / 5) {
    const auto counts = graph.path_counts_from(net.fabric.hosts[from]);
    const auto distances = graph.distances_from(net.fabric.hosts[from]);
    for (std::uint32_t to = 0; to < n; ++to) {
      if (to == from) continue;
      const PathCensus census = census_of(net.fabric, net.routes, HostId(from), HostId(to));
      const std::uint32_t node = net.fabric.hosts[to].value();
      EXPECT_EQ(census.paths, counts[node]);
      EXPECT_EQ(census.max_links, distances[node]);
    }
  }
}

// Switches of k ports, half of them down: k leaves of k/2 hosts, k/2 spines, k^2/2 hosts in two
// tiers; k pods of k/2 leaves and k/2 spines and (k/2)^2 super-spines, k^3/4 hosts in three.
TEST(Clos, NonBlockingFabricsHaveTheKnownSizes) {
  for (const std::uint32_t k : {4U, 8U}) {
    const Network two(clos({racks_of(k, k / 2, server(0, 1))}, k / 2));
    EXPECT_EQ(two.fabric.hosts.size(), k * k / 2);
    for (const NodeId at : two.fabric.switches) EXPECT_EQ(two.fabric.node(at).port_count, k);
    expect_full_bisection(two.fabric, 400);

    ClosSpec spec = clos({racks_of(k * k / 2, k / 2, server(0, 1))}, k / 2);
    spec.pods = k;
    spec.super_spines = k * k / 4;
    const Network three(spec);
    EXPECT_EQ(three.fabric.hosts.size(), k * k * k / 4);
    EXPECT_EQ(three.fabric.switches.size(), 5 * k * k / 4);
    for (const NodeId at : three.fabric.switches) EXPECT_EQ(three.fabric.node(at).port_count, k);
    expect_full_bisection(three.fabric, 400);
    expect_all_shortest_paths(three);
  }
}

// 4 pods of 2 racks of 4 servers. Per pod 8 x 400 Gbps come in, leaves have 2 spines x 2 links of
// 200 Gbps (2:1), spines 3 super-spines x 1 link of 400 Gbps each (4 x 200 over 1,200: 0.67).
TEST(Clos, TiersHaveTheirOwnLinksAndOversubscription) {
  ClosSpec spec = clos({racks_of(8, 4, server(0, 1))}, 2);
  spec.links_per_pair = 2;
  spec.uplink.rate = 200_Gbps;
  spec.pods = 4;
  spec.super_spines = 3;
  spec.super_wiring = ClosSpec::SuperSpines::kAll;
  spec.leaf.buffer = 16_MiB;
  spec.spine.latency = 700_ns;
  spec.super_spine.latency = 900_ns;
  const Network net(spec);
  expect_consistent(net.fabric);
  expect_all_shortest_paths(net);
  const TopologySummary summary = summarize(net.fabric);
  ASSERT_EQ(summary.tiers.size(), 3U);
  EXPECT_EQ(summary.tiers[0].switches, 8U);
  EXPECT_EQ(summary.tiers[1].switches, 8U);
  EXPECT_EQ(summary.tiers[2].switches, 3U);
  EXPECT_EQ(summary.cables, 32U + 8 * 2 * 2 + 8 * 3);
  EXPECT_DOUBLE_EQ(summary.tiers[0].oversubscription, 2.0);
  EXPECT_DOUBLE_EQ(summary.tiers[1].oversubscription, 2 * 2 * 200.0 / (3 * 400));
  EXPECT_EQ(net.fabric.nodes[32].name, "leaf0");
  EXPECT_EQ(net.fabric.nodes[32].buffer, 16_MiB);
  EXPECT_EQ(net.fabric.nodes[40].name, "spine0");
  EXPECT_EQ(net.fabric.nodes[40].pipeline, 700_ns);
  EXPECT_EQ(net.fabric.nodes[43].group, 1) << "spine 3 is of pod 1";
  EXPECT_EQ(net.fabric.nodes[48].name, "super0");
  EXPECT_EQ(net.fabric.nodes[48].pipeline, 900_ns);
  // In a pod: 2 spines x 2 links up x 2 down. Between pods: 2 x 2 up, 3 super-spines, any spine of
  // the other pod, 2 down: 4 x 3 x 2 x 2.
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(4U)).paths, 8U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(8U)).paths, 48U);
}

// 8 HGX in groups of 4: leaf 0 ... 7 are the rails of the first group. NIC i of every server of a
// group is on leaf i, so that equal GPUs of a group are two links apart, others four.
TEST(Clos, RailsOfAGroupShareALeaf) {
  ClosSpec spec = clos({racks_of(8, 1, hgx_h100())}, 4);
  spec.attachment = ClosSpec::Attachment::kRail;
  spec.group = 4;
  const Network net(spec);
  expect_consistent(net.fabric);
  for (std::uint32_t gpu = 0; gpu < 64; ++gpu) {
    const std::uint32_t leaf = gpu / 32 * 8 + gpu % 8;
    EXPECT_THAT(leaves_of(net.fabric, gpu), ElementsAre("leaf" + std::to_string(leaf)));
    EXPECT_EQ(net.fabric.host(HostId(gpu)).rail, static_cast<std::int32_t>(gpu % 8));
  }
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(3U), HostId(27U)).max_links, 2U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(3U), HostId(26U)).max_links, 4U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(3U), HostId(35U)).max_links, 4U);
  expect_full_bisection(net.fabric, 400);
}

// 8 x NVL72 on 4 rails: 576 GPUs, 144 NICs per rail leaf.
TEST(Clos, EightNvl72OnFourRails) {
  ClosSpec spec = clos({racks_of(8, 1, nvl72())}, 16);
  spec.attachment = ClosSpec::Attachment::kRail;
  spec.group = 8;
  spec.links_per_pair = 9;
  const Network net(spec);
  expect_consistent(net.fabric);
  const TopologySummary summary = summarize(net.fabric);
  EXPECT_EQ(summary.hosts, 576U);
  EXPECT_EQ(summary.switches, 8U * 18 + 4 + 16);
  EXPECT_EQ(summary.cables, 8U * 1296 + 576 + 4 * 16 * 9);
  EXPECT_THAT(leaves_of(net.fabric, 575), ElementsAre("leaf3"));
  EXPECT_EQ(net.fabric.group_of_domain, std::vector<std::uint32_t>(8, 0));
  expect_full_bisection(net.fabric, 400);
  EXPECT_EQ(net.routes.host_ports(HostId(0U), HostId(71U)).size(), 18U);
  EXPECT_THAT(net.routes.host_ports(HostId(0U), HostId(72U)), ElementsAre(18));
}

// An HGX with 8 NICs, a server of four and one of a single NIC share 8 rail leaves: NIC i is on
// leaf i, and the last leaves have those servers alone that reach so far. Groups of three: the
// second one has a server of four NICs alone, and so nobody on its last four leaves.
TEST(Clos, ServersWithFewerNicsLeaveTheLastRailsToOthers) {
  ClosSpec spec = clos({racks_of(1, 1, server(0, 4)), racks_of(1, 1, hgx_h100()),
                        racks_of(1, 1, server(0, 1)), racks_of(1, 1, server(0, 4))},
                       2);
  spec.attachment = ClosSpec::Attachment::kRail;
  spec.group = 3;
  const Network net(spec);
  expect_consistent(net.fabric);
  for (std::uint32_t nic = 0; nic < 4; ++nic) {
    EXPECT_THAT(leaves_of(net.fabric, nic), ElementsAre("leaf" + std::to_string(nic)));
    EXPECT_EQ(net.fabric.host(HostId(nic)).rail, static_cast<std::int32_t>(nic));
    EXPECT_THAT(leaves_of(net.fabric, 13 + nic), ElementsAre("leaf" + std::to_string(8 + nic)));
  }
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
    EXPECT_THAT(leaves_of(net.fabric, 4 + gpu), ElementsAre("leaf" + std::to_string(gpu)));
    EXPECT_EQ(net.fabric.host(HostId(4 + gpu)).rail, static_cast<std::int32_t>(gpu));
  }
  EXPECT_THAT(leaves_of(net.fabric, 12), ElementsAre("leaf0"));
  EXPECT_EQ(net.fabric.host(HostId(12U)).rail, 0) << "the only NIC is the first";
  EXPECT_EQ(summarize(net.fabric).cables, 4U + (4 * 8 * 2 + 8 * 2 * 5 + 8) + 1 + 4 + 2 * 8 * 2)
      << "NICs, the NVLinks of an HGX, and eight leaves of each group on two spines";
  // NIC 3 of the first server and GPU 3 share a leaf; nothing shares one with GPU 7.
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(3U), HostId(7U)).max_links, 2U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(3U), HostId(11U)).max_links, 4U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(3U), HostId(11U)).paths, 2U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(16U), HostId(11U)).paths, 2U);
  const auto is_hgx = [](std::uint32_t host) { return host >= 4 && host < 12; };
  for (std::uint32_t from = 0; from < 17; ++from) {
    for (std::uint32_t to = 0; to < 17; ++to) {
      if (from == to || (is_hgx(from) && is_hgx(to))) continue;
      const PathCensus census = census_of(net.fabric, net.routes, HostId(from), HostId(to));
      const bool shares_leaf = leaves_of(net.fabric, from) == leaves_of(net.fabric, to);
      EXPECT_EQ(census.paths, shares_leaf ? 1U : 2U) << from << " to " << to;
      EXPECT_EQ(census.max_links, shares_leaf ? 2U : 4U) << from << " to " << to;
    }
  }
}

// The two ports of a NIC on the two leaves of the rack: either takes its host to any other.
TEST(Clos, DualTorHangsANicOnTwoLeavesOfARack) {
  ServerPart part = server(0, 1);
  part.nic.ports = 2;
  ClosSpec spec = clos({racks_of(3, 4, part)}, 4);
  spec.leaves = 2;
  const Network net(spec);
  expect_consistent(net.fabric);
  EXPECT_THAT(leaves_of(net.fabric, 5), ElementsAre("leaf2", "leaf3"));
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(4U), HostId(5U)).paths, 2U);
  // 2 own leaves x 4 spines x 2 leaves of the other.
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(5U)).paths, 16U);
  expect_all_shortest_paths(net);
  expect_full_bisection(net.fabric, 800);
}

// The two ports of a NIC on two fabrics that share no switch: 2 planes x 4 spines paths.
TEST(Clos, DualPlaneHangsANicOnTwoFabrics) {
  ServerPart part = server(0, 1);
  part.nic.ports = 2;
  ClosSpec spec = clos({racks_of(3, 4, part)}, 4);
  spec.planes = 2;
  const Network net(spec);
  expect_consistent(net.fabric);
  EXPECT_EQ(net.fabric.switches.size(), 2U * (3 + 4));
  EXPECT_THAT(leaves_of(net.fabric, 5), ElementsAre("p0-leaf1", "p1-leaf1"));
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(5U)).paths, 8U);
  expect_all_shortest_paths(net);
  for (const Port& port : net.fabric.ports) {
    const std::string from = name(net.fabric, port.node);
    const std::string to = name(net.fabric, net.fabric.port(port.peer).node);
    if (from.front() == 'p' && to.front() == 'p') {
      EXPECT_EQ(from.substr(0, 2), to.substr(0, 2)) << "planes share no link";
    }
  }
  expect_full_bisection(net.fabric, 800);
}

// Two tiers of switches of k ports, P planes: k^2/2 NICs, P 3k/2 switches. By that k = 512 and P =
// 8 make 131,072 NICs and 6,144 switches.
TEST(Clos, M8_PlanesOfTwoTiersOfKPortSwitches) {
  for (const auto& [k, planes] : {std::pair{8U, 2U}, {8U, 4U}, {16U, 8U}}) {
    ServerPart part = server(0, 1);
    part.nic.ports = planes;
    ClosSpec spec = clos({racks_of(k, k / 2, part)}, k / 2);
    spec.planes = planes;
    const auto built = build_fabric(spec);
    ASSERT_TRUE(built.ok()) << built.errors().front().to_string();
    const Fabric& fabric = built.value();
    EXPECT_EQ(fabric.hosts.size(), k * k / 2);
    EXPECT_EQ(fabric.switches.size(), planes * 3 * k / 2);
    for (const NodeId at : fabric.switches) EXPECT_EQ(fabric.node(at).port_count, k);
  }
}

// Port p of every NIC is in plane p, and a route stays in the plane that it begins in.
TEST(Clos, FatTreesMayBePlanes) {
  FatTree tree;
  tree.k = 4;
  tree.planes = 4;
  tree.server = server(0, 1);
  tree.server.nic.ports = 4;
  ASSERT_TRUE(check_fat_tree(tree.k, tree.server, tree.planes).empty());
  FabricParts parts;
  parts.racks = tree.own_racks();
  parts.racks.front().access = parts.uplink = parts.super_uplink = {100_Gbps, 100_ns};
  const Network net(tree.specification(parts));
  expect_consistent(net.fabric);
  EXPECT_EQ(net.fabric.hosts.size(), 16U);
  EXPECT_EQ(net.fabric.switches.size(), 4U * 20);
  EXPECT_THAT(leaves_of(net.fabric, 3),
              ElementsAre("p0-pod0-edge1", "p1-pod0-edge1", "p2-pod0-edge1", "p3-pod0-edge1"));
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(15U)).paths, 4U * 4);
  expect_all_shortest_paths(net);
  tree.server.nic.ports = 3;
  EXPECT_THAT(check_fat_tree(4, tree.server, 4).front().message,
              HasSubstr("has NICs of 3 ports; a NIC has ports to 4 planes"));
}

// NIC i of every server is in plane i: hosts of two planes do not reach each other.
TEST(Clos, APlaneMayHaveANicOfEveryServer) {
  ServerPart part = server(4, 4);
  part.scale_up = scale_up(1, {1}, 400_Gbps);
  ClosSpec spec = clos({racks_of(2, 2, part)}, 2);
  spec.planes = 4;
  spec.plane_of = ClosSpec::PlaneOf::kNic;
  const Network net(spec);
  expect_consistent(net.fabric);
  EXPECT_THAT(leaves_of(net.fabric, 1), Contains("p1-leaf0"));
  EXPECT_THAT(leaves_of(net.fabric, 14), Contains("p2-leaf1"));
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(1U), HostId(9U)).paths, 2U);
  for (std::uint32_t at = 0; at < net.fabric.switches.size(); ++at) {
    if (net.fabric.switch_node(SwitchId(at)).name != "p1-leaf0") continue;
    EXPECT_TRUE(net.routes.next_hops(SwitchId(at), HostId(10U)).empty());
    EXPECT_EQ(net.routes.next_hops(SwitchId(at), HostId(9U)).size(), 2U);
  }
  const auto error = [](const ClosSpec& wrong) {
    const auto built = build_fabric(wrong);
    return built.ok() ? std::string() : built.errors().front().to_string();
  };
  spec.planes = 3;
  EXPECT_THAT(error(spec), HasSubstr("racks.server.nics: is 4; with `plane_of: nic` the 3 planes"));
  spec.planes = 4;
  spec.racks[0].server.rails = 2;
  EXPECT_THAT(error(spec), HasSubstr("racks.server.rails: is 2; with `plane_of: nic` NICs of one"));
}

// Two GPUs share a NIC with two ports, and each of these is on a leaf of its own.
TEST(Clos, SharedNicsMayHaveTwoPortsToo) {
  ServerPart part = server(2, 1);
  part.nic.ports = 2;
  ClosSpec spec = clos({racks_of(2, 2, part)}, 2);
  spec.leaves = 2;
  const Network net(spec);
  expect_consistent(net.fabric);
  // GPU, NIC, 2 leaves x 2 spines x 2 leaves, NIC, GPU.
  const PathCensus census = census_of(net.fabric, net.routes, HostId(0U), HostId(4U));
  EXPECT_EQ(census.paths, 8U);
  EXPECT_EQ(census.max_links, 6U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(2U)).paths, 2U);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(1U)).max_links, 2U);
}

// k = 8: an edge switch has 4 ports for hosts, two servers of two NICs.
TEST(Clos, AFatTreeMayHostServers) {
  FatTree tree;
  tree.k = 8;
  tree.server = server(2, 2);
  tree.server.scale_up = scale_up(1, {2}, 400_Gbps);
  ASSERT_TRUE(check_fat_tree(tree.k, tree.server).empty());
  FabricParts parts;
  parts.racks = tree.own_racks();
  parts.racks.front().access = parts.uplink = parts.super_uplink = {400_Gbps, 100_ns};
  const ClosSpec spec = tree.specification(parts);
  const Network net(spec);
  expect_consistent(net.fabric);
  EXPECT_EQ(net.fabric.hosts.size(), 128U);
  EXPECT_EQ(net.fabric.switches.size(), 64U + 5 * 16);
  EXPECT_THAT(leaves_of(net.fabric, 3), ElementsAre("pod0-edge0"));
  EXPECT_THAT(leaves_of(net.fabric, 4), ElementsAre("pod0-edge1"));
  expect_full_bisection(net.fabric, 400);
  EXPECT_EQ(check_fat_tree(8, server(3, 3)).front().where.key, "server");
}

TEST(Clos, RefusesWhatCannotBeBuilt) {
  const auto error = [](const ClosSpec& spec) {
    const auto built = build_fabric(spec);
    return built.ok() ? std::string() : built.errors().front().to_string();
  };
  EXPECT_THAT(error(clos({}, 2)), HasSubstr("racks: is empty"));
  ClosSpec spec = clos({racks_of(4, 2, server(0, 1))}, 2);
  spec.planes = 2;
  EXPECT_THAT(error(spec), HasSubstr("racks.server.nic.ports: is 1; a NIC has ports to 2 planes"));
  spec.planes = 1;
  spec.pods = 3;
  spec.super_spines = 2;
  EXPECT_THAT(error(spec), HasSubstr("fabric.pods: is 3; 4 racks or groups"));
  spec.pods = 2;
  spec.super_spines = 3;
  EXPECT_THAT(error(spec), HasSubstr("fabric.super_spines: is 3, which cannot be split"));
  spec.super_wiring = ClosSpec::SuperSpines::kAll;
  EXPECT_EQ(error(spec), "");
  spec.super_uplink.rate = 0_bps;
  EXPECT_THAT(error(spec), HasSubstr("links.super_uplink.rate"));
  spec = clos({racks_of(4'000'000'000, 4'000'000'000, nvl72())}, 4'000'000'000);
  EXPECT_THAT(error(spec), HasSubstr("fabric: the fabric would have"));
}

}  // namespace
}  // namespace weft::topologies
