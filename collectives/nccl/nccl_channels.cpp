#include "collectives/nccl/nccl_channels.hpp"

#include <algorithm>

namespace weft::collectives {
namespace {

/// `MinTrafficPerChannel`: 512 B up to 2.23.
constexpr std::int64_t kMinTraffic = 32 << 10;
/// Cells are whole 16 bytes.
constexpr std::int64_t kGrain = 16;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit; }

/// `ncclFuncTrafficPerByte`; 0: NCCL tunes no such operation.
std::int64_t traffic_per_byte(Operation operation, std::uint32_t ranks) {
  switch (operation) {
    case Operation::kAllReduce:
      return 2;
    case Operation::kAllGather:
    case Operation::kReduceScatter:
      return ranks;
    case Operation::kBroadcast:
    case Operation::kReduce:
      return 1;
    default:
      return 0;
  }
}

/// Threads of a block, and how many bytes each is to have at least (the line `threadThresholds` of
/// a log: tree, then ring).
struct Threads {
  std::int64_t count;
  std::int64_t min_bytes;
};

Threads threads_of(Algorithm algorithm, Protocol protocol, std::uint32_t ranks) {
  switch (protocol) {
    case Protocol::kLl:
      return {512, algorithm == Algorithm::kRing ? std::int64_t{8} * ranks : 8};
    case Protocol::kLl128:
      return {640, 8};
    default:
      return {512, 64};
  }
}

}  // namespace

std::uint32_t nccl_channels_of_call(Operation operation, Algorithm algorithm, Protocol protocol,
                                    Bytes bytes, std::uint32_t ranks, std::uint32_t channels) {
  std::int64_t per_byte = traffic_per_byte(operation, ranks);
  if (per_byte == 0 || bytes <= Bytes(0) || channels == 0) return channels;
  const bool is_nvls = algorithm == Algorithm::kNvls || algorithm == Algorithm::kNvlsTree;
  std::int64_t highest = channels;
  if (!is_nvls) {
    // Of the whole buffer, which is that of all ranks.
    const bool is_of_one_rank =
        operation == Operation::kAllGather || operation == Operation::kReduceScatter;
    const std::int64_t all = bytes.count() * (is_of_one_rank ? ranks : 1);
    const Threads threads = threads_of(algorithm, protocol, ranks);
    while (highest > 1 && all < highest * threads.count * threads.min_bytes) --highest;
  }
  if (protocol == Protocol::kLl) per_byte *= 4;
  const std::int64_t traffic = std::max(bytes.count() * per_byte, kMinTraffic);
  const std::int64_t of_channel = rounded_up(traffic / highest, kGrain) * kGrain;
  const std::int64_t cell = rounded_up(rounded_up(kMinTraffic, per_byte), kGrain) * kGrain;
  const std::int64_t cells = rounded_up(bytes.count(), cell);
  const std::int64_t each = std::min(cells, rounded_up(of_channel, cell * per_byte));
  return static_cast<std::uint32_t>(std::min<std::int64_t>(rounded_up(cells, each), channels));
}

}  // namespace weft::collectives
