#include "collectives/nccl_execution.hpp"

#include <algorithm>

namespace weft::collectives {

namespace {

/// Channels of what is no ring, tree or NVLS, and of machines whose links are not known.
constexpr std::uint32_t kOtherChannels = 8;
/// Threads of NVLS per GPU: NVLS_NCHANNELS_SM90, and NVLS_NCHANNELS_SM100_NVL of one clique.
constexpr std::uint32_t kHopperNvlsChannels = 16;
constexpr std::uint32_t kBlackwellNvlsChannels = 24;

/// Chunks of a protocol: what of its buffer (4 MiB, 4.69 MiB, 512 KiB, each of 8 steps) one holds.
struct Chunking {
  Bytes chunk;
  std::uint32_t slices;
};

Chunking chunking_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kLl:  // one step, half of it flags
      return {32_KiB, 1};
    case Protocol::kLl128:  // one step of 614,400 bytes, a sixteenth of it flags
      return {Bytes(576'000), 1};
    case Protocol::kSimple:
    case Protocol::kNone:
      break;
  }
  return {2_MiB, 2};  // four steps, sent by twos
}

/// 128 KiB, and less where there would be few chunks to overlap: below 64, 8 and 2 rounds of the
/// chunk before, one round being a chunk per channel and rank.
Bytes nvls_chunk(Bytes size, std::uint32_t channels, std::uint32_t ranks) {
  const std::int64_t at_once = std::int64_t{channels} * ranks;
  Bytes chunk = 128_KiB;
  if (size < chunk * (64 * at_once)) chunk = std::min(chunk, 64_KiB);
  if (size < chunk * (8 * at_once)) chunk = std::min(chunk, 32_KiB);
  if (size < chunk * (2 * at_once)) chunk = std::min(chunk, 16_KiB);
  return chunk;
}

/// What a collective takes beside its steps, by the tuning table's base row. NVLS has none there,
/// but 25 us for the whole exchange, of which weft runs two steps of Simple (3.4 us each).
Picoseconds base_latency(Algorithm algorithm, Protocol protocol) {
  if (algorithm == Algorithm::kNvls) return Picoseconds(18'200'000);
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

std::uint32_t channels_of(const CollectiveSpec& spec, const RankMap& map,
                          const RankLayout& layout) {
  switch (spec.algorithm) {
    case Algorithm::kNvls:
      return spec.generation == GpuGeneration::kBlackwell ? kBlackwellNvlsChannels
                                                          : kHopperNvlsChannels;
    case Algorithm::kRing:
    case Algorithm::kDoubleBinaryTree:
      break;
    default:
      return kOtherChannels;
  }
  const bool is_known = (map.domain_size() > 1 ? layout.domain_rate : layout.network_rate).count() > 0 &&
                        (map.domains() == 1 || layout.network_rate.count() > 0);
  return is_known ? nccl_machine_of(spec, map, layout).channels : kOtherChannels;
}

}  // namespace

NcclMachine nccl_machine_of(const CollectiveSpec& spec, const RankMap& map,
                            const RankLayout& layout) {
  const auto gigabytes = [](BitsPerSecond rate) { return static_cast<double>(rate.count()) / 8e9; };
  const double nic = gigabytes(layout.network_rate);
  const double intra = map.domain_size() > 1 ? gigabytes(layout.domain_rate) : nic;
  NcclMachine machine = nccl_machine(spec.generation, map.ranks(), map.domains(), intra, nic);
  machine.has_nvls = layout.has_in_network_reduction && map.domains() == 1;
  return machine;
}

Execution nccl_execution(const Execution& asked, const CollectiveSpec& spec, std::uint32_t ranks,
                         const RankLayout& layout) {
  if (asked.preset != Execution::Preset::kNccl) return asked;
  const RankMap map(ranks, layout);
  const bool is_nvls = spec.algorithm == Algorithm::kNvls;
  const Protocol protocol =
      spec.execution.protocol == Protocol::kNone ? Protocol::kSimple : spec.execution.protocol;
  Execution execution = asked;
  execution.protocol = protocol;
  if (execution.channels == 0) execution.channels = channels_of(spec, map, layout);
  const Chunking chunking = chunking_of(protocol);
  if (execution.chunk == 0_B) {
    execution.chunk =
        is_nvls ? nvls_chunk(spec.size, execution.channels, ranks) : chunking.chunk;
  }
  if (execution.slices == 0) execution.slices = is_nvls ? 1 : chunking.slices;
  if (execution.transfer == Execution::Transfer::kMachine) {
    const bool pulls = spec.generation == GpuGeneration::kAmpere && map.domains() == 1 &&
                       map.domain_size() > 1 && protocol == Protocol::kSimple;
    execution.transfer = pulls ? Execution::Transfer::kPull : Execution::Transfer::kPush;
  }
  execution.launch += base_latency(spec.algorithm, protocol);
  return execution;
}

}  // namespace weft::collectives
