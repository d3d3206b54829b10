#include "collectives/nccl/nccl_execution.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "collectives/algorithms/nvls/heads.hpp"
#include "simcore/fabric/gpu_rates.hpp"

namespace weft::collectives {

namespace {

/// Channels of what is no ring, tree or NVLS, and of machines whose links are not known.
constexpr std::uint32_t kOtherChannels = 8;
/// Blocks of threads per GPU that NVLS takes: NVLS_NCHANNELS_SM90. Later versions have 24 for
/// Blackwell.
constexpr std::uint32_t kNvlsChannels = 16;
/// Of the 25 us that the tuning model has for NVLS, what is left beside the two steps of Simple
/// (3.4 us each) that weft runs.
constexpr Picoseconds kNvlsBase(18'200'000);

/// Chunks of a protocol: what of its buffer (4 MiB, 4.69 MiB, 512 KiB, each of 8 steps) one holds.
struct Chunking {
  Bytes chunk;
  std::uint32_t slices;
};

Chunking chunking_of(Operation operation, Protocol protocol) {
  switch (protocol) {
    case Protocol::kLl:  // one step, half of it flags
      return {32_KiB, 1};
    case Protocol::kLl128:  // one step of 614,400 bytes, a sixteenth of it flags
      return {Bytes(576'000), 1};
    case Protocol::kSimple:
    case Protocol::kNone:
      break;
  }
  const bool is_chain = operation == Operation::kBroadcast || operation == Operation::kReduce;
  return is_chain ? Chunking{512_KiB, 1} : Chunking{2_MiB, 2};  // a step; four, sent by twos
}

/// 128 KiB, and less where there would be few chunks to overlap: below 64, 8 and 2 rounds of the
/// chunk before, one round being a chunk per channel and head.
Bytes nvls_chunk(Bytes size, std::uint32_t channels, std::uint32_t heads) {
  const std::int64_t at_once = std::int64_t{channels} * heads;
  Bytes chunk = 128_KiB;
  if (size < chunk * (64 * at_once)) chunk = std::min(chunk, 64_KiB);
  if (size < chunk * (8 * at_once)) chunk = std::min(chunk, 32_KiB);
  if (size < chunk * (2 * at_once)) chunk = std::min(chunk, 16_KiB);
  return chunk;
}

/// What NVLSTree takes in blocks of threads and in bytes.
struct NvlsTreeShape {
  std::uint32_t channels;
  Bytes chunk;  ///< at most
};

/// On Hopper as NVLS, with smaller chunks from four nodes on (`ncclNvlsTuning` of
/// src/transport/nvls.cc). On Blackwell by nodes, GPUs per node and NIC
/// (`ncclNvlsTreeSm100Tuning`), where a server's NICs are taken to hang on the PCIe switches of
/// their GPUs.
NvlsTreeShape nvls_tree_shape(GpuGeneration generation, const RankMap& map, BitsPerSecond network) {
  const std::uint32_t gpus = map.domain_size();
  const bool is_400g = network >= BitsPerSecond(384'000'000'000);
  const bool is_800g = network >= BitsPerSecond(768'000'000'000);
  if (generation != GpuGeneration::kBlackwell) {
    return {kNvlsChannels, map.domains() >= 4 ? 64_KiB : 128_KiB};
  }
  if (map.domains() == 2 && is_400g) {
    if (gpus <= 4) return {32, 256_KiB};
    return {32, gpus >= 16 || (gpus <= 8 && !is_800g) ? 64_KiB : 128_KiB};
  }
  if (is_800g) {
    if (gpus <= 8) return {24, 256_KiB};
    return {32, gpus < 32 ? 128_KiB : 64_KiB};
  }
  if (is_400g) return {24, 64_KiB};
  return {32, map.domains() >= 4 ? 64_KiB : 128_KiB};
}

/// Smaller chunks where there would be few rounds, a round being a chunk per channel and head:
/// below 16, 4 and 1 (src/enqueue.cc).
Bytes nvls_tree_chunk(Bytes size, Bytes most, std::uint32_t channels, std::uint32_t heads) {
  const std::int64_t at_once = std::int64_t{channels} * heads;
  Bytes chunk = most;
  if (size < chunk * (16 * at_once)) chunk = std::min(chunk, 128_KiB);
  if (size < chunk * (4 * at_once)) chunk = std::min(chunk, 64_KiB);
  if (size < chunk * at_once) chunk = std::min(chunk, 32_KiB);
  return chunk;
}

/// The row of the tuning tables whose network hops an algorithm takes: that of rings stands for
/// NCCL's point-to-point messages as well, which have none. Nothing for what NCCL does not run.
std::optional<NcclAlgorithm> row_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRing:
    case Algorithm::kOneShot:
    case Algorithm::kPairwise:
      return NcclAlgorithm::kRing;
    case Algorithm::kDoubleBinaryTree:
      return NcclAlgorithm::kTree;
    case Algorithm::kNvlsTree:
      return NcclAlgorithm::kNvlsTree;
    default:
      return {};
  }
}

/// From the arrival of a message of another domain until its receiver sees it: what NCCL's network
/// hop takes longer than the fabric, which has the wire, the switches and the NIC's transport.
std::optional<Picoseconds> network_step_latency(const CollectiveSpec& spec, Protocol protocol,
                                                const RankMap& map, const RankLayout& layout) {
  const std::optional<NcclAlgorithm> row = row_of(spec.algorithm);
  if (!row || map.domains() == 1) return {};
  const double hop = nccl_network_hop(*row, protocol, nccl_machine_of(spec, map, layout));
  return std::max(Picoseconds(0), Picoseconds(std::llround(hop * 1e6)) - layout.network_latency);
}

/// What a collective takes beside its steps, by the tuning table's base row. NVLS has none there,
/// but a time for the whole exchange.
Picoseconds base_latency(Algorithm algorithm, Protocol protocol) {
  if (algorithm == Algorithm::kNvls || algorithm == Algorithm::kNvlsTree) return kNvlsBase;
  switch (protocol) {
    case Protocol::kLl:
      return Picoseconds(6'600'000);
    case Protocol::kLl128:
      return Picoseconds(14'000'000);
    case Protocol::kSimple:
      return Picoseconds(8'400'000);
    case Protocol::kNone:
      break;
  }
  return {};
}

/// What hosts take to launch a collective on the servers that have these GPUs: 32 KiB on eight of
/// them take 42.8 (A100), 36.6 (H100, H200) and 47.8 us (B200) in published tables of nccl-tests,
/// means where there are two, of which NCCL's model has 15 for the ring in LL.
Picoseconds host_launch(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::kAmpere:
      return 28_us;
    case GpuGeneration::kHopper:
      return 22_us;
    case GpuGeneration::kBlackwell:
      break;
  }
  return 33_us;
}

/// Of ranks that are alone on their servers all data goes by the network, and through buffers of
/// its own on the way: no channel moves more there than its block of threads. Elsewhere links take
/// longer than the blocks of their many channels.
void fill_in_rates(Execution& execution, const CollectiveSpec& spec, const RankMap& map) {
  const GpuRates gpu = GpuRates::of(spec.gpus());
  const bool by_network = map.domains() == map.ranks() && execution.protocol == Protocol::kSimple;
  const BitsPerSecond blocks = std::int64_t{execution.channels} * gpu.block;
  for (const auto& [rate, most] :
       {std::pair(&execution.copy_rate, gpu.copy), std::pair(&execution.reduce_rate, gpu.reduce)}) {
    if (*rate == kAsGpu) *rate = by_network ? std::min(most, blocks) : most;
  }
}

bool knows_rates(const RankMap& map, const RankLayout& layout) {
  const bool needs_domain = map.domain_size() > 1;
  const bool needs_network = map.domains() > 1 || !needs_domain;
  return (!needs_domain || layout.domain_rate > BitsPerSecond(0)) &&
         (!needs_network || layout.network_rate > BitsPerSecond(0));
}

/// Whether channels move one slice after the other. In LL and LL128 threads wait for the flags of
/// what they forward. In Simple, GPUs write to each other, but Ampere's read over NVLink.
bool is_serial(const CollectiveSpec& spec, Protocol protocol, const RankMap& map) {
  if (spec.algorithm != Algorithm::kRing || map.domains() > 1) return false;
  return protocol != Protocol::kSimple || spec.gpus() == GpuGeneration::kAmpere;
}

/// How often the channels of a GPU that is alone on its server are multiplied beyond the doubling
/// of all channels: the search finds one per NIC, and makes two of it where its speed is at least
/// 25 GB/s (`ncclTopoDupChannels`; 28 and 30 are the next of its speeds). The 96 GB/s that
/// Blackwell's search has make two of 48, which are doubled once more (`ncclTopoPostset`, above
/// 45), and earlier searches find twice 48.
std::uint32_t lone_duplicates(const NcclMachine& machine) {
  const double searched = 2 * machine.channel_bandwidth;
  if (searched >= 96) return 4;
  return searched >= (machine.generation == GpuGeneration::kAmpere ? 28 : 30) ? 2 : 1;
}

std::uint32_t channels_of(const CollectiveSpec& spec, const RankMap& map,
                          const RankLayout& layout) {
  switch (spec.algorithm) {
    case Algorithm::kNvls:
      return kNvlsChannels;
    case Algorithm::kNvlsTree:
      return nvls_tree_shape(spec.gpus(), map, layout.network_rate).channels;
    case Algorithm::kRing:
    case Algorithm::kDoubleBinaryTree:
      break;
    default:
      return kOtherChannels;
  }
  if (!knows_rates(map, layout)) return kOtherChannels;
  const NcclMachine machine = nccl_machine_of(spec, map, layout);
  return machine.channels * (map.domains() == map.ranks() ? lone_duplicates(machine) : 1);
}

}  // namespace

NcclMachine nccl_machine_of(const CollectiveSpec& spec, const RankMap& map,
                            const RankLayout& layout) {
  const auto gigabytes = [](BitsPerSecond rate) { return static_cast<double>(rate.count()) / 8e9; };
  const double nic = gigabytes(layout.network_rate);
  const double intra = map.domain_size() > 1 ? gigabytes(layout.domain_rate) : nic;
  NcclMachine machine = nccl_machine(spec.gpus(), map.ranks(), map.domains(), intra, nic);
  machine.transport_us = to_seconds(layout.transport_latency) * 1e6;
  machine.has_nvls = layout.has_in_network_reduction && map.is_even() && map.domain_size() > 1;
  return machine;
}

Execution nccl_execution(const Execution& asked, const CollectiveSpec& spec, std::uint32_t ranks,
                         const RankLayout& layout) {
  if (asked.preset != Execution::Preset::kNccl) return spec.execution;
  const RankMap map(ranks, layout);
  const bool is_nvls = spec.algorithm == Algorithm::kNvls;
  const bool is_nvls_tree = spec.algorithm == Algorithm::kNvlsTree;
  const Protocol protocol =
      spec.execution.protocol == Protocol::kNone ? Protocol::kSimple : spec.execution.protocol;
  Execution execution = asked;
  execution.protocol = protocol;
  if (execution.channels == 0) execution.channels = channels_of(spec, map, layout);
  const Chunking chunking = chunking_of(spec.operation, protocol);
  if (execution.chunk == 0_B) {
    execution.chunk = chunking.chunk;
    if (is_nvls) execution.chunk = nvls_chunk(spec.size, execution.channels, heads_of(ranks));
    if (is_nvls_tree) {
      const Bytes most = nvls_tree_shape(spec.gpus(), map, layout.network_rate).chunk;
      execution.chunk =
          nvls_tree_chunk(spec.size, most, execution.channels, heads_of(map.domain_size()));
    }
  }
  if (execution.slices == 0) execution.slices = is_nvls || is_nvls_tree ? 1 : chunking.slices;
  if (execution.transfer == Execution::Transfer::kMachine) {
    const bool serial = is_serial(spec, protocol, map) && knows_rates(map, layout);
    execution.transfer = serial ? Execution::Transfer::kSerial : Execution::Transfer::kPosted;
    if (serial && execution.channel_rate == BitsPerSecond(0)) {
      const double all = nccl_ring_bandwidth(protocol, nccl_machine_of(spec, map, layout));
      execution.channel_rate = BitsPerSecond(std::llround(all * 8e9 / execution.channels));
    }
  }
  fill_in_rates(execution, spec, map);
  if (!execution.network_step_latency) {
    execution.network_step_latency = network_step_latency(spec, protocol, map, layout);
  }
  execution.launch = asked.launch.value_or(host_launch(spec.gpus())) +
                     base_latency(spec.algorithm, protocol) +
                     (map.domains() > 1 ? layout.start_latency : Picoseconds(0));
  return execution;
}

}  // namespace weft::collectives
