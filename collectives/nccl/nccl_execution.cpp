#include "collectives/nccl/nccl_execution.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "collectives/algorithms/nvls/heads.hpp"
#include "collectives/nccl/nccl_blocks.hpp"
#include "collectives/spec/buffer_window.hpp"
#include "simcore/fabric/gpu_rates.hpp"

namespace weft::collectives {

namespace {

/// Channels of what is no ring, tree or NVLS, and of machines whose links are not known.
constexpr std::uint32_t kOtherChannels = 8;
/// Blocks of threads per GPU that NVLS takes: NVLS_NCHANNELS_SM90. Later versions have 24 for
/// Blackwell.
constexpr std::uint32_t kNvlsChannels = 16;
/// Of the 25 us that the tuning model has for NVLS, what is left beside the two steps of Simple
/// (3.4 us each) that weft runs. On Blackwell an all-reduce of 4 MiB on eight GPUs takes 13.6 us
/// longer than with that, back to back (53.9 us; source as of GpuTimes).
constexpr Picoseconds kNvlsBase = 18'200_ns;
constexpr Picoseconds kNvlsBaseBlackwell = 31'800_ns;

/// Chunks of a protocol: what of its buffer (4 MiB, 4.69 MiB, 512 KiB, each of 8 steps) one holds,
/// and how many slices the buffer holds, which is as many as may be on their way.
struct Chunking {
  Bytes chunk;
  std::uint32_t slices;
  std::uint32_t in_flight;
};

Chunking chunking_of(const CollectiveSpec& spec, Protocol protocol) {
  switch (protocol) {
    case Protocol::kLl:  // one step, half of it flags
      return {32_KiB, 1, 8};
    case Protocol::kLl128:  // one step of 614,400 bytes, a sixteenth of it flags
      return {Bytes(576'000), 1, 8};
    case Protocol::kSimple:
    case Protocol::kNone:
      break;
  }
  // Chunks of several steps are those of rings; trees have one, as chains do.
  const bool is_chain = spec.operation == Operation::kBroadcast ||
                        spec.operation == Operation::kReduce ||
                        spec.algorithm == Algorithm::kDoubleBinaryTree;
  return is_chain ? Chunking{512_KiB, 1, 8} : Chunking{2_MiB, 2, 4};  // a step; four, by twos
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
/// (`ncclNvlsTreeSm100Tuning`), where a server's NICs are taken to be attached to the PCIe switches
/// of their GPUs.
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
Bytes nvls_tree_chunk(Bytes size, Bytes max, std::uint32_t channels, std::uint32_t heads) {
  const std::int64_t at_once = std::int64_t{channels} * heads;
  Bytes chunk = max;
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

/// NCCL goes by the rate of the port, headers and all.
BitsPerSecond nic_rate_of(const RankLayout& layout) {
  return layout.nic_rate > BitsPerSecond(0) ? layout.nic_rate : layout.network_rate;
}

bool knows_rates(const RankMap& map, const RankLayout& layout) {
  const bool needs_domain = map.domain_size() > 1;
  const bool needs_network = map.domains() > 1 || !needs_domain;
  return (!needs_domain || layout.domain_rate > BitsPerSecond(0)) &&
         (!needs_network || layout.network_rate > BitsPerSecond(0));
}

/// Of the ranks' GPUs, or where they are not known by generation.
GpuTimes gpu_times(const CollectiveSpec& spec, const RankLayout& layout) {
  return layout.gpu_times.or_else(GpuTimes::of(spec.gpus()));
}

/// A step over NVLink in LL, by NCCL's tuning table. A serial channel has it without a protocol
/// (collective_call.cpp).
constexpr Picoseconds kNvlinkStep = 600_ns;

/// NCCL's point-to-point messages go by LL up to here (NCCL_P2P_LL_THRESHOLD), in Simple beyond.
constexpr Bytes kMaxBytesInLl = 16_KiB;

bool is_point_to_point(Algorithm algorithm) {
  return algorithm == Algorithm::kOneShot || algorithm == Algorithm::kPairwise;
}

/// The largest that a rank has for another.
Bytes largest_message(const CollectiveSpec& spec, std::uint32_t ranks) {
  switch (spec.operation) {
    case Operation::kAllToAllV:
      return spec.matrix.empty() ? spec.size : Bytes(*std::ranges::max_element(spec.matrix));
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kGather:
    case Operation::kScatter:
      return spec.size / ranks;
    default:
      return spec.size;
  }
}

Protocol protocol_of(const CollectiveSpec& spec, const RankMap& map) {
  if (spec.execution.protocol != Protocol::kNone) return spec.execution.protocol;
  const bool is_small = is_point_to_point(spec.algorithm) && map.domains() == 1 &&
                        largest_message(spec, map.ranks()) <= kMaxBytesInLl;
  return is_small ? Protocol::kLl : Protocol::kSimple;
}

/// What a collective takes beside its steps: by the tuning table's base row, but in LL inside a
/// domain as measured there. NVLS has none in the table, but a time for the whole exchange.
Picoseconds base_latency(const CollectiveSpec& spec, Protocol protocol, const RankMap& map,
                         const RankLayout& layout) {
  if (spec.algorithm == Algorithm::kNvls || spec.algorithm == Algorithm::kNvlsTree) {
    return spec.gpus() == GpuGeneration::kBlackwell ? kNvlsBaseBlackwell : kNvlsBase;
  }
  switch (protocol) {
    case Protocol::kLl:
      return map.domains() == 1 ? *gpu_times(spec, layout).kernel : Picoseconds(6'600'000);
    case Protocol::kLl128:
      return Picoseconds(14'000'000);
    case Protocol::kSimple:
      return Picoseconds(8'400'000);
    case Protocol::kNone:
      break;
  }
  return {};
}

/// What point-to-point kernels take besides: as long as two steps until both sides are there
/// (calibrated on all-to-alls of 512 B on two H100, 6.4 us), and in LL, of which one block of
/// threads has a message, what a channel of the tuning model takes for it.
Picoseconds point_to_point_latency(const CollectiveSpec& spec, Protocol protocol,
                                   const RankMap& map, const RankLayout& layout) {
  if (!is_point_to_point(spec.algorithm) || map.domains() > 1 || map.domain_size() == 1) return {};
  const Picoseconds both = *gpu_times(spec, layout).step * 2;
  if (protocol != Protocol::kLl || !knows_rates(map, layout)) return both;
  const NcclMachine machine = nccl_machine_of(spec, map, layout);
  const double channel = nccl_ring_bandwidth(Protocol::kLl, machine) / machine.channels();
  const auto bytes = static_cast<double>(largest_message(spec, map.ranks()).count());
  return both + Picoseconds(std::llround(bytes / channel * 1e3));
}

/// Of ranks that are alone on their servers all data goes by the network, and through buffers of
/// its own on the way: no channel moves more there than its block of threads. Elsewhere links take
/// longer than the blocks of their many channels.
void fill_in_rates(Execution& execution, const CollectiveSpec& spec, const RankMap& map,
                   const RankLayout& layout) {
  const GpuRates gpu = layout.gpu_rates.or_else(GpuRates::of(spec.gpus()));
  const bool by_network = map.domains() == map.ranks() && execution.protocol == Protocol::kSimple;
  const BitsPerSecond blocks = std::int64_t{execution.channels} * gpu.block;
  for (const auto& [rate, max] :
       {std::pair(&execution.copy_rate, gpu.copy), std::pair(&execution.reduce_rate, gpu.reduce)}) {
    if (*rate == kAsGpu) *rate = by_network ? std::min(max, blocks) : max;
  }
}

/// Whether channels move one slice after the other. In LL and LL128 threads wait for the flags of
/// what they forward. In Simple, GPUs write to each other, but Ampere's read over NVLink. Between
/// servers LL has what hosts' processors move, which is not the threads' own.
bool is_serial(const CollectiveSpec& spec, Protocol protocol, const RankMap& map) {
  if (spec.algorithm != Algorithm::kRing) return false;
  if (protocol == Protocol::kLl128) return true;
  if (map.domains() > 1) return false;
  return protocol != Protocol::kSimple || spec.gpus() == GpuGeneration::kAmpere;
}

/// What a block of threads moves in LL128 on one server of Ampere, calibrated: all-reduces of 4 and
/// 16 MiB on eight A100 take 77.3 and 216.5 us back to back (source as of GpuTimes), so each of 14
/// steps moves 64 KiB more per channel in 9.9 us. The tuning model has 73.6 Gbps. On Hopper the
/// same two rows come to 98 of its 110 Gbps, which is left alone.
constexpr BitsPerSecond kLl128BlockAmpere = 53_Gbps;

/// What a serial channel moves: its share of what the tuning model has for rings, and no more than
/// its block of threads.
BitsPerSecond serial_rate(const Execution& execution, const CollectiveSpec& spec,
                          const NcclMachine& machine) {
  const double all = nccl_ring_bandwidth(execution.protocol, machine);
  const BitsPerSecond share(std::llround(all * 8e9 / execution.channels));
  const bool is_limited = execution.protocol == Protocol::kLl128 && machine.nodes == 1 &&
                          spec.gpus() == GpuGeneration::kAmpere;
  return is_limited ? std::min(share, kLl128BlockAmpere) : share;
}

/// Whether blocks of threads, not links, set the pace of channels: in trees of LL128 and Simple,
/// whose chains have one chunk after the other, and whose heads have several messages for each.
bool is_paced(const Execution& execution, const CollectiveSpec& spec, Protocol protocol) {
  const bool is_open = execution.transfer == Execution::Transfer::kMachine ||
                       execution.transfer == Execution::Transfer::kPaced;
  return is_open && spec.algorithm == Algorithm::kDoubleBinaryTree && protocol != Protocol::kLl;
}

/// The model's caps were measured, fences and flags of every step included.
void set_pace(Execution& execution, const NcclMachine& machine) {
  execution.transfer = Execution::Transfer::kPaced;
  if (!execution.step_latency && execution.protocol == Protocol::kSimple) {
    execution.step_latency = Picoseconds(0);
  }
  for (const auto& [rate, leaves] : {std::pair(&execution.channel_rate, false),
                                     std::pair(&execution.network_channel_rate, true)}) {
    if (*rate > BitsPerSecond(0)) continue;
    *rate = BitsPerSecond(std::llround(nccl_tree_block(execution.protocol, machine, leaves) * 8e9));
  }
}

/// On one server: what sets the pace of rings in Simple and LL128, and of all-to-alls.
void set_blocks(Execution& execution, const CollectiveSpec& spec, const RankMap& map,
                const RankLayout& layout) {
  const auto blocks = nccl_blocks(spec.gpus());
  const bool is_open = execution.transfer == Execution::Transfer::kMachine ||
                       execution.transfer == Execution::Transfer::kPaced;
  if (!blocks || !is_open || map.domains() > 1 || !knows_rates(map, layout)) return;
  const bool is_chain =
      spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce;
  const bool is_ring = spec.algorithm == Algorithm::kRing && !is_chain;
  if (is_ring && execution.protocol == Protocol::kLl128 && !execution.step_latency) {
    execution.step_latency = blocks->flag_step;
  }
  if (execution.protocol != Protocol::kSimple) return;
  BitsPerSecond rate;
  if (is_ring) {
    const BitsPerSecond share = serial_rate(execution, spec, nccl_machine_of(spec, map, layout));
    rate = BitsPerSecond(std::llround(blocks->ring * static_cast<double>(share.count())));
    if (!execution.step_latency) execution.step_latency = blocks->step;
  } else if (is_point_to_point(spec.algorithm) &&
             (spec.operation == Operation::kAllToAll || spec.operation == Operation::kAllToAllV)) {
    const std::int64_t at_work =
        std::int64_t{nccl_blocks_per_peer(map.ranks())} * (map.ranks() - 1);
    const BitsPerSecond links(
        std::llround(kLinksOfMessages * static_cast<double>(layout.domain_rate.count())));
    rate = BitsPerSecond(std::min(links, at_work * blocks->message).count() / execution.channels);
  } else {
    return;
  }
  execution.transfer = Execution::Transfer::kPaced;
  if (execution.channel_rate == BitsPerSecond(0)) execution.channel_rate = rate;
}

/// Of LL128 in trees: halves of a step where there would be few chunks for the depth of the tree
/// (src/enqueue.cc). Steps are 614,400 bytes with their flags, 15/16 of it data.
Bytes tree_ll128_chunk(Bytes size, std::uint32_t channels, const RankMap& map) {
  const double per_node = map.domain_size();
  const double depth = 1 + std::floor(std::log2(map.domains())) + 0.1 * per_node;
  std::int64_t chunk = 614'400;
  const auto halve = [&](double rounds, std::int64_t min) {
    const auto count = [&] { return size.count() / (channels * chunk); };
    while (static_cast<double>(count()) < depth * rounds / per_node && chunk > min) chunk /= 2;
  };
  halve(64, 131'072);
  halve(16, 32'768);
  return Bytes(chunk / 16 * 15);
}

std::uint32_t channels_of(const CollectiveSpec& spec, const RankMap& map,
                          const RankLayout& layout) {
  switch (spec.algorithm) {
    case Algorithm::kNvls:
      return kNvlsChannels;
    case Algorithm::kNvlsTree:
      return nvls_tree_shape(spec.gpus(), map, nic_rate_of(layout)).channels;
    case Algorithm::kRing:
    case Algorithm::kDoubleBinaryTree:
      break;
    default:
      return kOtherChannels;
  }
  if (!knows_rates(map, layout)) return kOtherChannels;
  return nccl_machine_of(spec, map, layout).channels();
}

}  // namespace

NcclMachine nccl_machine_of(const CollectiveSpec& spec, const RankMap& map,
                            const RankLayout& layout) {
  const auto gigabytes = [](BitsPerSecond rate) { return static_cast<double>(rate.count()) / 8e9; };
  NcclMachine machine = nccl_machine({.generation = spec.gpus(),
                                      .nodes = map.domains(),
                                      .gpus = map.domain_size(),
                                      .nvlink = gigabytes(layout.domain_rate),
                                      .nics = map.nics(),
                                      .nic = gigabytes(nic_rate_of(layout))});
  machine.ranks = map.ranks();
  machine.transport_us = to_seconds(layout.transport_latency) * 1e6;
  machine.has_nvls = works_in_network(spec, layout) && map.is_even() && map.domain_size() > 1;
  return machine;
}

Execution nccl_execution(const Execution& asked, const CollectiveSpec& spec, std::uint32_t ranks,
                         const RankLayout& layout) {
  const bool is_queued = asked.calls == Execution::Calls::kBackToBack;
  if (asked.preset != Execution::Preset::kNccl) {
    Execution execution = spec.execution;
    if (is_queued && execution.launch) {
      execution.launch_interval = *std::exchange(execution.launch, std::nullopt);
    }
    return execution;
  }
  const RankMap map(ranks, layout);
  const bool is_nvls = spec.algorithm == Algorithm::kNvls;
  const bool is_nvls_tree = spec.algorithm == Algorithm::kNvlsTree;
  const Protocol protocol = protocol_of(spec, map);
  Execution execution = asked;
  execution.protocol = protocol;
  if (execution.channels == 0) execution.channels = channels_of(spec, map, layout);
  const Chunking chunking = chunking_of(spec, protocol);
  if (execution.chunk == 0_B) {
    execution.chunk = chunking.chunk;
    if (is_nvls) execution.chunk = nvls_chunk(spec.size, execution.channels, heads_of(ranks));
    const bool is_tree = spec.algorithm == Algorithm::kDoubleBinaryTree;
    if (is_tree && protocol == Protocol::kLl128) {
      execution.chunk = tree_ll128_chunk(spec.size, execution.channels, map);
    }
    if (is_nvls_tree) {
      const Bytes max = nvls_tree_shape(spec.gpus(), map, nic_rate_of(layout)).chunk;
      execution.chunk = nvls_tree_chunk(spec.size, max, execution.channels, heads_between(map));
    }
  }
  if (execution.in_flight == kAsBuffer) execution.in_flight = chunking.in_flight;
  if (execution.slices == 0) execution.slices = is_nvls || is_nvls_tree ? 1 : chunking.slices;
  if (is_paced(execution, spec, protocol) && knows_rates(map, layout)) {
    set_pace(execution, nccl_machine_of(spec, map, layout));
  }
  set_blocks(execution, spec, map, layout);
  if (execution.transfer == Execution::Transfer::kMachine) {
    const bool serial = is_serial(spec, protocol, map) && knows_rates(map, layout);
    execution.transfer = serial ? Execution::Transfer::kSerial : Execution::Transfer::kPosted;
    if (serial && protocol == Protocol::kLl && !execution.step_latency) {
      execution.step_latency =
          std::max(Picoseconds(0), *gpu_times(spec, layout).step - kNvlinkStep);
    }
    if (serial && execution.channel_rate == BitsPerSecond(0)) {
      execution.channel_rate = serial_rate(execution, spec, nccl_machine_of(spec, map, layout));
    }
  }
  // Posted steps have the latency of the links alone.
  if (protocol == Protocol::kLl && map.domains() > 1 && !execution.step_latency) {
    execution.step_latency = std::max(Picoseconds(0), kNvlinkStep - layout.domain_latency);
  }
  fill_in_rates(execution, spec, map, layout);
  if (!execution.network_step_latency) {
    execution.network_step_latency = network_step_latency(spec, protocol, map, layout);
  }
  Picoseconds base = base_latency(spec, protocol, map, layout) +
                     point_to_point_latency(spec, protocol, map, layout);
  if (map.domains() == 1 && nccl_place_rate(spec, execution) > BitsPerSecond(0)) {
    base += nccl_blocks(spec.gpus())->start;
  }
  execution.launch = base;
  if (is_queued) {  // what NICs take to start overlaps with the call before, too
    execution.launch_interval = asked.launch.value_or(Picoseconds(0));
    return execution;
  }
  *execution.launch += asked.launch.value_or(*gpu_times(spec, layout).launch);
  if (map.domains() > 1) *execution.launch += layout.start_latency;
  return execution;
}

}  // namespace weft::collectives
