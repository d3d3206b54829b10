// What collectives know of the servers of their ranks, from the fabric.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "collectives/nccl/nccl_execution.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"

namespace weft::scenarios {
namespace {

using collectives::RankLayout;
using collectives::RankMap;

/// Two servers of A100 whose NICs are so; `ranks` as a job has them.
RankLayout layout_of(const std::string& nics, const std::string& ranks = "all") {
  const auto loaded = load_scenario_text(
      "name: t\nracks: {count: 2, servers: 1, server: {part: A100, " + nics +
          "}}\nfabric: {topology: leaf-spine, spines: 1, flow_control: none}\njobs: [{name: a, "
          "type: all-reduce, algorithm: ring, size: 1MiB, ranks: " +
          ranks + "}]\n",
      "t.yaml");
  EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto built = build_experiment(loaded.value().scenario);
  EXPECT_TRUE(built.ok()) << built.errors().front().to_string();
  return built.value().scenario.jobs[0].layout;
}

// Eight GPUs beside eight NICs of 200 Gbps; on half as many, which pairs share; with twice as many
// of half the rate; and with NICs of two ports, which are one device.
TEST(RankLayouts, HaveTheNicsOfTheServers) {
  struct Row {
    const char* nics;
    const char* ranks;
    std::uint32_t expected;
    BitsPerSecond rate;
    bool shares;
  };
  for (const Row& row :
       {Row{"nics: 8", "all", 8, 200_Gbps, false}, Row{"nics: 4", "all", 4, 200_Gbps, true},
        Row{"nics: 2", "all", 2, 200_Gbps, true},
        Row{"nics: 16, nic: {rate: 100Gbps}", "all", 16, 100_Gbps, false},
        Row{"nics: 8", "[gpu0, gpu8]", 1, 200_Gbps, false},
        Row{"nics: 4", "[gpu0, gpu2, gpu8, gpu10]", 2, 200_Gbps, false},
        Row{"nics: 4", "[gpu0, gpu1, gpu8, gpu9]", 1, 200_Gbps, true}}) {
    const RankLayout layout = layout_of(row.nics, row.ranks);
    const RankMap map(static_cast<std::uint32_t>(layout.domain.size()), layout);
    EXPECT_EQ(map.nics(), row.expected) << row.nics << ", " << row.ranks;
    EXPECT_EQ(map.shares_nics(), row.shares) << row.nics << ", " << row.ranks;
    EXPECT_EQ(layout.nic_rate, row.rate) << row.nics << ", " << row.ranks;
  }
}

// What the search finds for them, as in the table of tests/collectives/nccl_choice_test.cpp.
TEST(RankLayouts, BringTheNicsIntoTheSearch) {
  const auto ring = [](const std::string& nics) {
    const RankLayout layout = layout_of(nics);
    collectives::CollectiveSpec spec;
    spec.generation = GpuGeneration::kAmpere;
    return nccl_machine_of(spec, RankMap(16, layout), layout).ring;
  };
  EXPECT_EQ(ring("nics: 8"), (collectives::NcclGraph{8, 24, 24}));
  EXPECT_EQ(ring("nics: 4"), (collectives::NcclGraph{4, 24, 24}));
  EXPECT_EQ(ring("nics: 16, nic: {rate: 100Gbps}"), (collectives::NcclGraph{16, 12, 12}));
}

// A message of one byte takes 83 bytes on the wire, which a NIC of 10 Gbps takes in within 66.4 ns
// once they are there; from GPU to GPU of a server it does not come by. Of 4,178 bytes 4,096 are
// payload.
TEST(RankLayouts, KnowWhatNicsTakeIn) {
  const RankLayout fast = layout_of("nics: 8");
  const RankLayout slow = layout_of("nics: 8, nic: {receive_rate: 10Gbps}");
  EXPECT_EQ(slow.network_latency - fast.network_latency, transmission_time(83_B, 10_Gbps));
  EXPECT_EQ(slow.farthest_latency - fast.farthest_latency, transmission_time(83_B, 10_Gbps));
  EXPECT_EQ(slow.domain_latency, fast.domain_latency);
  EXPECT_EQ(slow.network_rate, BitsPerSecond(std::llround(1e10 * 4096 / 4178)));
  EXPECT_EQ(slow.domain_rate, fast.domain_rate);
  EXPECT_EQ(slow.nic_rate, fast.nic_rate) << "NCCL asks the device";
}

// NCCL's caps per channel of trees in Simple inside a node, 26.5 GB/s on Volta and 24 on Ampere.
TEST(RankLayouts, HaveTheBlockRateOfTheirGpusRow) {
  const auto block_of = [](const std::string& server) {
    const auto loaded = load_scenario_text(
        "name: t\nracks: {count: 1, servers: 1, server: " + server +
            "}\nfabric: {topology: single-domain}\njobs: [{name: a, type: all-reduce, algorithm: "
            "ring, size: 1MiB}]\n",
        "t.yaml");
    return build_experiment(loaded.value().scenario)
        .value()
        .scenario.jobs[0]
        .layout.gpu_rates.block;
  };
  EXPECT_EQ(block_of("dgx-2"), 212_Gbps);
  EXPECT_EQ(block_of("dgx-a100"), 192_Gbps);
}

TEST(RankLayouts, CountTheTwoPortsOfANicAsOneDevice) {
  const auto loaded = load_scenario_text(
      "name: t\nracks: {count: 2, servers: 1, server: {part: A100, nic: {ports: 2, rate: "
      "100Gbps}}}\nfabric: {topology: leaf-spine, spines: 1, leaves: 2}\njobs: [{name: a, type: "
      "all-reduce, algorithm: ring, size: 1MiB}]\n",
      "t.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto built = build_experiment(loaded.value().scenario);
  ASSERT_TRUE(built.ok()) << built.errors().front().to_string();
  const RankLayout& layout = built.value().scenario.jobs[0].layout;
  EXPECT_EQ(RankMap(16, layout).nics(), 8U);
  EXPECT_EQ(layout.nic_rate, 200_Gbps);
}

}  // namespace
}  // namespace weft::scenarios
