#include <gtest/gtest.h>

#include "tests/import/support/samples.hpp"

namespace weft::import {
namespace {

constexpr std::int64_t kGbps = 1'000'000'000;

/// What is wrong with a sample, and what must be said of it.
struct BrokenSample {
  const char* name;
  Severity severity;
  int line;  ///< 0: any
  const char* words;
};

void PrintTo(const BrokenSample& sample, std::ostream* out) { *out << sample.name; }

class BrokenSamples : public ::testing::TestWithParam<BrokenSample> {};

TEST_P(BrokenSamples, AreAnswered) {
  const BrokenSample& sample = GetParam();
  const Description read = read_sample(std::string("broken/") + sample.name);
  EXPECT_TRUE(says(read, sample.severity, sample.line, sample.words));
  if (sample.severity == Severity::kError) {
    EXPECT_EQ(facts_text(read), "");
  } else {
    EXPECT_NE(facts_text(read), "");
    EXPECT_FALSE(has_errors(read.remarks)) << remarks_text(read);
  }
}

constexpr Severity kE = Severity::kError;
constexpr Severity kW = Severity::kWarning;
constexpr Severity kF = Severity::kFinding;

INSTANTIATE_TEST_SUITE_P(
    Servers, BrokenSamples,
    ::testing::Values(
        BrokenSample{"nccl-topo-truncated.xml", kE, 0, "ends inside element `pci`"},
        BrokenSample{"nccl-topo-version-2.xml", kE, 1, "version `2`"},
        BrokenSample{"nccl-topo-unknown-element.xml", kW, 5, "`dpu` is not known"},
        BrokenSample{"nccl-topo-unknown-element.xml", kW, 7, "`colour` is not known"},
        BrokenSample{"nccl-topo-speed-in-gbps.xml", kE, 6, "0.4 Gb/s (unit Mb/s); 400000 meant?"},
        BrokenSample{"nccl-topo-no-net.xml", kW, 0, "holds no NIC: only collectives inside"},
        BrokenSample{"nccl-topo-idle-pcie.xml", kW, 0, "all GPUs shows 2.5 GT/s"},
        BrokenSample{"nccl-topo-duplicate-busid.xml", kE, 24, "in lines 9 and 24"},
        BrokenSample{"topo-m-wrapped.txt", kE, 0, "pasted from a narrow window?"},
        BrokenSample{"topo-m-no-nic-legend.txt", kW, 0, "names of NICs are not known"}));

INSTANTIATE_TEST_SUITE_P(
    Cables, BrokenSamples,
    ::testing::Values(
        BrokenSample{"netbox-duplicated-cable.csv", kW, 14, "row 14 repeats row 4"},
        BrokenSample{"netbox-port-used-twice.csv", kE, 7,
                     "`leaf01 Ethernet16` is in row 6 and row 7"},
        BrokenSample{"netbox-cable-to-nowhere.csv", kE, 14, "row 14 has no B end"},
        BrokenSample{"netbox-self-cable.csv", kE, 14, "both ends are `leaf01 Ethernet400`"},
        BrokenSample{"netbox-length-unit-mm.csv", kE, 2, "unit `mm`"},
        BrokenSample{"netbox-length-with-unit.csv", kE, 2, "length `3m`: a number expected"},
        BrokenSample{"netbox-planned.csv", kW, 0, "2 cables planned, left out"},
        BrokenSample{"netbox-missing-column.csv", kE, 1, "no column `side_b_name`"},
        BrokenSample{"cables-rate-in-bytes.csv", kE, 2, "`400G` meant?"},
        BrokenSample{"cables-rate-in-bytes.csv", kE, 3, "counts bytes"},
        BrokenSample{"cables-rate-in-bytes.csv", kE, 4, "`400` has no unit"},
        BrokenSample{"cables-rate-two-bytes.csv", kE, 2, "400000 modulo 65,536"},
        BrokenSample{"cables-rate-two-bytes.csv", kE, 3, "largest value of two bytes"}));

INSTANTIATE_TEST_SUITE_P(Neighbours, BrokenSamples,
                         ::testing::Values(BrokenSample{"lldpctl-truncated.json", kE, 0,
                                                        "the JSON text ends here"},
                                           BrokenSample{"dsx-air-unknown-node.json", kE, 16,
                                                        "link 1 names `leaf03`, which is not in"},
                                           BrokenSample{"cumulus-directed.dot", kW, 1,
                                                        "`digraph` and `->`: read as undirected"}));

INSTANTIATE_TEST_SUITE_P(InfiniBand, BrokenSamples,
                         ::testing::Values(BrokenSample{"ibnetdiscover-one-sided.txt", kW, 0,
                                                        "leaf01[6] is seen from one end only"},
                                           BrokenSample{"ibnetdiscover-unknown-speed.txt", kE, 11,
                                                        "speed `???` of 2 ports"},
                                           BrokenSample{"iblinkinfo-degraded.txt", kF, 0,
                                                        "runs 2X, could be 4X: 200 Gb/s of 400"}));

INSTANTIATE_TEST_SUITE_P(
    Planners, BrokenSamples,
    ::testing::Values(
        BrokenSample{"infragraph-stale-docs.yaml", kE, 0, "`connections` belongs to an older"},
        BrokenSample{"infragraph-stale-docs.yaml", kE, 0, "`giga_bytes_per_second` belongs to"},
        BrokenSample{"infragraph-one2one-lengths.yaml", kE, 44, "one2one of 16 and 12"},
        BrokenSample{"infragraph-unknown-link.yaml", kE, 46, "did you mean `uplink`?"},
        BrokenSample{"infragraph-no-bandwidth.yaml", kE, 0, "link `access` has no bandwidth"},
        BrokenSample{"topograph-old.yaml", kE, 0, "section `nodes` belongs to an older"},
        BrokenSample{"topograph-old.yaml", kE, 0, "section `capacity_blocks` belongs"},
        BrokenSample{"simgrid-bad-parameters.xml", kE, 0, "3 levels are said, 2 given"},
        BrokenSample{"topology-node-twice.conf", kE, 2, "`gpu03` is under `leaf01`"},
        BrokenSample{"topology-bad-hostlist.conf", kE, 1, "are not closed"},
        BrokenSample{"topology-loop.conf", kE, 0, "contain each other"}));

TEST(Samples, SchedulersPlaceNodes) {
  for (const char* name : {"fabric/topology.conf", "fabric/topograph.yaml"}) {
    const Description read = read_sample(name);
    EXPECT_EQ(remarks_text(read), "");
    ASSERT_EQ(read.placements.size(), 4U) << name;
    EXPECT_EQ(read.placements[0].node, "gpu01");
    EXPECT_EQ(read.placements[0].group, "leaf01");
    EXPECT_EQ(read.placements[3].group, "leaf02");
    EXPECT_EQ(read.parents.size(), 2U);
    EXPECT_EQ(read.parents[0].parent, "spine");
  }
  const Description blocks = read_sample("fabric/topology-block.conf");
  EXPECT_EQ(remarks_text(blocks), "");
  ASSERT_EQ(blocks.placements.size(), 4U);
  EXPECT_TRUE(blocks.placements[0].is_block);
}

TEST(Samples, InfragraphHoldsAllCables) {
  const Description read = read_sample("fabric/infragraph.yaml");
  EXPECT_EQ(remarks_text(read), "");
  ASSERT_EQ(read.cables.size(), 64U);
  EXPECT_EQ(read.cables[8].a, (PortName{"server.1", "nic.0"}));
  EXPECT_EQ(read.cables[8].b, (PortName{"leaf.0", "port.8"}));
  EXPECT_EQ(read.cables[8].rate->value.count(), 400 * kGbps);
  EXPECT_EQ(read.devices.size(), 8U);
}

TEST(Samples, SimgridsFatTreeHasItsCables) {
  const Description read = read_sample("fabric/simgrid.xml");
  EXPECT_EQ(remarks_text(read), "");
  ASSERT_EQ(read.cables.size(), 64U);
  std::map<std::pair<std::string, std::string>, int> pairs;
  for (const Cable& cable : read.cables) ++pairs[{cable.a.device, cable.b.device}];
  EXPECT_EQ((pairs[{"nic0", "fabric.1.0"}]), 1);
  EXPECT_EQ((pairs[{"nic16", "fabric.1.1"}]), 1);
  EXPECT_EQ((pairs[{"fabric.1.1", "fabric.2.0"}]), 8);
  EXPECT_EQ((pairs[{"fabric.1.1", "fabric.2.1"}]), 8);
}

TEST(Samples, NcclTopologyHoldsAServer) {
  const Description read = read_sample("server/nccl-topo-gpu01.xml");
  EXPECT_EQ(remarks_text(read), "");
  ASSERT_EQ(read.servers.size(), 1U);
  const Server& server = read.servers[0];
  EXPECT_EQ(server.sockets, 2U);
  EXPECT_EQ(server.nvswitches, 4U);
  ASSERT_EQ(server.gpus.size(), 8U);
  ASSERT_EQ(server.nics.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(server.gpus[i].compute_capability, 90U);
    EXPECT_EQ(server.gpus[i].nvlinks, 18U);
    EXPECT_EQ(server.nics[i].name, "mlx5_" + std::to_string(i));
    EXPECT_EQ(server.nics[i].rate->value.count(), 400 * kGbps);
    EXPECT_GT(server.nics[i].pcie->value.count(), 400 * kGbps);
    EXPECT_EQ(server.nics[i].part, "connectx-7");
    EXPECT_EQ(server.gpus[i].nics.at(i), PciePath::kPix);
    EXPECT_EQ(server.gpus[i].nics.at((i + 4) % 8), PciePath::kSys);
  }
  EXPECT_EQ(server.gpus[0].nics.at(1), PciePath::kNode);
  EXPECT_EQ(server.gpus[0].gpu_direct, true);
  // Each NIC is below a switch of its own, whose link is as wide as its slot.
  EXPECT_NE(server.nics[0].trunk->number, server.nics[1].trunk->number);
  EXPECT_EQ(server.nics[0].trunk->rate->value, server.nics[0].pcie->value);
  EXPECT_EQ(server.nics[0].trunk->rate->where.line, 3);
  EXPECT_EQ(server.socket_link->value.count(), 176 * kGbps);
  ASSERT_EQ(read.recognised.size(), 1U);
  EXPECT_EQ(read.recognised[0], "sample: NCCL topology XML: 2 sockets, 8 GPUs, 8 NICs");
}

TEST(Samples, ANarrowSlotIsAFinding) {
  const Description read = read_sample("server/nccl-topo-gpu03.xml");
  ASSERT_EQ(read.remarks.size(), 1U) << remarks_text(read);
  EXPECT_TRUE(says(read, kF, 81, "NIC `mlx5_5`"));
  const ServerNic& slow = read.servers.at(0).nics.at(5);
  ASSERT_TRUE(slow.full_pcie.has_value());
  EXPECT_EQ(slow.full_pcie->value.count(), 2 * slow.pcie->value.count());
}

TEST(Samples, MatricesWithTabsAndBlanksAreTheSame) {
  const Description tabs = read_sample("server/topo-m-gpu01.txt");
  EXPECT_EQ(remarks_text(tabs), "");
  EXPECT_EQ(facts_text(tabs), facts_text(read_sample("server/topo-m-gpu01-pasted.txt")));
  const Server& server = tabs.servers.at(0);
  const Server nccl = read_sample("server/nccl-topo-gpu01.xml").servers.at(0);
  EXPECT_EQ(server.sockets, 2U);
  ASSERT_EQ(server.gpus.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(server.gpus[i].nics, nccl.gpus[i].nics);
    EXPECT_EQ(server.gpus[i].nvlinks, 18U);
    EXPECT_EQ(server.nics[i].name, nccl.nics[i].name);
    EXPECT_FALSE(server.nics[i].rate.has_value());
  }
}

TEST(Samples, LstopoHoldsTheSamePcieTree) {
  const Description read = read_sample("server/lstopo-gpu01.xml");
  EXPECT_EQ(remarks_text(read), "");
  const Server& server = read.servers.at(0);
  const Server nccl = read_sample("server/nccl-topo-gpu01.xml").servers.at(0);
  EXPECT_EQ(server.host, "gpu01");
  EXPECT_EQ(server.sockets, 2U);
  ASSERT_EQ(server.gpus.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(server.gpus[i].nics, nccl.gpus[i].nics);
    EXPECT_EQ(server.gpus[i].bus_id, nccl.gpus[i].bus_id);
    EXPECT_EQ(server.nics[i].pcie->value, nccl.nics[i].pcie->value);
  }
  EXPECT_EQ(server.nics.at(0).interface, "enp24s0np0");
}

TEST(Samples, CableListsHoldTheSameCables) {
  const Description netbox = read_sample("fabric/netbox-cables.csv");
  EXPECT_EQ(netbox.cables.size(), 64U) << remarks_text(netbox);
  EXPECT_EQ(remarks_text(netbox), "");
  EXPECT_EQ(facts_text(netbox), facts_text(read_sample("fabric/netbox-cables-table-export.csv")));
  for (const char* name :
       {"fabric/cables-generic.csv", "fabric/cables-semicolons.csv", "fabric/cables-tabs.txt"}) {
    Description own = read_sample(name);
    EXPECT_EQ(remarks_text(own), "") << name;
    for (Cable& cable : own.cables) {
      ASSERT_TRUE(cable.rate.has_value()) << name;
      EXPECT_EQ(cable.rate->value.count(), 400 * kGbps) << name;
      cable.rate.reset();
    }
    EXPECT_EQ(facts_text(netbox), facts_text(own)) << name;
  }
}

/// Both ends of all cables, without what one form says and another does not.
std::string ends_of(const Description& description) {
  Description ends;
  for (const Cable& cable : description.cables) {
    Cable& end = ends.cables.emplace_back();
    end.a = cable.a;
    end.b = cable.b;
  }
  return facts_text(ends);
}

TEST(Samples, PlansHoldTheSameCables) {
  const std::string expected = ends_of(read_sample("fabric/netbox-cables.csv"));
  for (const char* name : {"fabric/dsx-air.json", "fabric/cumulus.dot"}) {
    const Description read = read_sample(name);
    EXPECT_EQ(remarks_text(read), "");
    EXPECT_EQ(ends_of(read), expected) << name;
    EXPECT_EQ(read.devices.size(), 8U);
  }
  EXPECT_EQ(ends_of(read_sample("broken/cumulus-directed.dot")), expected);
}

TEST(Samples, LldpNamesNeighboursByAlias) {
  for (const char* name : {"fabric/lldpctl-gpu01.json", "fabric/lldpctl-gpu03.json"}) {
    const Description host = read_sample(name);
    EXPECT_EQ(remarks_text(host), "");
    EXPECT_EQ(host.cables.size(), 8U);
  }
  const Description one = read_sample("fabric/lldpctl-one-interface.json");
  ASSERT_EQ(one.cables.size(), 1U) << remarks_text(one);
  EXPECT_EQ(one.cables[0].a, (PortName{"", "enp24s0np0"}));
  EXPECT_EQ(one.cables[0].b, (PortName{"leaf01", "etp1a", true}));
  EXPECT_EQ(one.cables[0].note, "gpu01:enp24s0np0");
  ASSERT_EQ(one.devices.size(), 1U);
  EXPECT_EQ(one.devices[0].kind, DeviceKind::kSwitch);
  const Description table = read_sample("fabric/lldp-table-leaf01.txt");
  EXPECT_EQ(remarks_text(table), "");
  ASSERT_EQ(table.cables.size(), 32U);
  EXPECT_EQ(table.cables[0].b, (PortName{"gpu01", "enp24s0np0"}));
  EXPECT_EQ(table.cables[16].b, (PortName{"spine01", "etp1a", true}));
}

TEST(Samples, InfiniBandToolsSeeTheSameCables) {
  const Description discover = read_sample("fabric/ibnetdiscover.txt");
  EXPECT_EQ(remarks_text(discover), "");
  ASSERT_EQ(discover.cables.size(), 64U);
  for (const Cable& cable : discover.cables) EXPECT_EQ(cable.rate->value.count(), 400 * kGbps);
  Description links = read_sample("fabric/iblinkinfo.txt");
  EXPECT_EQ(remarks_text(links), "");
  ASSERT_EQ(links.cables.size(), 64U);
  for (const Device& device : discover.devices) {
    EXPECT_EQ(device.tier.has_value(), device.name.starts_with("leaf")) << device.name;
    if (device.kind == DeviceKind::kSwitch) {
      EXPECT_EQ(device.part, "quantum-2");
    }
  }
  std::string a;
  std::string b;
  Description only;
  only.cables = discover.cables;
  a = facts_text(only);
  only.cables = links.cables;
  b = facts_text(only);
  EXPECT_EQ(a, b);
}

TEST(Samples, MarksAndLineEndsDoNotMatter) {
  const Description bom = read_sample("broken/nccl-topo-bom.xml");
  EXPECT_EQ(remarks_text(bom), "");
  EXPECT_EQ(bom.servers.size(), 1U);
  const Description crlf = read_sample("broken/netbox-bom-crlf.csv");
  EXPECT_EQ(remarks_text(crlf), "");
  EXPECT_EQ(crlf.cables.size(), 12U);
  const Description semicolons = read_sample("broken/netbox-semicolons.csv");
  EXPECT_EQ(remarks_text(semicolons), "");
  EXPECT_EQ(facts_text(semicolons), facts_text(crlf));
}

}  // namespace
}  // namespace weft::import
