#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/import/support/samples.hpp"
#include "tools/import/cluster/cluster.hpp"
#include "tools/import/names/leave_out.hpp"

// NICs of other networks, and servers of which nobody knows which NIC is which.

namespace weft::import {
namespace {

constexpr int kServers = 4;
constexpr int kNics = 8;

/// `nvidia-smi topo -m` of 8 GPUs with a NIC each, and of NICs that no GPU is near.
std::string matrix(int nics) {
  std::string text;
  for (int g = 0; g < kNics; ++g) text += "\tGPU" + std::to_string(g);
  for (int n = 0; n < nics; ++n) text += "\tNIC" + std::to_string(n);
  text += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  for (int g = 0; g < kNics; ++g) {
    text += "GPU" + std::to_string(g);
    for (int other = 0; other < kNics; ++other) text += g == other ? "\t X " : "\tNV18";
    for (int n = 0; n < nics; ++n) text += n == g ? "\tPIX" : "\tNODE";
    text += "\t0-55\t0\tN/A\n";
  }
  for (int n = 0; n < nics; ++n) {
    text += "NIC" + std::to_string(n);
    for (int g = 0; g < kNics; ++g) text += n == g ? "\tPIX" : "\tNODE";
    for (int other = 0; other < nics; ++other) text += n == other ? "\t X " : "\tNODE";
    text += "\n";
  }
  text += "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n";
  for (int n = 0; n < nics; ++n) {
    text += "  NIC" + std::to_string(n) + ": mlx5_" + std::to_string(n) + "\n";
  }
  return text;
}

/// Eight slots of every server, and below it what `more` says of it.
std::string cables(const std::string& more) {
  std::string text = "from,from_port,to,to_port,rate\n";
  for (int s = 1; s <= kServers; ++s) {
    const std::string server = "gpu" + std::to_string(s);
    for (int n = 0; n < kNics; ++n) {
      text += server + ",ens" + std::to_string(n + 1) + "np0,leaf1,Ethernet" +
              std::to_string(s * 100 + n) + ",400G\n";
    }
    if (!more.empty()) text += server + "," + more + std::to_string(s) + ",25G\n";
  }
  return text;
}

Cluster joined(const std::string& server, const std::string& list, Description& description,
               std::vector<std::string> without = {}) {
  read_file(InputFile("topo-gpu1.txt", server), nullptr, description);
  read_file(InputFile("cables.csv", list), nullptr, description);
  JoinOptions options;
  options.without = std::move(without);
  return join(description, options);
}

std::size_t errors_in(const Description& description) {
  return static_cast<std::size_t>(
      std::ranges::count(description.remarks, Severity::kError, &Remark::severity));
}

TEST(OtherNetworks, MorePortsThanNicsAreOneErrorThatSaysWhatToLeaveOut) {
  Description read;
  joined(matrix(8), cables("eno1,oob,Ethernet"), read);
  EXPECT_EQ(errors_in(read), 1U) << remarks_text(read);
  EXPECT_TRUE(says(read, Severity::kError, 1,
                   "gpu1, gpu2, gpu3, gpu4 have 8 NICs here, and the cables name 9 ports of each"));
  EXPECT_TRUE(says(read, Severity::kError, 1, "out: `--without eno1`; or name NICs"));
  for (const char* pattern : {"eno1", "OOB", "oo*", "*/eno1", "gpu*/eno*"}) {
    Description without;
    const Cluster cluster = joined(matrix(8), cables("eno1,oob,Ethernet"), without, {pattern});
    EXPECT_EQ(errors_in(without), 0U) << pattern << remarks_text(without);
    EXPECT_EQ(cluster.cables.size(), 32U) << pattern;
    EXPECT_EQ(cluster.switches.size(), 1U) << pattern;
    EXPECT_EQ(cluster.excluded, std::vector<std::string>{"oob"}) << pattern;
    EXPECT_TRUE(says(without, Severity::kWarning, 0, "leaves out 4 cables")) << pattern;
  }
}

TEST(OtherNetworks, MoreNicsThanPortsAreOneErrorThatSaysWhatToLeaveOut) {
  Description read;
  joined(matrix(10), cables(""), read);
  EXPECT_EQ(errors_in(read), 1U) << remarks_text(read);
  EXPECT_TRUE(says(read, Severity::kError, 1, "`--without mlx5_8 --without mlx5_9`; or name NICs"));
  Description without;
  const Cluster cluster = joined(matrix(10), cables(""), without, {"mlx5_8", "mlx5_9"});
  EXPECT_EQ(errors_in(without), 0U) << remarks_text(without);
  EXPECT_EQ(cluster.servers.at(0).nics.size(), 8U);
}

// GPUs know their NICs by index: those behind one that is left out move up.
TEST(OtherNetworks, PathsOfGpusFollowTheNicsThatStay) {
  Description read = read_text(matrix(8));
  leave_out(read, {"mlx5_2"});
  ASSERT_EQ(read.servers.at(0).nics.size(), 7U);
  const Server& server = read.servers[0];
  for (std::size_t g = 0; g < server.gpus.size(); ++g) {
    for (std::size_t n = 0; n < server.nics.size(); ++n) {
      const bool is_own = server.nics[n].name == "mlx5_" + std::to_string(g);
      EXPECT_EQ(server.gpus[g].nics.at(n) == PciePath::kPix, is_own) << g << " " << n;
    }
  }
}

TEST(OtherNetworks, AWordThatNamesNothingIsAnError) {
  Description read;
  joined(matrix(8), cables(""), read, {"eno1", "ens1np0x"});
  EXPECT_EQ(errors_in(read), 2U) << remarks_text(read);
  EXPECT_TRUE(
      says(read, Severity::kError, 0, "no device, port or NIC of these files is called so"));
  EXPECT_TRUE(says(read, Severity::kError, 0, "did you mean `ens1np0`?"));
}

// Whatever file a fact is from: here the settings, neighbours and roles of a switch.
TEST(OtherNetworks, SwitchesGoWithAllThatFilesSayOfThem) {
  Description read = read_sample("fabric/config_db-leaf01.json");
  ASSERT_EQ(read.switches.size(), 1U);
  leave_out(read, {"leaf01"});
  EXPECT_TRUE(read.switches.empty());
  EXPECT_TRUE(read.cables.empty());
  EXPECT_TRUE(std::ranges::none_of(read.devices,
                                   [](const Device& device) { return device.name == "leaf01"; }));
  Description slurm = read_sample("fabric/topology.conf");
  leave_out(slurm, {"gpu0*"});
  EXPECT_TRUE(slurm.placements.empty());
}

// Slot names such as ens10 have no order that NICs follow: on it depends which cable is blamed.
TEST(OtherNetworks, AnOrderThatIsAGuessIsAWarningThatSaysWhatSettlesIt) {
  Description read;
  joined(matrix(8), cables(""), read);
  EXPECT_TRUE(says(read, Severity::kWarning, 2,
                   "those of 4 servers are taken in their order (gpu1: mlx5_0 is ens1np0, mlx5_1 "
                   "is ens2np0"));
  EXPECT_TRUE(says(read, Severity::kWarning, 2, "`lstopo --of xml --whole-io` of a server"));
  EXPECT_FALSE(says(read, Severity::kWarning, 2, "NCCL's topology XML"));  // it has no slots
}

// hwloc's file beside a matrix settles it, whichever of them is named first.
TEST(OtherNetworks, InterfacesOfHwlocCompleteAMatrix) {
  const std::string matrix_text = sample_text("server/topo-m-gpu01.txt");
  const std::string hwloc = sample_text("server/lstopo-gpu01.xml");
  const std::string list = sample_text("fabric/cables-generic.csv");
  for (const bool is_first : {false, true}) {
    Description read;
    const InputFile a("topo-gpu01.txt", matrix_text);
    const InputFile b("lstopo-gpu01.xml", hwloc);
    read_file(is_first ? b : a, nullptr, read);
    read_file(is_first ? a : b, nullptr, read);
    read_file(InputFile("cables.csv", list), nullptr, read);
    const Cluster cluster = join(read, {});
    EXPECT_EQ(errors_in(read), 0U) << remarks_text(read);
    EXPECT_FALSE(says(read, Severity::kWarning, 0, "taken in their order")) << remarks_text(read);
    EXPECT_EQ(cluster.servers.at(0).part.value, "hgx-h100");  // NVLinks are the matrix's
    EXPECT_EQ(cluster.servers.at(0).nics.at(0).interface, "enp24s0np0");
  }
}

// SONiC's LeafRouter is the second tier above a ToRRouter; with servers below it it is the first.
TEST(OtherNetworks, TiersCountFromTheSwitchesThatServersAreAttachedTo) {
  Description read;
  read_file(InputFile("config_db.json", R"({"DEVICE_METADATA":{"localhost":{"hostname":"leaf1",
"type":"LeafRouter"}},"PORT":{"Ethernet100":{"speed":"400000"}},
"DEVICE_NEIGHBOR_METADATA":{"spine1":{"type":"SpineRouter"}}})"),
            nullptr, read);
  const Cluster cluster =
      joined(matrix(8), cables("") + "leaf1,Ethernet900,spine1,Ethernet0,400G\n", read);
  ASSERT_EQ(cluster.switches.size(), 2U) << remarks_text(read);
  EXPECT_EQ(cluster.switches[0].tier, 1U);
  EXPECT_EQ(cluster.switches[1].tier, 2U);
  EXPECT_TRUE(std::ranges::any_of(cluster.assumptions, [](const std::string& text) {
    return text.find("files say tier 2 of switches that servers are attached to") !=
           std::string::npos;
  }));
}

}  // namespace
}  // namespace weft::import
