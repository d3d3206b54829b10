// Scale-up domains: every GPU linked to every scale-up switch of its board. Counts are those of the
// machines: GPUs x links cables, and what a scale-up switch's ports add up to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "simcore/fabric/path.hpp"
#include "tests/topologies/fabric_checks.hpp"
#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"

namespace weft::topologies {
namespace {

using testing::HasSubstr;

/// A server alone.
SingleDomainSpec alone(ServerPart part) {
  part.nics = part.rails = 0;
  return {.racks = {racks_of(1, 1, std::move(part))}};
}

struct Machine {
  std::string name;
  ServerPart part;
  std::uint32_t gpus;
  std::uint32_t switches;
  std::uint32_t cables;
  std::uint32_t links_per_gpu;
  std::uint32_t paths;  ///< between two GPUs: over every scale-up switch, links in x links out
};

std::vector<Machine> machines() {
  ServerPart ualink = server(1024, 1024);
  ualink.scale_up = scale_up(16, {1}, 800_Gbps);
  return {{"DGX A100", dgx_a100(), 8, 6, 96, 12, 6 * 2 * 2},
          {"HGX H100", hgx_h100(), 8, 4, 144, 18, 25 + 16 + 16 + 25},
          {"NVL72", nvl72(), 72, 18, 1296, 18, 18},
          {"1,024 accelerators", ualink, 1024, 16, 16384, 16, 16}};
}

TEST(ScaleUp, DomainsHaveTheLinksOfTheMachine) {
  for (const Machine& machine : machines()) {
    SCOPED_TRACE(machine.name);
    const Network net(alone(machine.part));
    expect_consistent(net.fabric);
    EXPECT_EQ(net.fabric.hosts.size(), machine.gpus);
    EXPECT_EQ(net.fabric.switches.size(), machine.switches);
    EXPECT_EQ(net.fabric.ports.size(), 2 * machine.cables);
    for (const NodeId host : net.fabric.hosts) {
      EXPECT_EQ(net.fabric.node(host).port_count, machine.links_per_gpu);
      EXPECT_EQ(net.fabric.node(host).domain, 0);
    }
    for (const NodeId chip : net.fabric.switches) {
      EXPECT_EQ(net.fabric.node(chip).network, NetworkKind::kScaleUp);
      for (const Port& port : net.fabric.ports_of(chip)) {
        EXPECT_EQ(net.fabric.node(net.fabric.port(port.peer).node).kind, NodeKind::kHost)
            << "switches are not joined";
      }
    }
    EXPECT_EQ(net.fabric.group_of_domain.size(), 1U);
  }
}

TEST(ScaleUp, GpusReachEachOtherThroughExactlyOneSwitch) {
  for (const Machine& machine : machines()) {
    SCOPED_TRACE(machine.name);
    const Network net(alone(machine.part));
    for (std::uint32_t to = 1; to < machine.gpus; to += machine.gpus / 7) {
      const PathCensus census = census_of(net.fabric, net.routes, HostId(0U), HostId(to));
      EXPECT_EQ(census.paths, machine.paths);
      EXPECT_EQ(census.fewest_links, 2U);
      EXPECT_EQ(census.max_links, 2U);
    }
  }
}

// 1,296 links of 50 GB/s in each direction: 129.6 TB/s. Any 36 GPUs send what their 18 links carry,
// 36 x 7.2 Tbps, to the other 36.
TEST(ScaleUp, Nvl72IsNonBlocking) {
  const Network net(alone(nvl72()));
  std::int64_t bits = 0;
  for (const Port& port : net.fabric.ports) bits += port.rate.count();
  EXPECT_EQ(bits / 8, 129'600'000'000'000);
  const auto flow = [&](auto is_source) {
    return max_flow_gbps(net.fabric, NetworkKind::kScaleUp, is_source);
  };
  EXPECT_EQ(flow([](std::uint32_t h) { return h < 36; }), 36 * 18 * 400);
  EXPECT_EQ(flow([](std::uint32_t h) { return h % 2 == 0; }), 36 * 18 * 400);
}

// 2 boards x 8 GPUs x 6 scale-up switches, one link each, and 6 pairs of scale-up switches with 8
// trunks: 96 + 48 cables. A scale-up switch has 8 links to GPUs and 8 trunks. On a board one
// scale-up switch lies between two GPUs (6 paths); across boards two, over any of 8 trunks (48
// paths).
TEST(ScaleUp, Dgx2CrossesTwoSwitchesBetweenBoards) {
  const Network net(alone(dgx_2()));
  expect_consistent(net.fabric);
  EXPECT_EQ(net.fabric.hosts.size(), 16U);
  EXPECT_EQ(net.fabric.switches.size(), 12U);
  EXPECT_EQ(net.fabric.ports.size(), 2U * (96 + 48));
  for (const NodeId chip : net.fabric.switches) EXPECT_EQ(net.fabric.node(chip).port_count, 16U);
  for (const NodeId host : net.fabric.hosts) EXPECT_EQ(net.fabric.node(host).port_count, 6U);
  const PathCensus same = census_of(net.fabric, net.routes, HostId(0U), HostId(7U));
  EXPECT_EQ(same.paths, 6U);
  EXPECT_EQ(same.max_links, 2U);
  const PathCensus across = census_of(net.fabric, net.routes, HostId(0U), HostId(8U));
  EXPECT_EQ(across.paths, 48U);
  EXPECT_EQ(across.fewest_links, 3U);
  EXPECT_EQ(across.max_links, 3U);
  // 48 trunks for 48 links of a board's GPUs: full bisection.
  EXPECT_EQ(max_flow_gbps(net.fabric, NetworkKind::kScaleUp, [](std::uint32_t h) { return h < 8; }),
            48 * 200);
}

// Sending 40, wire 20, scale-up switch 100; wire 20, until the GPU has it 150.
TEST(ScaleUp, LatencyIsTheSumOfTheParts) {
  const Network net(alone(nvl72()));
  const auto path = flow_path(net.fabric, net.routes, 1, HostId(3U), HostId(70U), 5);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(net.fabric.data_latency(path[0]), 40_ns + 20_ns + 100_ns);
  EXPECT_EQ(net.fabric.data_latency(path[1]), 20_ns + 150_ns);
  EXPECT_EQ(net.fabric.port(path[0]).wire_latency, 20_ns) << "what credits take";
}

// Eight HGX H100 on a leaf-spine: scale-up ports come first, then the NIC. Traffic inside a server
// takes the first 18, other traffic the last.
TEST(ScaleUp, DomainsComposeWithAScaleOutFabric) {
  const Network net(clos({racks_of(4, 2, hgx_h100())}, 4));
  expect_consistent(net.fabric);
  EXPECT_EQ(net.fabric.hosts.size(), 64U);
  EXPECT_EQ(net.fabric.switches.size(), 8U * 4 + 4 + 4);
  EXPECT_EQ(net.fabric.group_of_domain.size(), 8U);
  const Node& gpu = net.fabric.host(HostId(9U));
  EXPECT_EQ(gpu.name, "gpu9");
  EXPECT_EQ(gpu.domain, 1);
  EXPECT_EQ(gpu.rail, 1);
  EXPECT_EQ(gpu.port_count, 19U);
  EXPECT_EQ(net.routes.host_ports(HostId(9U), HostId(15U)).size(), 18U);
  EXPECT_EQ(net.routes.host_ports(HostId(9U), HostId(15U)).back(), 17U);
  EXPECT_THAT(net.routes.host_ports(HostId(9U), HostId(16U)), testing::ElementsAre(18));
  const PathCensus inside = census_of(net.fabric, net.routes, HostId(9U), HostId(15U));
  EXPECT_EQ(inside.paths, 82U);
  EXPECT_EQ(inside.max_links, 2U);
  const PathCensus rack = census_of(net.fabric, net.routes, HostId(8U), HostId(0U));
  EXPECT_EQ(rack.paths, 1U);
  EXPECT_EQ(rack.max_links, 2U);
  const PathCensus across = census_of(net.fabric, net.routes, HostId(9U), HostId(63U));
  EXPECT_EQ(across.paths, 4U);
  EXPECT_EQ(across.max_links, 4U);
  // Rows do not multiply with domains: all scale-up switches forward alike, as all GPUs inside a
  // domain do.
  EXPECT_LT(net.routes.rows.size(), 40U);
}

// The NIC is part of the GPU: out, host link 200, NIC 500, wire 50, leaf 500; in, wire 50, NIC 300,
// host link 200. Pauses take the wire alone.
TEST(ScaleUp, NicsOfOneGpuAreFoldedIntoIt) {
  const Network net(clos({racks_of(2, 1, hgx_h100())}, 2));
  const Fabric& fabric = net.fabric;
  const auto path = flow_path(fabric, net.routes, 1, HostId(0U), HostId(8U), 5);
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(fabric.data_latency(path[0]), 200_ns + 500_ns + 50_ns + 500_ns);
  EXPECT_EQ(fabric.data_latency(path[3]), 50_ns + 300_ns + 200_ns);
  EXPECT_EQ(fabric.port(path[0]).wire_latency, 50_ns);
  EXPECT_EQ(fabric.port(path[3]).wire_latency, 50_ns);
}

// Two GPUs of a DGX-2 share a NIC: it is a node between them and the leaf, and the way from one to
// a GPU in another rack has six links. Their own traffic goes over the scale-up switches.
TEST(ScaleUp, SharedNicsAreNodes) {
  const Network net(clos({racks_of(2, 1, dgx_2())}, 2));
  expect_consistent(net.fabric);
  const Fabric& fabric = net.fabric;
  EXPECT_EQ(fabric.switches.size(), 2U * 12 + 2 * 8 + 2 + 2);
  const auto path = flow_path(fabric, net.routes, 1, HostId(2U), HostId(31U), 5);
  ASSERT_EQ(path.size(), 6U);
  const Node& nic = fabric.node(fabric.peer_node(path[0]));
  EXPECT_EQ(nic.name, "nic1");
  EXPECT_TRUE(nic.is_nic);
  EXPECT_EQ(nic.port_count, 3U);
  EXPECT_EQ(fabric.data_latency(path[0]), 200_ns) << "the host link";
  EXPECT_EQ(fabric.data_latency(path[1]), 500_ns + 50_ns + 500_ns) << "NIC, wire, leaf";
  EXPECT_EQ(fabric.data_latency(path[4]), 50_ns + 300_ns) << "wire, NIC";
  EXPECT_EQ(fabric.data_latency(path[5]), 200_ns) << "the host link";
  EXPECT_EQ(fabric.node(fabric.peer_node(path[1])).name, "leaf0");
  EXPECT_EQ(fabric.node(fabric.peer_node(path[1])).tier, 2U);
  EXPECT_EQ(census_of(fabric, net.routes, HostId(2U), HostId(31U)).paths, 2U);
}

// Two plain GPUs behind one NIC and no scale-up switches: what they send each other turns round in
// the NIC.
TEST(ScaleUp, GpusBehindOneNicMeetThere) {
  const Network net(clos({racks_of(2, 1, server(2, 1))}, 2));
  const auto path = flow_path(net.fabric, net.routes, 1, HostId(0U), HostId(1U), 5);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(net.fabric.node(net.fabric.peer_node(path[0])).name, "nic0");
}

// A 400 Gbps NIC behind a host link of 250 Gbps: a node, and the link to it has that rate.
TEST(ScaleUp, NicsThatOutrunTheirHostLinkAreNodes) {
  ServerPart part = hgx_h100();
  part.host_link.rate = 250_Gbps;
  const Network net(clos({racks_of(2, 1, part)}, 2));
  const auto path = flow_path(net.fabric, net.routes, 1, HostId(0U), HostId(8U), 5);
  ASSERT_EQ(path.size(), 6U);
  EXPECT_EQ(net.fabric.port(path[0]).rate, 250_Gbps);
  EXPECT_EQ(net.fabric.port(path[1]).rate, 400_Gbps);
  part.host_link.rate = 400_Gbps;
  EXPECT_EQ(flow_path(Network(clos({racks_of(2, 1, part)}, 2)).fabric,
                      Network(clos({racks_of(2, 1, part)}, 2)).routes, 1, HostId(0U), HostId(8U), 5)
                .size(),
            4U);
}

// So are NICs of servers without GPUs: the host is the memory behind the PCIe link.
TEST(ScaleUp, NicsThatOutrunThePcieLinkOfAServerAreNodes) {
  ServerPart part = server(0, 2);
  part.host_link.rate = 110_Gbps;
  const Network net(clos({racks_of(2, 1, part)}, 2));
  expect_consistent(net.fabric);
  ASSERT_EQ(net.fabric.hosts.size(), 4U);
  EXPECT_EQ(net.fabric.host(HostId(3U)).name, "h3");
  const auto path = flow_path(net.fabric, net.routes, 1, HostId(1U), HostId(2U), 5);
  ASSERT_EQ(path.size(), 6U);
  EXPECT_EQ(net.fabric.port(path.front()).rate, 110_Gbps);
  EXPECT_EQ(net.fabric.port(path.back()).rate, 110_Gbps);
  EXPECT_EQ(net.fabric.node(net.fabric.peer_node(path[0])).name, "nic1");
  part.host_link.rate = 400_Gbps;
  EXPECT_EQ(flow_path(Network(clos({racks_of(2, 1, part)}, 2)).fabric,
                      Network(clos({racks_of(2, 1, part)}, 2)).routes, 1, HostId(1U), HostId(2U), 5)
                .size(),
            4U);
}

/// Ports by the link that they share; those with a link of their own are left out.
std::map<std::uint32_t, std::vector<std::string>> shared_links(const Fabric& fabric) {
  std::map<std::uint32_t, std::vector<std::string>> links;
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    const std::uint32_t link = fabric.ports[p].shared_link;
    if (link != 0) links[link].push_back(fabric.port_name(PortId(p)));
  }
  return links;
}

// Eight NICs in pairs: four links, each of two GPUs towards their NICs, and four back. Through the
// root complex both ways are one.
TEST(ScaleUp, NicsMayShareHostLinks) {
  ServerPart part = hgx_h100();
  part.host_link.rate = 443_Gbps;
  part.host_link.shared_by = 2;
  const Network net(clos({racks_of(2, 1, part)}, 2));
  expect_consistent(net.fabric);
  const auto links = shared_links(net.fabric);
  EXPECT_EQ(links.size(), 16U);
  EXPECT_EQ(links.at(1), (std::vector<std::string>{"gpu0->nic0[0]", "gpu1->nic1[0]"}));
  EXPECT_EQ(links.at(2), (std::vector<std::string>{"nic0[0]->gpu0", "nic1[0]->gpu1"}));
  EXPECT_EQ(links.at(16), (std::vector<std::string>{"nic14[0]->gpu14", "nic15[0]->gpu15"}));
  part.host_link.through = HostLinkPart::Through::kRootComplex;
  const auto around = shared_links(Network(clos({racks_of(2, 1, part)}, 2)).fabric);
  EXPECT_EQ(around.size(), 8U);
  EXPECT_EQ(around.at(1), (std::vector<std::string>{"gpu0->nic0[0]", "gpu1->nic1[0]",
                                                    "nic0[0]->gpu0", "nic1[0]->gpu1"}));
  // A link that carries all its NICs, both ways where they are one, is none.
  part.host_link.rate = 1600_Gbps;
  EXPECT_TRUE(shared_links(Network(clos({racks_of(2, 1, part)}, 2)).fabric).empty());
  part.host_link.rate = 1599_Gbps;
  EXPECT_EQ(shared_links(Network(clos({racks_of(2, 1, part)}, 2)).fabric).size(), 8U);
  // Two GPUs per NIC, four NICs: with one NIC per link, its GPUs share that.
  ServerPart pairs = server(8, 4);
  pairs.host_link.rate = 443_Gbps;
  EXPECT_TRUE(shared_links(Network(clos({racks_of(2, 1, pairs)}, 2)).fabric).empty());
  pairs.host_link.shared_by = 1;
  EXPECT_EQ(shared_links(Network(clos({racks_of(2, 1, pairs)}, 2)).fabric).at(1),
            (std::vector<std::string>{"gpu0->nic0[0]", "gpu1->nic0[1]"}));
}

TEST(ScaleUp, SharedHostLinksThatMeanNothingAreRefused) {
  const auto errors_of = [](const ServerPart& part) {
    const auto fabric = build_fabric(clos({racks_of(2, 1, part)}, 2));
    return fabric.ok() ? std::string() : fabric.errors().front().to_string();
  };
  ServerPart part = hgx_h100();
  part.host_link.shared_by = 2;
  part.host_link.rate.reset();
  EXPECT_NE(errors_of(part).find("racks.server.host_link.rate"), std::string::npos);
  part.host_link.rate = 443_Gbps;
  EXPECT_EQ(errors_of(part), "");
  part.host_link.shared_by = 3;
  EXPECT_NE(errors_of(part).find("racks.server.host_link.shared_by"), std::string::npos);
  ServerPart plain = server(0, 2);
  plain.host_link.rate = 100_Gbps;
  plain.host_link.through = HostLinkPart::Through::kRootComplex;
  EXPECT_NE(errors_of(plain).find("racks.server.host_link.through"), std::string::npos);
}

// Different servers on one fabric: 8 GPUs and 8 NICs, then 2 plain servers of 4 NICs.
TEST(ScaleUp, RacksMayDiffer) {
  const Network net(clos({racks_of(1, 1, hgx_h100()), racks_of(1, 2, server(0, 4))}, 2));
  expect_consistent(net.fabric);
  ASSERT_EQ(net.fabric.hosts.size(), 16U);
  EXPECT_EQ(net.fabric.host(HostId(7U)).name, "gpu7");
  EXPECT_EQ(net.fabric.host(HostId(8U)).name, "h8");
  EXPECT_EQ(net.fabric.host(HostId(8U)).group, 1);
  EXPECT_EQ(net.fabric.host(HostId(8U)).domain, -1);
  EXPECT_EQ(census_of(net.fabric, net.routes, HostId(0U), HostId(15U)).paths, 2U);
}

TEST(ScaleUp, RefusesWhatCannotBeBuilt) {
  const auto error = [](const ServerPart& part) {
    const auto built = build_fabric(clos({racks_of(1, 1, part)}, 1));
    return built.ok() ? std::string() : built.errors().front().to_string();
  };
  ServerPart part = dgx_2();
  part.scale_up->boards = 5;
  EXPECT_THAT(error(part), HasSubstr("racks.server.scale_up.boards: 16 GPUs cannot be split"));
  part = dgx_2();
  part.scale_up->trunks = 0;
  EXPECT_THAT(error(part), HasSubstr("racks.server.scale_up.trunks: is 0"));
  part = hgx_h100();
  part.scale_up->links_per_switch = {5, 4, 5};
  EXPECT_THAT(error(part), HasSubstr("racks.server.scale_up.links_per_switch: has 3 numbers"));
  part = hgx_h100();
  part.scale_up->links_per_switch = {0};
  EXPECT_THAT(error(part), HasSubstr("has a 0"));
  part = hgx_h100();
  part.scale_up->rate = 0_bps;
  EXPECT_THAT(error(part), HasSubstr("racks.server.scale_up.rate: is 0"));
  part = server(8, 3);
  EXPECT_THAT(error(part), HasSubstr("racks.server.nics: is 3; 8 GPUs need"));
  part = server(0, 4);
  part.scale_up = scale_up(1, {1}, 200_Gbps);
  EXPECT_THAT(error(part), HasSubstr("racks.server.scale_up: joins GPUs"));
  part = server(8, 0);
  EXPECT_THAT(error(part), HasSubstr("racks.server.nics: is 0"));
  const auto lone = build_fabric(SingleDomainSpec{.racks = {racks_of(2, 1, server(8, 0))}});
  EXPECT_FALSE(lone.ok());
}

}  // namespace
}  // namespace weft::topologies
