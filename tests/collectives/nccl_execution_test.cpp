#include "collectives/nccl_execution.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collectives/ideal_run.hpp"

namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::Execution;
using collectives::GpuGeneration;
using collectives::Operation;
using collectives::Protocol;
using collectives::RankLayout;

RankLayout server(std::uint32_t gpus, std::int64_t gigabytes) {
  RankLayout layout;
  layout.domain.assign(gpus, 0);
  layout.domain_rate = BitsPerSecond(gigabytes * 8'000'000'000);
  layout.domain_latency = 1_us;
  return layout;
}

CollectiveSpec nccl(GpuGeneration generation, Algorithm algorithm, Protocol protocol, Bytes size) {
  CollectiveSpec spec = collective(Operation::kAllReduce, algorithm, size);
  spec.execution = execution_preset(Execution::Preset::kNccl);
  spec.execution.protocol = protocol;
  spec.generation = generation;
  return spec;
}

Execution settled(const CollectiveSpec& spec, const RankLayout& layout) {
  return nccl_execution(spec.execution, spec, static_cast<std::uint32_t>(layout.domain.size()),
                        layout);
}

struct Settled {
  GpuGeneration generation;
  std::int64_t rate;  ///< GB/s of a GPU
  Algorithm algorithm;
  Protocol protocol;
  Bytes size;
  std::uint32_t channels;
  Bytes chunk;
  std::uint32_t slices;
  bool is_serial;
  std::int64_t launch_ns;
};

// Rings: twice 240 / 20, 370 / 30 and 721 / 40 channels. Chunks: 4 of 8 steps of a 4 MiB buffer in
// Simple; one step in LL (64 KiB, half flags) and LL128 (614,400 bytes, 15/16 data). NVLS on eight
// GPUs and 16 channels has 128 chunks at once: 128 KiB each, 64 KiB below 64 x 16 MiB, 32 KiB below
// 8 x 8 MiB, 16 KiB below 2 x 4 MiB. Launch: 28, 22 or 33 us and the base of the protocol.
TEST(NcclExecution, IsThatOfTheTable) {
  using enum GpuGeneration;
  constexpr Algorithm kRing = Algorithm::kRing;
  constexpr Algorithm kNvls = Algorithm::kNvls;
  const std::vector<Settled> table = {
      {kAmpere, 240, kRing, Protocol::kSimple, 1_GiB, 24, 2_MiB, 2, true, 36'400},
      {kAmpere, 240, kRing, Protocol::kLl128, 1_MiB, 24, Bytes(576'000), 1, true, 42'000},
      {kHopper, 370, kRing, Protocol::kSimple, 1_GiB, 24, 2_MiB, 2, false, 30'400},
      {kHopper, 370, kRing, Protocol::kLl, 1_KiB, 24, 32_KiB, 1, true, 28'600},
      {kBlackwell, 721, kRing, Protocol::kNone, 1_GiB, 36, 2_MiB, 2, false, 41'400},
      {kHopper, 370, kNvls, Protocol::kSimple, 1_GiB, 16, 128_KiB, 1, false, 40'200},
      {kHopper, 370, kNvls, Protocol::kSimple, 1_GiB - 1_B, 16, 64_KiB, 1, false, 40'200},
      {kHopper, 370, kNvls, Protocol::kSimple, 64_MiB, 16, 64_KiB, 1, false, 40'200},
      {kHopper, 370, kNvls, Protocol::kSimple, 64_MiB - 1_B, 16, 32_KiB, 1, false, 40'200},
      {kBlackwell, 721, kNvls, Protocol::kSimple, 8_MiB - 1_B, 16, 16_KiB, 1, false, 51'200},
  };
  for (const Settled& row : table) {
    const CollectiveSpec spec = nccl(row.generation, row.algorithm, row.protocol, row.size);
    const Execution e = settled(spec, server(8, row.rate));
    EXPECT_EQ(e.channels, row.channels) << row.size.count();
    EXPECT_EQ(e.chunk, row.chunk) << row.size.count();
    EXPECT_EQ(e.slices, row.slices) << row.size.count();
    EXPECT_EQ(e.transfer == Execution::Transfer::kSerial, row.is_serial) << row.size.count();
    EXPECT_EQ(e.launch, row.launch_ns * 1_ns) << row.size.count();
  }
}

struct TreeRow {
  GpuGeneration generation;
  std::uint32_t nodes;
  std::uint32_t gpus;
  std::int64_t nic;  ///< Gbps
  Bytes size;
  std::uint32_t channels;
  Bytes chunk;
  std::int64_t launch_ns;
};

// Hopper: 16 channels; 128 KiB per head, 64 KiB from four nodes on, and less below 16, 4 and 1
// rounds of channels x heads chunks. Blackwell as src/transport/nvls.cc has it. Launch: 22 or 33
// us, 18.2 us as NVLS, and 2 log2 k times 20.9 us less 2.8 us of Simple and 3 us of the network.
TEST(NcclExecution, OfAnNvlsTreeIsThatOfTheTable) {
  using enum GpuGeneration;
  const std::vector<TreeRow> table = {
      {kHopper, 2, 8, 400, 1_GiB, 16, 128_KiB, 70'400},
      {kHopper, 2, 8, 400, 256_MiB - 1_B, 16, 128_KiB, 70'400},
      {kHopper, 2, 8, 400, 64_MiB - 1_B, 16, 64_KiB, 70'400},
      {kHopper, 2, 8, 400, 8_MiB - 1_B, 16, 32_KiB, 70'400},
      {kHopper, 4, 8, 400, 1_GiB, 16, 64_KiB, 100'600},
      {kHopper, 16, 8, 400, 8_MiB, 16, 64_KiB, 161'000},
      {kBlackwell, 2, 64, 400, 1_GiB, 32, 64_KiB, 81'400},
      {kBlackwell, 2, 64, 400, 128_MiB - 1_B, 32, 32_KiB, 81'400},
      {kBlackwell, 2, 8, 400, 1_GiB, 32, 64_KiB, 81'400},
      {kBlackwell, 2, 8, 800, 1_GiB, 32, 128_KiB, 81'400},
      {kBlackwell, 2, 4, 400, 1_GiB, 32, 256_KiB, 81'400},
      {kBlackwell, 8, 8, 400, 1_GiB, 24, 64_KiB, 141'800},
      {kBlackwell, 8, 8, 800, 4_GiB, 24, 256_KiB, 141'800},
      {kBlackwell, 8, 16, 800, 4_GiB, 32, 128_KiB, 141'800},
      {kBlackwell, 8, 72, 800, 4_GiB, 32, 64_KiB, 141'800},
      {kBlackwell, 8, 8, 200, 4_GiB, 32, 64_KiB, 141'800},
  };
  for (const TreeRow& row : table) {
    RankLayout layout = server(row.nodes * row.gpus, 370);
    for (std::uint32_t r = 0; r < row.nodes * row.gpus; ++r) layout.domain[r] = r / row.gpus;
    layout.network_rate = BitsPerSecond(row.nic * 980'000'000);  // less headers
    layout.network_latency = 3_us;
    layout.has_in_network_reduction = true;
    const CollectiveSpec spec =
        nccl(row.generation, Algorithm::kNvlsTree, Protocol::kNone, row.size);
    const Execution e = settled(spec, layout);
    const std::string at = std::to_string(row.nodes) + " x " + std::to_string(row.gpus) + ", " +
                           std::to_string(row.nic) + "G, " + std::to_string(row.size.count());
    EXPECT_EQ(e.channels, row.channels) << at;
    EXPECT_EQ(e.chunk, row.chunk) << at;
    EXPECT_EQ(e.slices, 1U) << at;
    EXPECT_EQ(e.protocol, Protocol::kSimple) << at;
    EXPECT_EQ(e.launch, row.launch_ns * 1_ns) << at;
  }
}

// Data of a channel: 240 / 24 GB/s in Simple, 0.92 of it in LL128, and LL's 87.7 / 24.
TEST(NcclExecution, SerialChannelsShareWhatTheTuningModelHasForRings) {
  const auto rate = [](Protocol protocol) {
    const CollectiveSpec spec = nccl(GpuGeneration::kAmpere, Algorithm::kRing, protocol, 1_MiB);
    return static_cast<double>(settled(spec, server(8, 240)).channel_rate.count()) / 8e9;
  };
  EXPECT_NEAR(rate(Protocol::kSimple), 10, 1e-6);
  EXPECT_NEAR(rate(Protocol::kLl128), 9.2, 1e-6);
  EXPECT_NEAR(rate(Protocol::kLl), 87.7 / 24, 1e-6);
}

TEST(NcclExecution, PassesBroadcastsOnByTheStepOfTheBuffer) {
  CollectiveSpec spec = nccl(GpuGeneration::kHopper, Algorithm::kRing, Protocol::kSimple, 1_GiB);
  spec.operation = Operation::kBroadcast;
  const Execution e = settled(spec, server(8, 370));
  EXPECT_EQ(e.chunk, 512_KiB);
  EXPECT_EQ(e.slices, 1U);
}

TEST(NcclExecution, LeavesWhatIsGiven) {
  CollectiveSpec spec = nccl(GpuGeneration::kAmpere, Algorithm::kRing, Protocol::kSimple, 1_MiB);
  spec.execution.channels = 3;
  spec.execution.chunk = 5_KiB;
  spec.execution.slices = 7;
  spec.execution.launch = 1_us;
  spec.execution.transfer = Execution::Transfer::kPosted;
  const Execution e = settled(spec, server(8, 240));
  EXPECT_EQ(e.channels, 3U);
  EXPECT_EQ(e.chunk, 5_KiB);
  EXPECT_EQ(e.slices, 7U);
  EXPECT_EQ(e.launch, 1_us + 8'400_ns);
  EXPECT_EQ(e.transfer, Execution::Transfer::kPosted);
}

}  // namespace
}  // namespace weft::testing
