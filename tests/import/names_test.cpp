#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/import/support/samples.hpp"
#include "tools/import/cluster/anonymise.hpp"
#include "tools/import/cluster/cluster.hpp"

// Names of devices count without case, in one file and between files.

namespace weft::import {
namespace {

struct NamedFile {
  const char* name;
  std::string text;
};

Cluster joined(const std::vector<NamedFile>& files, Description& description,
               const JoinOptions& options = {}) {
  for (const NamedFile& file : files) {
    read_file(InputFile(file.name, file.text), nullptr, description);
  }
  return join(description, options);
}

std::vector<std::string> names_of(const auto& devices) {
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device.name);
  return names;
}

constexpr const char* kHead = "from,from_port,to,to_port\n";

TEST(Names, OneDeviceHasOneSpelling) {
  Description read;
  const Cluster cluster = joined({{"a.csv", std::string(kHead) + "GPU2,eth0,LEAF1,Ethernet0\n"
                                                                 "gpu2,eth1,leaf1,Ethernet4\n"
                                                                 "gpu10,eth0,Leaf1,Ethernet8\n"
                                                                 "GPU3,eth0,leaf1,Ethernet12\n"}},
                                 read);
  EXPECT_FALSE(has_errors(read.remarks)) << remarks_text(read);
  EXPECT_EQ(names_of(cluster.servers), (std::vector<std::string>{"gpu2", "GPU3", "gpu10"}));
  EXPECT_EQ(names_of(cluster.switches), std::vector<std::string>{"leaf1"});
  EXPECT_EQ(cluster.cables.size(), 4U);
  EXPECT_TRUE(says(read, Severity::kWarning, 2,
                   "`GPU2` is `gpu2` of a.csv:3: case does not count in names of devices, also of "
                   "1 more device"));
}

// Without a spelling in small letters the first in order is taken, whatever the order of the files.
TEST(Names, TheSpellingDoesNotDependOnTheOrderOfFiles) {
  const NamedFile a{"a.csv", std::string(kHead) + "Gpu6,eth0,leaf1,Ethernet0\n"};
  const NamedFile b{"b.csv", std::string(kHead) + "GPU6,eth1,leaf1,Ethernet4\n"};
  for (const std::vector<NamedFile>& files : {std::vector{a, b}, std::vector{b, a}}) {
    Description read;
    EXPECT_EQ(names_of(joined(files, read).servers), std::vector<std::string>{"GPU6"});
    EXPECT_TRUE(says(read, Severity::kWarning, 2, "`Gpu6` is `GPU6` of b.csv:2"));
  }
}

TEST(Names, APortOfADeviceInAnotherCaseIsTheSamePort) {
  EXPECT_TRUE(says(read_text(std::string(kHead) + "GPU1,eth0,leaf1,p1\ngpu1,eth0,leaf1,p2\n"),
                   Severity::kError, 3, "one port holds one cable"));
  EXPECT_TRUE(says(read_text(std::string(kHead) + "GPU1,eth0,leaf1,p1\nLEAF1,p1,gpu1,eth0\n"),
                   Severity::kWarning, 3, "row 3 repeats row 2"));
  EXPECT_TRUE(says(read_text(std::string(kHead) + "GPU1,eth0,gpu1,eth0\n"), Severity::kError, 2,
                   "both ends are"));
}

TEST(Names, FilesAndPatternsNameDevicesInAnyCase) {
  const std::string neighbours =
      R"({"lldp":{"interface":[{"eth0":{"via":"LLDP","chassis":{"LEAF1":{"id":{"type":"mac",
"value":"02:00:00:01:00:01"}}},"port":{"id":{"type":"ifname","value":"Ethernet0"}}}}]}})";
  Description read;
  const Cluster cluster = joined({{"lldpctl-GPU1.json", neighbours},
                                  {"a.csv", std::string(kHead) + "gpu1,eth0,leaf1,Ethernet0\n"}},
                                 read);
  EXPECT_EQ(names_of(cluster.servers), std::vector<std::string>{"gpu1"}) << remarks_text(read);
  EXPECT_EQ(cluster.cables.size(), 1U);
  JoinOptions options;
  options.servers = {"NODE*"};
  Description plain;
  const Cluster named = joined({{"b.csv", std::string(kHead) + "node1,a,tor,b\n"}}, plain, options);
  EXPECT_EQ(names_of(named.servers), std::vector<std::string>{"node1"}) << remarks_text(plain);
}

TEST(Names, AreReplacedInAnyCase) {
  Description read;
  const Cluster cluster =
      joined({{"a.csv", std::string(kHead) + "gpu1,eth0,leaf1,Ethernet0\n"}}, read);
  EXPECT_EQ(Anonymiser(cluster).apply("GPU1 Gpu1 gpu1 gpu10"), "server1 server1 server1 gpu10");
}

}  // namespace
}  // namespace weft::import
