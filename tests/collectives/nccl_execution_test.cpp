#include "collectives/nccl/nccl_execution.hpp"
#include "collectives/costs/choose.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "collectives/tasks/collective_call.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::DataType;
using collectives::Execution;
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
  Execution::Transfer transfer;
  std::int64_t launch_ns;
};

// Rings: twice 6 channels of 20 GB/s (V100), 12 of 20, 12 of 30 and 16 of 45. Chunks: 4 of 8 steps
// of a 4 MiB buffer in Simple; one step in LL (64 KiB, half flags) and LL128 (614,400 bytes, 15/16
// data). NVLS on eight GPUs and 16 channels has 128 chunks at once: 128 KiB each, 64 KiB below 64 x
// 16 MiB, 32 KiB below 8 x 8 MiB, 16 KiB below 2 x 4 MiB. Launch: 21 us and the base of the
// protocol, that of LL by GPUs; rings in Simple take 11.5 us more on A100, 4 us on H100.
TEST(NcclExecution, IsThatOfTheTable) {
  using enum GpuGeneration;
  using enum Execution::Transfer;
  constexpr Algorithm kRing = Algorithm::kRing;
  constexpr Algorithm kNvls = Algorithm::kNvls;
  const std::vector<Settled> table = {
      {kVolta, 120, kRing, Protocol::kSimple, 1_GiB, 12, 2_MiB, 2, kPosted, 29'400},
      {kVolta, 120, kRing, Protocol::kLl, 1_KiB, 12, 32_KiB, 1, kSerial, 27'600},
      {kAmpere, 240, kRing, Protocol::kSimple, 1_GiB, 24, 2_MiB, 2, kPaced, 40'900},
      {kAmpere, 240, kRing, Protocol::kLl128, 1_MiB, 24, Bytes(576'000), 1, kSerial, 35'000},
      {kHopper, 370, kRing, Protocol::kSimple, 1_GiB, 24, 2_MiB, 2, kPaced, 33'400},
      {kHopper, 370, kRing, Protocol::kLl, 1_KiB, 24, 32_KiB, 1, kSerial, 25'600},
      {kBlackwell, 721, kRing, Protocol::kNone, 1_GiB, 32, 2_MiB, 2, kPaced, 29'400},
      {kHopper, 370, kNvls, Protocol::kSimple, 1_GiB, 16, 128_KiB, 1, kPosted, 39'200},
      {kHopper, 370, kNvls, Protocol::kSimple, 1_GiB - 1_B, 16, 64_KiB, 1, kPosted, 39'200},
      {kHopper, 370, kNvls, Protocol::kSimple, 64_MiB, 16, 64_KiB, 1, kPosted, 39'200},
      {kHopper, 370, kNvls, Protocol::kSimple, 64_MiB - 1_B, 16, 32_KiB, 1, kPosted, 39'200},
      {kBlackwell, 721, kNvls, Protocol::kSimple, 8_MiB - 1_B, 16, 16_KiB, 1, kPosted, 52'800},
  };
  for (const Settled& row : table) {
    const CollectiveSpec spec = nccl(row.generation, row.algorithm, row.protocol, row.size);
    const Execution e = settled(spec, server(8, row.rate));
    EXPECT_EQ(e.channels, row.channels) << row.size.count();
    EXPECT_EQ(e.chunk, row.chunk) << row.size.count();
    EXPECT_EQ(e.slices, row.slices) << row.size.count();
    EXPECT_EQ(e.transfer, row.transfer) << row.size.count();
    EXPECT_EQ(e.launch, row.launch_ns * 1_ns) << row.size.count();
  }
}

struct PlaceRow {
  GpuGeneration generation;
  std::int64_t rate;   ///< GB/s of a GPU
  std::int64_t place;  ///< Gbps
  double channel;      ///< GB/s
};

// A block sends nothing while it puts in place what ends at its rank. Of 16 KiB in one channel on
// two GPUs that is the last half of an all-gather; its other times stay as they are. A channel
// moves its share of the ring, 0.97 and 1.04 times that on A100 and H100.
TEST(NcclExecution, RingsOfOneServerPutInPlaceWhatEndsThere) {
  using enum GpuGeneration;
  const auto placed = [](const CollectiveSpec& of, const RankLayout& layout) {
    Picoseconds copies;
    const collectives::CollectiveCall call(of, 2, layout);
    collectives::StepStream steps = call.steps(0, 0);
    for (collectives::Step step; steps.next(step);) {
      if (step.kind != collectives::Step::Kind::kDelay) continue;
      if (step.work == collectives::Step::Work::kCopy) copies += step.time();
    }
    return copies;
  };
  const std::vector<PlaceRow> table = {
      {kAmpere, 240, 200, 0.97 * 10}, {kHopper, 370, 600, 1.04 * 15}, {kBlackwell, 721, 312, 22.5}};
  for (const PlaceRow& row : table) {
    const RankLayout layout = server(2, row.rate);
    CollectiveSpec spec = nccl(row.generation, Algorithm::kRing, Protocol::kSimple, 16_KiB);
    EXPECT_NEAR(static_cast<double>(settled(spec, server(8, row.rate)).channel_rate.count()) / 8e9,
                row.channel, 1e-3)
        << row.rate;
    spec.execution.channels = 1;
    spec.execution.slices = 1;
    spec.execution = settled(spec, layout);
    const Picoseconds half = transmission_time(8_KiB, row.place * 1_Gbps);
    EXPECT_EQ(placed(spec, layout), half) << "sums that are passed on are not put in place";
    spec.operation = Operation::kAllGather;
    EXPECT_EQ(placed(spec, layout), half) << row.rate;
    spec.execution.preset = Execution::Preset::kPlain;
    EXPECT_EQ(placed(spec, layout), 0_ps) << "blocks are NCCL's";
  }
}

struct MessageRow {
  GpuGeneration generation;
  std::int64_t rate;  ///< GB/s of a GPU
  std::uint32_t gpus;
  std::int64_t channel_mbps;
};

// All-to-alls in Simple: 16, 8 and 4 blocks of 32 for each of 1, 3 and 7 peers, at 12.75, 22 and 25
// GB/s each, and no more than nine tenths of the links; over 8 channels.
TEST(NcclExecution, MessagesOfOneServerAreThoseOfTheirBlocks) {
  using enum GpuGeneration;
  const std::vector<MessageRow> table = {
      {kAmpere, 240, 2, 16 * 102'000 / 8},    {kAmpere, 240, 4, 9 * 240 * 800 / 8},
      {kHopper, 370, 2, 9 * 370 * 800 / 8},   {kHopper, 370, 8, 9 * 370 * 800 / 8},
      {kBlackwell, 721, 2, 16 * 200'000 / 8}, {kBlackwell, 721, 4, 24 * 200'000 / 8},
      {kBlackwell, 721, 8, 9 * 721 * 800 / 8}};
  for (const MessageRow& row : table) {
    CollectiveSpec spec = nccl(row.generation, Algorithm::kOneShot, Protocol::kSimple, 1_GiB);
    spec.operation = Operation::kAllToAll;
    const Execution e = settled(spec, server(row.gpus, row.rate));
    EXPECT_EQ(e.transfer, Execution::Transfer::kPaced) << row.gpus;
    EXPECT_EQ(e.channel_rate.count(), row.channel_mbps * 1'000'000) << row.rate << ' ' << row.gpus;
  }
}

// Steps of rings on one server, beyond the wire: in Simple and in LL128.
TEST(NcclExecution, StepsOfRingsOfOneServerAreThoseOfTheirGpus) {
  using enum GpuGeneration;
  const auto step = [](GpuGeneration generation, Protocol protocol) {
    return settled(nccl(generation, Algorithm::kRing, protocol, 64_MiB), server(8, 370))
        .step_latency;
  };
  EXPECT_EQ(step(kVolta, Protocol::kSimple), std::nullopt);
  EXPECT_EQ(step(kAmpere, Protocol::kSimple), 8'800_ns);
  EXPECT_EQ(step(kHopper, Protocol::kSimple), 1'400_ns);
  EXPECT_EQ(step(kBlackwell, Protocol::kSimple), 2'800_ns);
  EXPECT_EQ(step(kHopper, Protocol::kLl128), 1'300_ns);
  EXPECT_EQ(step(kBlackwell, Protocol::kLl128), 8'100_ns);
}

// A rack has 32 heads, so 512 chunks at once: 128 KiB each from 4 GiB on, 64 KiB from 256 MiB.
TEST(NcclExecution, OfNvlsOnARackGoesByItsHeads) {
  const auto chunk = [](Bytes size) {
    return settled(nccl(GpuGeneration::kBlackwell, Algorithm::kNvls, Protocol::kSimple, size),
                   server(72, 721))
        .chunk;
  };
  EXPECT_EQ(chunk(4_GiB), 128_KiB);
  EXPECT_EQ(chunk(4_GiB - 1_B), 64_KiB);
  EXPECT_EQ(chunk(256_MiB), 64_KiB);
  EXPECT_EQ(chunk(256_MiB - 1_B), 32_KiB);
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
// rounds of channels x heads chunks. Blackwell as src/transport/nvls.cc has it. Launch: 21
// us and 18.2 us as NVLS, 31.8 on Blackwell. A hop between domains: 20.9 us, less 3 us of the
// network.
TEST(NcclExecution, OfAnNvlsTreeIsThatOfTheTable) {
  using enum GpuGeneration;
  const std::vector<TreeRow> table = {
      {kHopper, 2, 8, 400, 1_GiB, 16, 128_KiB, 39'200},
      {kHopper, 2, 8, 400, 256_MiB - 1_B, 16, 128_KiB, 39'200},
      {kHopper, 2, 8, 400, 64_MiB - 1_B, 16, 64_KiB, 39'200},
      {kHopper, 2, 8, 400, 8_MiB - 1_B, 16, 32_KiB, 39'200},
      {kHopper, 4, 8, 400, 1_GiB, 16, 64_KiB, 39'200},
      {kHopper, 16, 8, 400, 8_MiB, 16, 64_KiB, 39'200},
      {kBlackwell, 2, 64, 400, 1_GiB, 32, 64_KiB, 52'800},
      {kBlackwell, 2, 64, 400, 64_MiB, 32, 64_KiB, 52'800},
      {kBlackwell, 2, 64, 400, 64_MiB - 1_B, 32, 32_KiB, 52'800},
      {kBlackwell, 2, 8, 400, 1_GiB, 32, 64_KiB, 52'800},
      {kBlackwell, 2, 8, 800, 1_GiB, 32, 128_KiB, 52'800},
      {kBlackwell, 2, 4, 400, 1_GiB, 32, 256_KiB, 52'800},
      {kBlackwell, 8, 8, 400, 1_GiB, 24, 64_KiB, 52'800},
      {kBlackwell, 8, 8, 800, 4_GiB, 24, 256_KiB, 52'800},
      {kBlackwell, 8, 16, 800, 4_GiB, 32, 128_KiB, 52'800},
      {kBlackwell, 8, 72, 800, 4_GiB, 32, 64_KiB, 52'800},
      {kBlackwell, 8, 8, 200, 4_GiB, 32, 64_KiB, 52'800},
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
    EXPECT_EQ(e.network_step_latency, 17'900_ns) << at;
  }
}

// NVLS of NCCL reduces integers of four and eight bytes and floats of two and more; copies have no
// type (ncclNvlsSupported of NCCL 2.27).
TEST(NcclExecution, LeavesElementsOfOneByteToTheRing) {
  using enum GpuGeneration;
  RankLayout layout = server(8, 370);
  layout.has_in_network_reduction = true;
  const auto choice_of = [&layout](Operation operation, DataType type) {
    CollectiveSpec spec = nccl(kHopper, Algorithm::kNccl, Protocol::kNone, 64_MiB);
    spec.operation = operation;
    spec.data_type = type;
    const auto choice = collectives::choose_algorithm(spec, 8, layout);
    EXPECT_TRUE(choice.ok());
    return choice.value().algorithm;
  };
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16, DataType::kBfloat16,
                              DataType::kFloat64, DataType::kInt32, DataType::kInt64}) {
    EXPECT_EQ(choice_of(Operation::kAllReduce, type), Algorithm::kNvls);
  }
  for (const DataType type : {DataType::kInt8, DataType::kUint8, DataType::kFloat8}) {
    EXPECT_EQ(choice_of(Operation::kAllReduce, type), Algorithm::kRing);
    EXPECT_EQ(choice_of(Operation::kAllGather, type),
              choice_of(Operation::kAllGather, DataType::kFloat32));
  }
  CollectiveSpec spec = nccl(kHopper, Algorithm::kNvls, Protocol::kSimple, 64_MiB);
  spec.data_type = DataType::kUint8;
  const auto refused = collectives::choose_algorithm(spec, 8, layout);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.errors().front().message.find("reduces no elements of one byte (`data_type`)"),
            std::string::npos);
}

struct HopRow {
  GpuGeneration generation;
  std::uint32_t gpus;
  Algorithm algorithm;
  Protocol protocol;
  std::int64_t hop_ns;  ///< without a transport of the NIC's own
  std::int64_t flushes;
};

// Between four servers, whose network takes 2 us: NCCL's network rows for rings (2.7, 4 and 14 us)
// and trees (5, 8.5 and 14 us), with one GPU per server those of trees for both.
TEST(NcclExecution, HasTheNetworkHopsOfTheTable) {
  using enum GpuGeneration;
  constexpr Algorithm kRing = Algorithm::kRing;
  constexpr Algorithm kTree = Algorithm::kDoubleBinaryTree;
  const std::vector<HopRow> table = {
      {kHopper, 8, kRing, Protocol::kLl, 2'700, 0},
      {kHopper, 8, kRing, Protocol::kLl128, 4'000, 0},
      {kHopper, 8, kRing, Protocol::kSimple, 14'000, 0},
      {kHopper, 8, kTree, Protocol::kLl, 5'000, 0},
      {kHopper, 8, kTree, Protocol::kLl128, 8'500, 0},
      {kBlackwell, 8, kTree, Protocol::kSimple, 14'000, 0},
      {kHopper, 1, kRing, Protocol::kLl, 5'000, 0},
      {kAmpere, 8, kRing, Protocol::kSimple, 14'000, 1},
      {kAmpere, 8, kRing, Protocol::kLl, 2'700, 0},
  };
  for (const HopRow& row : table) {
    RankLayout layout = server(4 * row.gpus, 370);
    for (std::uint32_t r = 0; r < 4 * row.gpus; ++r) layout.domain[r] = r / row.gpus;
    layout.network_rate = 400_Gbps;
    layout.network_latency = 2_us;
    const CollectiveSpec spec = nccl(row.generation, row.algorithm, row.protocol, 1_MiB);
    const Execution e = settled(spec, layout);
    EXPECT_EQ(e.network_step_latency, (row.hop_ns - 2'000) * 1_ns) << row.hop_ns;
    // What the NIC's transport takes is in the network. NCCL flushes by the NIC on A100s, in
    // Simple.
    layout.network_latency = 12_us;
    layout.transport_latency = 10_us;
    layout.start_latency = 7_us;
    const Execution efa = settled(spec, layout);
    EXPECT_EQ(*efa.network_step_latency, *e.network_step_latency + row.flushes * 10_us);
    EXPECT_EQ(*efa.launch, *e.launch + 7_us);
    CollectiveSpec queued = spec;
    queued.execution.calls = Execution::Calls::kBackToBack;
    EXPECT_EQ(settled(queued, layout).launch, *e.launch - 21_us) << "NICs start behind other calls";
    CollectiveSpec free = spec;
    free.execution.launch = 0_us;
    EXPECT_EQ(settled(free, layout).launch, *e.launch - 14_us) << "single calls start NICs";
  }
}

TEST(NcclExecution, HasNoNetworkHopsForWhatNcclDoesNotRun) {
  RankLayout layout = server(16, 370);
  for (std::uint32_t r = 8; r < 16; ++r) layout.domain[r] = 1;
  layout.network_rate = 400_Gbps;
  CollectiveSpec spec =
      nccl(GpuGeneration::kHopper, Algorithm::kHierarchical, Protocol::kSimple, 1_MiB);
  EXPECT_FALSE(settled(spec, layout).network_step_latency);
  spec.execution.network_step_latency = 9_us;
  EXPECT_EQ(settled(spec, layout).network_step_latency, 9_us);
}

// A copy reads and writes every byte, a sum reads two for each that it writes: half and a third of
// 2,039 GB/s, 3.35 and 8 TB/s, in whole steps of 10 Gbps.
TEST(NcclExecution, CopiesAndAddsAtWhatTheMemoryOfTheGpusAllows) {
  const auto rates = [](GpuGeneration generation) {
    const Execution e =
        settled(nccl(generation, Algorithm::kRing, Protocol::kSimple, 1_MiB), server(8, 240));
    return std::pair(e.copy_rate, e.reduce_rate);
  };
  EXPECT_EQ(rates(GpuGeneration::kVolta), std::pair(3'600_Gbps, 2'400_Gbps));
  EXPECT_EQ(rates(GpuGeneration::kAmpere), std::pair(8'150_Gbps, 5'430_Gbps));
  EXPECT_EQ(rates(GpuGeneration::kHopper), std::pair(13'400_Gbps, 8'930_Gbps));
  EXPECT_EQ(rates(GpuGeneration::kBlackwell), std::pair(32'000_Gbps, 21'330_Gbps));
  CollectiveSpec given =
      nccl(GpuGeneration::kBlackwell, Algorithm::kRing, Protocol::kSimple, 1_MiB);
  given.execution.copy_rate = BitsPerSecond(0);
  given.execution.reduce_rate = 7_Gbps;
  EXPECT_EQ(settled(given, server(8, 720)).copy_rate, BitsPerSecond(0));
  EXPECT_EQ(settled(given, server(8, 720)).reduce_rate, 7_Gbps);
}

// One GPU per server: NCCL's search has a channel per NIC, which becomes two from 25 GB/s on, and
// every channel two when it is connected; of Blackwell's at 96 GB/s twice that. What their blocks
// of threads move between buffers is 38.7 GB/s each on Hopper, and no more than the memory allows.
TEST(NcclExecution, GivesALoneGpuFourChannelsAt400GbpsThatMoveWhatABlockDoes) {
  struct Channels {
    GpuGeneration generation;
    BitsPerSecond network;
    std::uint32_t channels;
    std::int64_t copy;  ///< GB/s
  };
  for (const Channels& row : {Channels{GpuGeneration::kAmpere, 200_Gbps, 2, 48},
                              Channels{GpuGeneration::kHopper, 200_Gbps, 2, 77},
                              Channels{GpuGeneration::kHopper, 392_Gbps, 4, 154},
                              Channels{GpuGeneration::kBlackwell, 392_Gbps, 4, 280},
                              Channels{GpuGeneration::kBlackwell, 784_Gbps, 8, 560}}) {
    RankLayout layout;
    layout.domain = {0, 1};
    layout.network_rate = row.network;
    const CollectiveSpec spec = nccl(row.generation, Algorithm::kRing, Protocol::kSimple, 1_GiB);
    const Execution e = settled(spec, layout);
    EXPECT_EQ(e.channels, row.channels);
    EXPECT_EQ(e.copy_rate.count() / 8'000'000'000, row.copy);
  }
}

// What the GPUs of the ranks are known to take and move goes before what their generation does.
TEST(NcclExecution, GoesByTheGpusOfTheRanksWhereTheyAreKnown) {
  RankLayout layout = server(8, 370);
  layout.gpu_rates.copy = 19'200_Gbps;
  layout.gpu_times = {.launch = 30_us, .kernel = 5_us, .step = 900_ns};
  const CollectiveSpec spec = nccl(GpuGeneration::kHopper, Algorithm::kRing, Protocol::kLl, 1_KiB);
  const Execution e = settled(spec, layout);
  EXPECT_EQ(e.launch, 35_us);
  EXPECT_EQ(e.step_latency, 300_ns);
  EXPECT_EQ(e.copy_rate, 19'200_Gbps);
  EXPECT_EQ(e.reduce_rate, 8'930_Gbps) << "that of Hopper";
}

// A buffer has eight steps. In LL and LL128 a message is one of them, and so it is along chains; a
// slice of Simple is two. What is given holds.
TEST(NcclExecution, HasAsManyMessagesInFlightAsABufferHolds) {
  RankLayout layout = server(16, 370);
  for (std::uint32_t r = 8; r < 16; ++r) layout.domain[r] = 1;
  layout.network_rate = 400_Gbps;
  const auto in_flight = [&](Operation operation, Protocol protocol) {
    CollectiveSpec spec = nccl(GpuGeneration::kHopper, Algorithm::kRing, protocol, 1_GiB);
    spec.operation = operation;
    return settled(spec, layout).in_flight;
  };
  EXPECT_EQ(in_flight(Operation::kAllReduce, Protocol::kLl), 8U);
  EXPECT_EQ(in_flight(Operation::kAllReduce, Protocol::kLl128), 8U);
  EXPECT_EQ(in_flight(Operation::kAllReduce, Protocol::kSimple), 4U);
  EXPECT_EQ(in_flight(Operation::kBroadcast, Protocol::kSimple), 8U);
  CollectiveSpec given = nccl(GpuGeneration::kHopper, Algorithm::kRing, Protocol::kLl, 1_GiB);
  given.execution.in_flight = 4;
  EXPECT_EQ(settled(given, layout).in_flight, 4U);
}

TEST(NcclExecution, HasNoNetworkInsideOneDomain) {
  RankLayout layout = server(8, 370);
  layout.start_latency = 7_us;
  const Execution e =
      settled(nccl(GpuGeneration::kHopper, Algorithm::kRing, Protocol::kLl, 1_MiB), layout);
  EXPECT_FALSE(e.network_step_latency);
  EXPECT_EQ(e.launch, 25'600_ns);
}

// Data of a channel: 0.97 of 240 / 24 GB/s in Simple, LL's 87.7 / 24, and in LL128 0.92 of 360 / 24
// on Hopper, but what a block of Ampere was measured at, 53 Gbps. Between servers channels of LL128
// have what the tuning model has at most, 2 x 8 of 36.7 / 2.
TEST(NcclExecution, SerialChannelsShareWhatTheTuningModelHasForRings) {
  const auto rate = [](Protocol protocol) {
    const CollectiveSpec spec = nccl(GpuGeneration::kAmpere, Algorithm::kRing, protocol, 1_MiB);
    return static_cast<double>(settled(spec, server(8, 240)).channel_rate.count()) / 8e9;
  };
  EXPECT_NEAR(rate(Protocol::kSimple), 9.7, 1e-6);
  EXPECT_NEAR(rate(Protocol::kLl128), 6.625, 1e-6);
  EXPECT_NEAR(rate(Protocol::kLl), 87.7 / 24, 1e-6);
  const CollectiveSpec hopper =
      nccl(GpuGeneration::kHopper, Algorithm::kRing, Protocol::kLl128, 1_MiB);
  RankLayout layout = server(8, 370);
  EXPECT_NEAR(static_cast<double>(settled(hopper, layout).channel_rate.count()) / 8e9, 13.8, 1e-6);
  layout.domain.resize(16, 1);
  layout.network_rate = 400_Gbps;
  const Execution between = settled(hopper, layout);
  EXPECT_EQ(between.transfer, Execution::Transfer::kSerial);
  EXPECT_NEAR(static_cast<double>(between.channel_rate.count()) / 8e9, 18.35, 1e-6);
  EXPECT_EQ(
      settled(nccl(GpuGeneration::kHopper, Algorithm::kRing, Protocol::kSimple, 1_MiB), layout)
          .transfer,
      Execution::Transfer::kPosted);
}

struct PacedRow {
  GpuGeneration generation;
  std::uint32_t nodes;
  std::uint32_t gpus;
  double nvlink;  ///< GB/s
  std::uint32_t channels;
  double inside;   ///< GB/s
  double between;  ///< GB/s
  double ll128;    ///< GB/s, inside
};

// Trees have chunks of one step, and in LL128 and Simple what blocks of threads move of the model's
// caps: racks of GB200 have 16 searched channels of two blocks, 70 / 4 GB/s in a rack and 24 / 4
// where more than two meet. Two servers of H100 have eight of two, 41.4 / 4 GB/s, which is more
// than the 38.7 / 4 of one server.
TEST(NcclExecution, TreesArePacedByBlocksOfThreads) {
  using enum GpuGeneration;
  const std::vector<PacedRow> table = {{kBlackwell, 20, 72, 721.8, 32, 17.5, 6, 55.6 / 4},
                                       {kHopper, 2, 8, 370, 16, 41.4 / 4, 41.4 / 4, 36.7 / 4},
                                       {kHopper, 4, 8, 370, 16, 38.7 / 4, 9, 36.7 / 4}};
  for (const PacedRow& row : table) {
    RankLayout layout = server(row.nodes * row.gpus, 0);
    layout.domain_rate = BitsPerSecond(std::llround(row.nvlink * 8e9));
    for (std::uint32_t r = 0; r < row.nodes * row.gpus; ++r) layout.domain[r] = r / row.gpus;
    layout.network_rate = 400_Gbps;
    const auto of = [&](Protocol protocol) {
      return settled(nccl(row.generation, Algorithm::kDoubleBinaryTree, protocol, 1_GiB), layout);
    };
    const Execution e = of(Protocol::kSimple);
    EXPECT_EQ(e.transfer, Execution::Transfer::kPaced);
    EXPECT_EQ(e.channels, row.channels) << row.gpus;
    EXPECT_EQ(e.chunk, 512_KiB);
    EXPECT_EQ(e.slices, 1);
    EXPECT_EQ(e.in_flight, 8);
    EXPECT_EQ(e.step_latency, 0_us) << "fences are part of what was measured";
    EXPECT_NEAR(static_cast<double>(e.channel_rate.count()) / 8e9, row.inside, 1e-3);
    EXPECT_NEAR(static_cast<double>(e.network_channel_rate.count()) / 8e9, row.between, 1e-3);
    const Execution ll128 = of(Protocol::kLl128);
    EXPECT_EQ(ll128.transfer, Execution::Transfer::kPaced);
    EXPECT_FALSE(ll128.step_latency.has_value()) << "that of the protocol";
    EXPECT_NEAR(static_cast<double>(ll128.channel_rate.count()) / 8e9, row.ll128, 1e-3);
    EXPECT_EQ(of(Protocol::kLl).transfer, Execution::Transfer::kPosted);
    EXPECT_EQ(of(Protocol::kLl).channels, row.channels);
  }
}

// A step of LL128 is 614,400 bytes, 15/16 of it data. On two servers of eight, 16 channels and a
// depth of 1 + 1 + 0.8, steps are halved while a channel has fewer than 22.4 (64 x 2.8 / 8) and
// they have more than 128 KiB, and then while it has fewer than 5.6 and they have more than 32 KiB.
TEST(NcclExecution, TreesInLl128HaveSmallerChunksWhereThereWouldBeFew) {
  RankLayout layout = server(16, 370);
  for (std::uint32_t r = 8; r < 16; ++r) layout.domain[r] = 1;
  layout.network_rate = 400_Gbps;
  const auto chunk = [&](Bytes size) {
    return settled(
               nccl(GpuGeneration::kHopper, Algorithm::kDoubleBinaryTree, Protocol::kLl128, size),
               layout)
        .chunk;
  };
  EXPECT_EQ(chunk(1_GiB), Bytes(576'000));
  EXPECT_EQ(chunk(256_MiB), Bytes(576'000));
  EXPECT_EQ(chunk(128_MiB), Bytes(288'000));
  EXPECT_EQ(chunk(64_MiB), Bytes(144'000));
  EXPECT_EQ(chunk(8_MiB), Bytes(72'000));
  EXPECT_EQ(chunk(4_MiB), Bytes(36'000));
  EXPECT_EQ(chunk(1_KiB), Bytes(18'000));
}

// Back to back, launches overlap with the call before, and say only how far apart calls are at
// least. What is left are kernels: in LL 7.9, 4.6 and 6.5 us, and 1.05, 0.79 and 1.36 us for each
// step of a ring, of which NVLink has 0.6. A single call has its launch besides.
TEST(NcclExecution, BackToBackIsWithoutLaunchesOfHosts) {
  struct Kernel {
    GpuGeneration generation;
    std::int64_t rate;
    std::int64_t base_ns;
    std::int64_t step_ns;
  };
  using enum GpuGeneration;
  for (const Kernel& row : {Kernel{kAmpere, 240, 7'900, 450}, Kernel{kHopper, 370, 4'600, 190},
                            Kernel{kBlackwell, 721, 6'500, 760}}) {
    CollectiveSpec spec = nccl(row.generation, Algorithm::kRing, Protocol::kLl, 1_KiB);
    spec.execution.calls = Execution::Calls::kBackToBack;
    const Execution e = settled(spec, server(8, row.rate));
    EXPECT_EQ(e.launch, row.base_ns * 1_ns);
    EXPECT_EQ(e.launch_interval, 0_us);
    EXPECT_EQ(e.step_latency, row.step_ns * 1_ns);
    spec.execution.launch = 40_us;
    EXPECT_EQ(settled(spec, server(8, row.rate)).launch, row.base_ns * 1_ns);
    EXPECT_EQ(settled(spec, server(8, row.rate)).launch_interval, 40_us);
    spec.execution.calls.reset();
    EXPECT_EQ(settled(spec, server(8, row.rate)).launch, row.base_ns * 1_ns + 40_us);
    EXPECT_EQ(settled(spec, server(8, row.rate)).launch_interval, 0_us);
  }
}

// Over several servers NCCL's constants alone: 6.6 us, and 0.6 per step over NVLink, of which the
// links have 0.35 here.
TEST(NcclExecution, HasTheConstantsOfNcclInLlBetweenServers) {
  RankLayout layout = server(16, 370);
  for (std::uint32_t r = 8; r < 16; ++r) layout.domain[r] = 1;
  layout.domain_latency = 350_ns;
  layout.network_rate = 400_Gbps;
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kDoubleBinaryTree}) {
    CollectiveSpec spec = nccl(GpuGeneration::kAmpere, algorithm, Protocol::kLl, 1_KiB);
    spec.execution.calls = Execution::Calls::kBackToBack;
    const Execution e = settled(spec, layout);
    EXPECT_EQ(e.launch, 6'600_ns);
    EXPECT_EQ(e.step_latency, 250_ns);
  }
}

// NCCL_P2P_LL_THRESHOLD. Base and two steps: 4.6 + 1.58 us, and 16 KiB at 141 / 24 GB/s take 2.8;
// in Simple 8.4 + 1.58.
TEST(NcclExecution, SendsSmallMessagesToPeersInLl) {
  const auto of = [](Bytes size) {
    CollectiveSpec spec = nccl(GpuGeneration::kHopper, Algorithm::kOneShot, Protocol::kNone, size);
    spec.operation = Operation::kAllToAll;
    spec.execution.calls = Execution::Calls::kBackToBack;
    return settled(spec, server(8, 371));
  };
  EXPECT_EQ(of(1_B).protocol, Protocol::kLl);
  EXPECT_NEAR(to_seconds(*of(1_B).launch) * 1e6, 6.18, 0.01);
  EXPECT_EQ(of(16_KiB).protocol, Protocol::kLl);
  EXPECT_NEAR(to_seconds(*of(16_KiB).launch) * 1e6, 8.97, 0.01);
  EXPECT_EQ(of(16_KiB + 1_B).protocol, Protocol::kSimple);
  EXPECT_NEAR(to_seconds(*of(16_KiB + 1_B).launch) * 1e6, 9.98, 0.01);
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
