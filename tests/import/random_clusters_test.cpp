#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/import/support/random_cluster.hpp"
#include "tools/import/cluster/anonymise.hpp"
#include "tools/import/cluster/cluster.hpp"
#include "tools/import/cluster/scenario_text.hpp"
#include "tools/import/formats.hpp"

// Clusters drawn at random are written in every form by a writer that shares no code with the
// readers. Whatever they are read from, the cables are those that were drawn.

namespace weft::import {
namespace {

using weft::drawn::RandomCluster;
using weft::drawn::WrittenFile;

constexpr std::uint64_t kClusters = 50;

struct Read {
  Description description;
  Cluster cluster;

  [[nodiscard]] std::string remarks() const {
    std::string text;
    for (const Remark& remark : description.remarks) text += remark.to_string() + "\n";
    return text;
  }
};

Read read(const std::vector<WrittenFile>& files, const JoinOptions& options = {}) {
  Read result;
  for (const WrittenFile& written : files) {
    read_file(InputFile(written.name, written.text), nullptr, result.description);
  }
  result.cluster = join(result.description, options);
  return result;
}

/// Cables as RandomCluster::cable_names has them; NICs by their places.
std::vector<std::string> names_of(const RandomCluster& drawn, const Cluster& cluster) {
  std::vector<std::string> names;
  for (const ClusterCable& cable : cluster.cables) {
    const std::string upper = cluster.switches[cable.b.device].name;
    if (cable.a.is_server) {
      const ClusterServer& server = cluster.servers[cable.a.device];
      const auto found =
          std::ranges::find(drawn.servers, server.name, &RandomCluster::Server::name);
      if (found == drawn.servers.end()) return {"no such server: " + server.name};
      const std::string& nic = server.nics[cable.a.nic].name;
      const std::string& port = cable.a.port;
      const auto same = std::ranges::find_if(found->nics, [&](const RandomCluster::Nic& n) {
        return n.device == nic || n.device == port || n.interface == port;
      });
      if (same == found->nics.end()) return {"no such NIC: " + nic};
      names.push_back(server.name + "/" + same->device + " - " + upper);
    } else {
      const auto [a, b] = std::minmax(cluster.switches[cable.a.device].name, upper);
      names.push_back(a + " - " + b);
    }
  }
  std::ranges::sort(names);
  return names;
}

void expect_same(const RandomCluster& drawn, const std::vector<WrittenFile>& files) {
  const Read result = read(files);
  SCOPED_TRACE(files.front().name);
  EXPECT_FALSE(has_errors(result.description.remarks)) << result.remarks();
  EXPECT_EQ(names_of(drawn, result.cluster), drawn.cable_names()) << result.remarks();
}

std::vector<WrittenFile> operator+(std::vector<WrittenFile> a, const std::vector<WrittenFile>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class RandomClusters : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  RandomCluster drawn_{GetParam()};
};

TEST_P(RandomClusters, HaveTheirCablesInEveryFormat) {
  expect_same(drawn_, {drawn_.netbox()});
  expect_same(drawn_, {drawn_.generic_csv()});
  expect_same(drawn_, {drawn_.dot()});
  expect_same(drawn_, {drawn_.air()});
  expect_same(drawn_, {drawn_.ibnetdiscover()});
  expect_same(drawn_, {drawn_.iblinkinfo()});
  if (!drawn_.is_sonic) return;
  expect_same(drawn_, drawn_.config_dbs());
  expect_same(drawn_, drawn_.lldp_of_switches() + drawn_.config_dbs());
}

TEST_P(RandomClusters, AreTheSameWhateverTheOrderOfTheirFiles) {
  std::vector<WrittenFile> files = drawn_.nccl_xml() + drawn_.lldp_of_hosts();
  files.push_back(drawn_.netbox());
  files.push_back(drawn_.slurm());
  if (drawn_.is_sonic) files = files + drawn_.config_dbs();
  Read first = read(files);
  EXPECT_FALSE(has_errors(first.description.remarks)) << first.remarks();
  EXPECT_EQ(names_of(drawn_, first.cluster), drawn_.cable_names()) << first.remarks();
  std::mt19937_64 random(GetParam());
  std::ranges::shuffle(files, random);
  Read second = read(files);
  // Remarks and what was recognised come in the order of the files.
  first.description.remarks.clear();
  second.description.remarks.clear();
  first.description.recognised.clear();
  second.description.recognised.clear();
  EXPECT_EQ(scenario_text(first.cluster, first.description, {}, "a"),
            scenario_text(second.cluster, second.description, {}, "a"));
}

TEST_P(RandomClusters, HaveTheirNicsByBusAndRatesFromTheirFiles) {
  const Read result = read(drawn_.nccl_xml() + std::vector<WrittenFile>{drawn_.netbox()});
  ASSERT_FALSE(has_errors(result.description.remarks)) << result.remarks();
  ASSERT_EQ(result.cluster.servers.size(), drawn_.servers.size());
  for (const ClusterServer& server : result.cluster.servers) {
    const auto drawn = std::ranges::find(drawn_.servers, server.name, &RandomCluster::Server::name);
    ASSERT_NE(drawn, drawn_.servers.end());
    ASSERT_EQ(server.nics.size(), drawn->nics.size());
    for (std::size_t i = 0; i < server.nics.size(); ++i) {
      EXPECT_EQ(server.nics[i].name, drawn->nics[i].device);
      EXPECT_EQ(server.nics[i].interface, drawn->nics[i].interface);
      ASSERT_TRUE(server.nics[i].rate);
      EXPECT_EQ(server.nics[i].rate->value.count(), drawn_.gigabits * 1'000'000'000LL);
    }
  }
}

TEST_P(RandomClusters, MissingAndMovedCablesAreFound) {
  if (drawn_.servers.size() < 4) return;
  RandomCluster changed = drawn_;
  // The last NIC of the last server is pulled.
  const auto last = std::ranges::find_if(changed.cables, [&](const RandomCluster::Cable& cable) {
    return cable.from_server && cable.from + 1 == changed.servers.size();
  });
  const std::string nic =
      changed.servers.back().name + "/" + changed.servers.back().nics[last->from_port].device;
  changed.cables.erase(last);
  const Read result = read(changed.nccl_xml() + std::vector<WrittenFile>{changed.netbox()});
  EXPECT_NE(result.remarks().find(nic + " has no cable"), std::string::npos) << result.remarks();
}

TEST_P(RandomClusters, StayTheSameWithOtherNames) {
  const std::vector<WrittenFile> files =
      drawn_.nccl_xml() + std::vector<WrittenFile>{drawn_.generic_csv()};
  Read original = read(files);
  Anonymiser anonymiser(original.cluster);
  std::vector<WrittenFile> copies;
  for (const WrittenFile& file : files) {
    copies.push_back({anonymiser.apply(file.name), anonymiser.apply(file.text)});
  }
  std::string everything;
  for (const WrittenFile& copy : copies) everything += copy.name + "\n" + copy.text;
  for (const RandomCluster::Server& server : drawn_.servers) {
    EXPECT_EQ(everything.find(server.name + ","), std::string::npos) << server.name;
    EXPECT_EQ(everything.find("-" + server.name + "."), std::string::npos) << server.name;
  }
  const Read renamed = read(copies);
  EXPECT_FALSE(has_errors(renamed.description.remarks)) << renamed.remarks();
  EXPECT_EQ(renamed.cluster.cables.size(), original.cluster.cables.size());
  EXPECT_EQ(renamed.cluster.servers.size(), original.cluster.servers.size());
  EXPECT_EQ(renamed.cluster.switches.size(), original.cluster.switches.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomClusters, ::testing::Range<std::uint64_t>(1, kClusters + 1));

}  // namespace
}  // namespace weft::import
