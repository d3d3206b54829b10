#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "tools/import/cluster/anonymise.hpp"
#include "tools/import/cluster/cluster.hpp"
#include "tools/import/cluster/scenario_text.hpp"
#include "tools/import/formats.hpp"
#include "tools/import/parse/quantities.hpp"

// The samples of one cluster (tests/operators): whatever its files are, they join to the same
// cluster, and what contradicts is said with its places.

namespace weft::import {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct JoinedSamples {
  Description description;
  Cluster cluster;

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> texts;
    for (const Remark& remark : description.remarks) texts.push_back(remark.to_string());
    return texts;
  }
  [[nodiscard]] std::string all_remarks() const {
    return fmt::format("{}", fmt::join(remarks(), "\n"));
  }
};

/// `edit` changes what was read before it is joined.
JoinedSamples join_samples(const std::vector<std::string>& names, const JoinOptions& options = {},
                           const std::function<void(Description&)>& edit = {}) {
  JoinedSamples joined;
  for (const std::string& name : names) {
    auto file = InputFile::read(std::string(WEFT_SOURCE_DIR) + "/tests/operators/" + name);
    EXPECT_TRUE(file.ok()) << name;
    read_file(file.value(), nullptr, joined.description);
  }
  if (edit) edit(joined.description);
  joined.cluster = join(joined.description, options);
  return joined;
}

const std::vector<std::string> kConfigs{
    "fabric/config_db-leaf01.json", "fabric/config_db-leaf02.json", "fabric/config_db-spine01.json",
    "fabric/config_db-spine02.json"};
const std::vector<std::string> kTables{
    "fabric/lldp-table-leaf01.txt", "fabric/lldp-table-leaf02.txt", "fabric/lldp-table-spine01.txt",
    "fabric/lldp-table-spine02.txt"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// `gpu01 3 - leaf01`: NICs by their places, which do not depend on how a form calls them.
std::vector<std::string> cables_of(const Cluster& cluster) {
  std::vector<std::string> cables;
  for (const ClusterCable& cable : cluster.cables) {
    const std::string upper = cluster.switches[cable.b.device].name;
    if (cable.a.is_server) {
      cables.push_back(
          fmt::format("{} {} - {}", cluster.servers[cable.a.device].name, cable.a.nic, upper));
    } else {
      const auto [a, b] = std::minmax(cluster.switches[cable.a.device].name, upper);
      cables.push_back(a + " - " + b);
    }
  }
  std::ranges::sort(cables);
  return cables;
}

std::vector<std::string> expected_cables() {
  std::vector<std::string> cables;
  for (int server = 1; server <= 4; ++server) {
    for (int nic = 0; nic < 8; ++nic) {
      cables.push_back(fmt::format("gpu0{} {} - leaf0{}", server, nic, (server + 1) / 2));
    }
  }
  for (int leaf = 1; leaf <= 2; ++leaf) {
    for (int spine = 1; spine <= 2; ++spine) {
      for (int i = 0; i < 8; ++i) cables.push_back(fmt::format("leaf0{} - spine0{}", leaf, spine));
    }
  }
  std::ranges::sort(cables);
  return cables;
}

TEST(Join, EveryListOfCablesIsTheSameCluster) {
  for (const std::vector<std::string>& files :
       {std::vector<std::string>{"fabric/netbox-cables.csv"},
        {"fabric/netbox-cables-table-export.csv"},
        {"fabric/cables-generic.csv"},
        {"fabric/dsx-air.json"},
        {"fabric/cumulus.dot"},
        {"fabric/ibnetdiscover.txt"},
        {"fabric/iblinkinfo.txt"},
        kConfigs,
        kTables + kConfigs}) {
    const JoinedSamples joined = join_samples(files);
    EXPECT_FALSE(has_errors(joined.description.remarks)) << files.front() << joined.all_remarks();
    EXPECT_EQ(cables_of(joined.cluster), expected_cables())
        << files.front() << joined.all_remarks();
  }
}

TEST(Join, FilesCompleteOneAnotherWhateverTheirOrder) {
  std::vector<std::string> files{"server/nccl-topo-gpu01.xml", "server/nccl-topo-gpu03.xml",
                                 "fabric/netbox-cables.csv", "fabric/topology.conf"};
  files = files + kConfigs + kTables;
  JoinedSamples first = join_samples(files);
  ASSERT_FALSE(has_errors(first.description.remarks)) << first.all_remarks();
  std::ranges::reverse(files);
  JoinedSamples second = join_samples(files);
  for (JoinedSamples* joined : {&first, &second}) {
    joined->description.remarks.clear();
    joined->description.recognised.clear();
  }
  const std::string text = scenario_text(first.cluster, first.description, {}, "four");
  EXPECT_EQ(text, scenario_text(second.cluster, second.description, {}, "four"));
  EXPECT_THAT(text, HasSubstr("{count: 1, servers: 4, server: hgx-h100}"));
  EXPECT_THAT(
      text, HasSubstr("switch: {part: tomahawk-5, buffer: 166115492B, headroom_pool: 22035008B}"));
  EXPECT_THAT(
      text,
      HasSubstr("{from: gpu03/mlx5_5, to: leaf02, rate: 400Gbps, length: 3m, cable: copper}"));
  EXPECT_THAT(text, HasSubstr("  - {type: link-rate, from: gpu03/mlx5_5, rate: "));
  EXPECT_THAT(text, HasSubstr("kmin: 1048576B, kmax: 2097152B, pmax: 0.05}"));
  EXPECT_THAT(text, HasSubstr("load_balancing: ecmp  # assumed: no file says it"));
}

// `nvidia-smi topo -m` says NVLinks and no GPU: 8 with 18 links each are H100 or B200 (400 Gbps
// NICs), or B300 (800 Gbps).
TEST(Join, GpusWithoutAKindAreTheLikeliestServer) {
  const std::vector<std::string> files{"server/topo-m-gpu01.txt", "fabric/cables-generic.csv"};
  JoinedSamples joined = join_samples(files);
  ASSERT_FALSE(has_errors(joined.description.remarks)) << joined.all_remarks();
  EXPECT_EQ(joined.cluster.servers.at(0).part.value, "hgx-h100");
  EXPECT_THAT(scenario_text(joined.cluster, joined.description, {}, "four"),
              HasSubstr("server: hgx-h100}  # assumed: 8 GPUs with 18 NVLinks each, NICs of 400 "
                        "Gb/s, and no file says their kind"));
  JoinOptions faster;
  faster.rate = 800_Gbps;
  EXPECT_EQ(join_samples({"server/topo-m-gpu01.txt", "fabric/netbox-cables.csv"}, faster)
                .cluster.servers.at(0)
                .part.value,
            "hgx-b300");
}

// SONiC's buffer_pool_mellanox.lua (sonic-swss) takes the headroom off a pool before it writes its
// size; elsewhere the headroom is a part of it. The sample's pools are 166,115,492 and 22,035,008
// B.
TEST(Join, TheHeadroomPoolIsBesideThePoolOnNvidiasSwitchesAndInItOnOthers) {
  const auto switch_of = [](const std::string& part) {
    JoinedSamples joined = join_samples(kTables + kConfigs, {}, [&](Description& all) {
      for (SwitchSettings& one : all.switches) one.part = part;
    });
    return scenario_text(joined.cluster, joined.description, {}, "four");
  };
  EXPECT_THAT(switch_of("tomahawk-5"), HasSubstr("buffer: 166115492B, headroom_pool: 22035008B}"));
  EXPECT_THAT(switch_of("spectrum-4"), HasSubstr("buffer: 188150500B, headroom_pool: 22035008B}"));
}

// A profile of a lossless group has a `size`. With a headroom pool it is what the group has to
// itself: `xon` below the threshold, and the rest of its headroom. Without one it has all of the
// headroom in it, as NVIDIA's switches have: xon + xoff.
TEST(Join, TheSizeOfAProfileIsReadByWhetherThereIsAHeadroomPool) {
  const auto settings_of = [](bool has_pool, Bytes size, Bytes xon) {
    JoinedSamples joined = join_samples(kTables + kConfigs, {}, [&](Description& all) {
      for (SwitchSettings& one : all.switches) {
        if (!has_pool) one.headroom_pool.reset();
        for (auto& [name, port] : one.ports) {
          for (ClassSettings& made : port.classes) {
            if (!made.ingress || !made.ingress->headroom) continue;
            made.ingress->reserved.value = size;
            made.ingress->headroom->value = 100_KB;
            made.ingress->xon = Stated<Bytes>{xon, {}};
          }
        }
      }
    });
    return scenario_text(joined.cluster, joined.description, {}, "four");
  };
  const auto is_without_own_headroom = Not(HasSubstr("headroom_reserved:"));
  const std::string with_pool = settings_of(true, 20_KB, 5_KB);
  EXPECT_THAT(with_pool, HasSubstr(" reserved: 5000B"));
  EXPECT_THAT(with_pool, HasSubstr("headroom: 100000B"));
  EXPECT_THAT(with_pool, HasSubstr("headroom_reserved: 15000B"));
  // Nothing says what of it is below the threshold: all of it is.
  const std::string without_xon = settings_of(true, 20_KB, 0_B);
  EXPECT_THAT(without_xon, HasSubstr(" reserved: 20000B"));
  EXPECT_THAT(without_xon, is_without_own_headroom);
  const std::string with_all_headroom = settings_of(false, 120_KB, 5_KB);
  EXPECT_THAT(with_all_headroom, HasSubstr(" reserved: 20000B"));
  EXPECT_THAT(with_all_headroom, is_without_own_headroom);
  // Too small to hold the headroom: it is beside it.
  EXPECT_THAT(settings_of(false, 90_KB, 5_KB), HasSubstr(" reserved: 90000B"));
}

TEST(Join, CrossedCablesAreNamedTogether) {
  const JoinedSamples joined = join_samples(
      std::vector<std::string>{"broken/lldpctl-crossed-cables.json", "fabric/netbox-cables.csv"} +
      kConfigs);
  EXPECT_THAT(joined.remarks(), Contains(::testing::AllOf(HasSubstr("finding"),
                                                          HasSubstr("enp151s0np0 and enp168s0np0"),
                                                          HasSubstr("swapped"))))
      << joined.all_remarks();
}

TEST(Join, ACableThatADeviceDoesNotSeeIsAWarning) {
  const JoinedSamples joined =
      join_samples(std::vector<std::string>{"broken/lldpctl-missing-interface.json",
                                            "fabric/netbox-cables.csv"} +
                   kConfigs);
  EXPECT_THAT(joined.remarks(),
              Contains(::testing::AllOf(HasSubstr("warning"), HasSubstr("enp168s0np0"),
                                        HasSubstr("sees nobody there"))))
      << joined.all_remarks();
}

// Without the settings of the switch its aliases stay unknown; the same near port on the same
// switch is the same cable.
TEST(Join, AliasesThatNobodyResolvesContradictNothing) {
  const JoinedSamples joined =
      join_samples({"fabric/lldpctl-gpu01.json", "fabric/netbox-cables.csv"});
  EXPECT_EQ(cables_of(joined.cluster), expected_cables()) << joined.all_remarks();
  EXPECT_THAT(joined.remarks(), Not(Contains(HasSubstr("is not what is cabled"))));
}

// Which port of the switch it is, LLDP does not say then, and two that are swapped are not seen.
TEST(Join, AliasesThatNobodyResolvesAreAssumed) {
  const JoinedSamples joined =
      join_samples({"broken/lldpctl-crossed-cables.json", "fabric/netbox-cables.csv"});
  EXPECT_THAT(joined.cluster.assumptions,
              Contains(HasSubstr("ports of leaf01 that LLDP calls by an alias")));
}

TEST(Join, ACableThatAListDoesNotHaveIsAWarning) {
  const JoinedSamples joined = join_samples(
      std::vector<std::string>{"fabric/netbox-cables.csv"} + kConfigs, {}, [](Description& all) {
        std::erase_if(all.cables, [](const Cable& cable) {
          return cable.known_by == Knowledge::kDocumented &&
                 (cable.a == PortName{"gpu03", "enp168s0np0"} ||
                  cable.b == PortName{"gpu03", "enp168s0np0"});
        });
      });
  EXPECT_THAT(joined.remarks(),
              Contains(::testing::AllOf(HasSubstr("warning"),
                                        HasSubstr("gpu03 enp168s0np0 to leaf02 Ethernet20 is not "
                                                  "in"),
                                        HasSubstr("netbox-cables.csv"))))
      << joined.all_remarks();
}

// With no class that pauses a watchdog has nothing to look after, and a scenario would be refused.
TEST(Join, AWatchdogIsWrittenWhereAClassHasPfc) {
  const auto text_of = [](const std::vector<std::string>& names) {
    JoinedSamples joined = join_samples(names);
    return scenario_text(joined.cluster, joined.description, {}, "some");
  };
  EXPECT_THAT(text_of(kConfigs), HasSubstr("pfc_watchdog: {detection: 200ms"));
  EXPECT_THAT(text_of({"broken/config_db-dscp-lossy.json"}), Not(HasSubstr("pfc_watchdog")));
}

TEST(Join, PlacementAloneIsNoFabric) {
  const JoinedSamples joined = join_samples({"fabric/topology.conf"});
  EXPECT_THAT(joined.remarks(), Contains(HasSubstr("error: no file names a cable")));
}

TEST(Join, APlacementThatTheCablesContradictIsFound) {
  JoinedSamples joined;
  read_file(InputFile("topology.conf",
                      "SwitchName=leaf01 Nodes=gpu[02-04]\n"
                      "SwitchName=leaf02 Nodes=gpu01\n"),
            nullptr, joined.description);
  auto cables =
      InputFile::read(std::string(WEFT_SOURCE_DIR) + "/tests/operators/fabric/cables-generic.csv");
  read_file(cables.value(), nullptr, joined.description);
  joined.cluster = join(joined.description, {});
  EXPECT_THAT(joined.remarks(), Contains(HasSubstr("gpu01 is placed under leaf02")))
      << joined.all_remarks();
}

TEST(Join, NamesAndAddressesAreReplacedConsistently) {
  const JoinedSamples joined = join_samples(std::vector<std::string>{"fabric/netbox-cables.csv"});
  Anonymiser anonymiser(joined.cluster);
  const std::string text = anonymiser.apply(
      "gpu01 10.0.0.1 02:00:00:00:01:00 0x0200000000000100 fe80::1 Serial Number: MT2241X00123\n"
      "gpu010 leaf02 10.0.0.1 0000:18:00.0 10.0.0.2 12:34:56\n");
  EXPECT_EQ(
      text,
      "server1 198.18.0.1 02:00:00:00:00:01 0x0200000000000001 2001:db8::1 Serial Number: SERIAL1\n"
      "gpu010 leaf2 198.18.0.1 0000:18:00.0 198.18.0.2 12:34:56\n");
  EXPECT_EQ(anonymiser.apply("fe80::1 10.0.0.2"), "2001:db8::1 198.18.0.2");
}

// Slots of generation 4 behind NICs of 400 Gb/s: 16 GT/s over 16 lanes, coded 128 in 130, in
// packets of 256 B with 26 B of headers. One that was trained with half of the lanes is a fault
// besides.
TEST(Join, SlotsThatDoNotKeepUpWithTheirNicsAreHostLinks) {
  const BitsPerSecond slot = pcie_payload(16, 16);
  EXPECT_EQ(slot, BitsPerSecond(228'822'000'000));
  const auto text_with = [](BitsPerSecond pcie, std::optional<BitsPerSecond> first) {
    JoinedSamples joined = join_samples({"fabric/netbox-cables.csv", "server/nccl-topo-gpu01.xml"},
                                        {}, [&](Description& description) {
                                          for (Server& server : description.servers) {
                                            for (ServerNic& nic : server.nics) {
                                              nic.pcie = {pcie, server.where};
                                            }
                                            if (!first) continue;
                                            server.nics[0].full_pcie = server.nics[0].pcie;
                                            server.nics[0].pcie = {*first, server.where};
                                          }
                                        });
    EXPECT_FALSE(has_errors(joined.description.remarks)) << joined.all_remarks();
    return scenario_text(joined.cluster, joined.description, {}, "slots");
  };
  EXPECT_THAT(text_with(slot, {}), HasSubstr("host_link: {rate: 228822Mbps}"));
  EXPECT_THAT(text_with(slot, {}), HasSubstr("faster than their slots"));
  EXPECT_THAT(text_with(slot, pcie_payload(16, 8)), HasSubstr("host_link: {rate: 228822Mbps}"));
  EXPECT_THAT(text_with(pcie_payload(32, 16), {}), Not(HasSubstr("host_link")));
}

/// The scenario of the cluster whose servers have been changed.
std::string text_with_servers(const std::string& file, const std::function<void(Server&)>& change) {
  JoinedSamples joined =
      join_samples({"fabric/netbox-cables.csv", file}, {}, [&](Description& description) {
        for (Server& server : description.servers) change(server);
      });
  EXPECT_FALSE(has_errors(joined.description.remarks)) << joined.all_remarks();
  return scenario_text(joined.cluster, joined.description, {}, "paths");
}

constexpr const char* kXml = "server/nccl-topo-gpu01.xml";

/// Switches of several NICs side by side.
void plug_together(Server& server, std::uint32_t nics) {
  for (std::size_t i = 0; i < server.nics.size(); ++i) {
    server.nics[i].trunk->number = static_cast<std::uint32_t>(i) / nics;
  }
}

// Without GPU-direct data go up the link above the PCIe switch and down again: 32 GT/s over 16
// lanes. Its payload is 457,644 Mb/s, whatever number of NICs is below.
TEST(Join, WithoutGpuDirectHostLinksGoThroughTheRootComplex) {
  EXPECT_THAT(text_with_servers(kXml, [](Server&) {}), Not(HasSubstr("host_link")));
  const auto off = [](std::uint32_t nics) {
    return text_with_servers(kXml, [nics](Server& server) {
      plug_together(server, nics);
      for (ServerNic& nic : server.nics) nic.gpu_direct = false;
    });
  };
  EXPECT_THAT(off(1), HasSubstr("host_link: {rate: 457644Mbps, through: root-complex}"));
  EXPECT_THAT(off(1), HasSubstr("GPU-direct is off (gdr 0 of the NICs, nccl-topo-gpu01.xml:6)"));
  EXPECT_THAT(off(2),
              HasSubstr("host_link: {rate: 457644Mbps, shared_by: 2, through: root-complex}"));
  EXPECT_THAT(off(2), HasSubstr("the link above 2 NICs"));
  // Of 8 NICs three each and two: no number says it.
  EXPECT_THAT(off(3), HasSubstr("host_link: {rate: 457644Mbps, through: root-complex}"));
  EXPECT_THAT(off(3), HasSubstr("not below PCIe switches side by side"));
  const std::string some =
      text_with_servers(kXml, [](Server& server) { server.nics.front().gpu_direct = false; });
  EXPECT_THAT(some, Not(HasSubstr("host_link: {")));
  EXPECT_THAT(some, HasSubstr("GPU-direct is off for 1 of 8 NICs and 0 of 8 GPUs"));
  const std::string gpus = text_with_servers(kXml, [](Server& server) {
    for (ServerGpu& gpu : server.gpus) gpu.gpu_direct = false;
  });
  EXPECT_THAT(gpus, HasSubstr("gdr 0 of the GPUs, nccl-topo-gpu01.xml:10"));
}

void move_away(Server& server, PciePath nearest) {
  for (ServerGpu& gpu : server.gpus) {
    for (auto& [nic, path] : gpu.nics) path = std::max(path, nearest);
  }
}

// All GPUs on the other socket: NCCL has 22 GB/s between those of the sample, and 16 where no file
// says which they are.
TEST(Join, NicsOnTheWrongSocketShareTheLinkBetweenSockets) {
  const auto far = [](Server& server) { move_away(server, PciePath::kSys); };
  EXPECT_THAT(text_with_servers(kXml, far), HasSubstr("host_link: {rate: 176Gbps, shared_by: 8}"));
  EXPECT_THAT(text_with_servers(kXml, far), HasSubstr("NCCL's figure for this CPU"));
  const std::string matrix = text_with_servers("server/topo-m-gpu01.txt", far);
  EXPECT_THAT(matrix, HasSubstr("host_link: {rate: 128Gbps, shared_by: 8}"));
  EXPECT_THAT(matrix, HasSubstr("assumed: NCCL's figure for AMD"));
}

// Through the root complex on links of their own, both directions remain; two NICs of 400 Gb/s
// below one switch share its link.
TEST(Join, NicsAcrossTheRootComplexHaveTheLinkAboveTheirSwitch) {
  const auto moved = [](std::uint32_t nics) {
    return text_with_servers(kXml, [nics](Server& server) {
      plug_together(server, nics);
      move_away(server, PciePath::kNode);
    });
  };
  EXPECT_THAT(moved(1), Not(HasSubstr("host_link: {")));
  EXPECT_THAT(moved(1), HasSubstr("is NODE away"));
  EXPECT_THAT(moved(2), HasSubstr("host_link: {rate: 457644Mbps, shared_by: 2}"));
  const std::string mixed = text_with_servers(kXml, [](Server& server) {
    for (auto& [nic, path] : server.gpus.front().nics) path = PciePath::kSys;
  });
  EXPECT_THAT(mixed, HasSubstr("PIX of 7 GPUs, SYS of 1 GPU"));
  EXPECT_THAT(mixed, Not(HasSubstr("host_link: {")));
}

TEST(Join, NamesThatYamlOrAScenarioCouldMisreadAreQuoted) {
  JoinedSamples joined;
  read_file(InputFile("cables.csv",
                      "from,from_port,to,to_port,rate,length,medium\n"
                      "yes,eth0,1e3,Ethernet0,400G,3m,copper\n"
                      "yes,eth1,1e3,Ethernet4,400G,3m,copper\n"
                      "\"a: {b}\",eth0,1e3,Ethernet8,400G,3m,copper\n"
                      "\"a: {b}\",eth1,1e3,Ethernet12,400G,3m,copper\n"),
            nullptr, joined.description);
  joined.cluster = join(joined.description, {});
  ASSERT_FALSE(has_errors(joined.description.remarks)) << joined.all_remarks();
  const std::string text = scenario_text(joined.cluster, joined.description, {}, "odd");
  EXPECT_THAT(text, HasSubstr("{name: \"yes\", "));
  EXPECT_THAT(text, HasSubstr("{name: \"1e3\""));
  EXPECT_THAT(text, HasSubstr("{name: \"a: {b}\", "));
}

}  // namespace
}  // namespace weft::import
