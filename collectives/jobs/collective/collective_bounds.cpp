#include "collectives/jobs/collective/collective_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

namespace weft::collectives {

namespace {

/// Of an all-to-all-v: what is sent in all, to others in all.
CollectiveBytes matrix_bytes(const CollectiveSpec& spec, std::uint32_t ranks) {
  std::int64_t sum = 0;
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < spec.matrix.size(); ++i) sum += spec.matrix[i];
  for (std::size_t r = 0; r < ranks && r * (ranks + 1) < spec.matrix.size(); ++r) {
    kept += spec.matrix[r * (ranks + 1)];
  }
  return {Bytes(sum / ranks), Bytes((sum - kept) / ranks)};
}

}  // namespace

CollectiveBytes collective_bytes(const CollectiveSpec& spec, std::uint32_t ranks) {
  __extension__ using Wide = __int128;
  const Wide size = spec.size.count();
  const Wide n = ranks;
  const auto bytes = [](Wide value) { return Bytes(static_cast<std::int64_t>(value)); };
  switch (spec.operation) {
    case Operation::kAllReduce:
      return {spec.size, bytes(size * 2 * (n - 1) / n)};
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kGather:
    case Operation::kScatter:
      return {spec.size, bytes(size * (n - 1) / n)};
    case Operation::kBroadcast:
    case Operation::kReduce:
    case Operation::kSendReceive:
      return {spec.size, spec.size};
    case Operation::kAllToAll:
      return {bytes(size * n), bytes(size * (n - 1))};
    case Operation::kAllToAllV:
      return matrix_bytes(spec, ranks);
    case Operation::kBarrier:
      break;
  }
  return {};
}

namespace {

/// Of an all-to-all-v, from one rank to another.
double largest_block(const CollectiveSpec& spec) {
  if (spec.routing) {
    return static_cast<double>(spec.routing->token_size.count()) * spec.routing->tokens *
           spec.routing->experts_per_rank;
  }
  double largest = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;
  for (const Block& block : spec.blocks) {
    double& sum = pairs[{block.from, block.to}];
    largest = std::max(largest, sum += static_cast<double>(block.size.count()));
  }
  return largest;
}

/// Whether some algorithm that the job may run by has every rank send to every other.
bool may_be_direct(const CollectiveSpec& spec) {
  switch (spec.algorithm) {
    case Algorithm::kOneShot:
    case Algorithm::kTwoShot:
    case Algorithm::kPairwise:
    case Algorithm::kBest:
      return spec.operation != Operation::kSendReceive;
    case Algorithm::kNccl:
      return spec.operation == Operation::kAllToAll || spec.operation == Operation::kAllToAllV;
    default:
      return false;
  }
}

/// What NCCL has at most, where an execution leaves it to NCCL.
constexpr std::uint32_t kMostNcclChannels = 64;
constexpr std::uint32_t kLeastNcclChannels = 2;
constexpr std::int64_t kLeastNcclChunk = 16'384;

std::uint32_t most_channels(const Execution& execution) {
  return execution.channels == 0 ? kMostNcclChannels : execution.channels;
}

}  // namespace

std::uint64_t most_connections(const CollectiveSpec& spec, std::uint64_t ranks) {
  const std::uint64_t channels = most_channels(spec.execution);
  const bool has_root =
      spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce ||
      spec.operation == Operation::kGather || spec.operation == Operation::kScatter;
  if (may_be_direct(spec) && !has_root) return channels * ranks * (ranks - 1);
  switch (spec.algorithm) {
    case Algorithm::kRing:
      return channels * ranks;
    case Algorithm::kHierarchical:
      return 3 * channels * ranks;
    case Algorithm::kRecursiveDoubling:
    case Algorithm::kHalvingDoubling:
    case Algorithm::kDissemination:
      return channels * ranks * static_cast<std::uint64_t>(std::bit_width(ranks));
    default:
      return 4 * channels * ranks;  // up and down two trees
  }
}

MessageBound most_messages(const CollectiveSpec& spec, std::uint32_t ranks,
                           std::uint32_t domain_size) {
  const double n = ranks;
  const double g = std::clamp(domain_size, 1U, ranks);
  const Execution& execution = spec.execution;
  double size = static_cast<double>(spec.size.count());
  if (spec.operation == Operation::kAllToAllV) {
    size = std::max(size, largest_block(spec));
  }
  const bool is_nccl = execution.preset == Execution::Preset::kNccl;
  const double chunk = execution.chunk == 0_B && is_nccl
                           ? static_cast<double>(kLeastNcclChunk)
                           : static_cast<double>(execution.chunk.count());
  const double slices = std::max(1U, execution.slices);
  const double lanes = most_channels(execution);
  const double share = size / lanes;
  // Per lane: steps for one lap, and laps; or peers, and chunks for each.
  double laps = chunk == 0 ? 1 : std::ceil(share / (chunk * n)) + 1;
  double steps = 4 * n;
  if (spec.operation == Operation::kAllToAll || spec.operation == Operation::kAllToAllV ||
      (may_be_direct(spec) && spec.algorithm != Algorithm::kTwoShot)) {
    laps = chunk == 0 ? 1 : std::ceil(share / chunk);
    steps = n;
  }
  switch (spec.algorithm) {
    case Algorithm::kBinomialTree:
    case Algorithm::kDoubleBinaryTree:
    case Algorithm::kRecursiveDoubling:
    case Algorithm::kHalvingDoubling:
    case Algorithm::kDissemination:
      laps = chunk == 0 ? 1 : std::ceil(share / chunk);
      steps = 4 * (std::log2(n) + 2);
      break;
    case Algorithm::kRing:
      if (spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce) {
        laps = chunk == 0 ? 1 : std::ceil(share / chunk);
        steps = 1;
      }
      break;
    case Algorithm::kHierarchical:
      if (spec.operation == Operation::kAllReduce) {
        laps = chunk == 0 ? 1 : std::ceil(share / (chunk * g));
        steps = 2 * g + 2 * n / g;  // rings inside and along rails
      } else if (spec.operation == Operation::kAllGather ||
                 spec.operation == Operation::kReduceScatter) {
        laps = chunk == 0 ? 1 : std::ceil(share / n / chunk) + 1;
        steps = n + n / g;
      } else {
        steps = 2 * n;  // blocks inside and along rails
      }
      break;
    case Algorithm::kNvlsTree:
      laps = chunk == 0 ? 1 : std::ceil(share / (chunk * g));
      steps = g + 4;  // to the chips for every head, up, to two children, and to all
      break;
    default:
      break;
  }
  const double overhead = 2;  // LL's flags
  const double largest_share =
      size / (execution.channels == 0 ? kLeastNcclChannels : execution.channels);
  // No connection of a lane carries more than the lane's share three times (a fold and its result).
  return {n * lanes * steps * laps * slices * spec.iterations,
          3 * largest_share * spec.iterations * overhead};
}

std::optional<Bytes> bus_bytes(const CollectiveSpec& spec, std::uint32_t ranks) {
  if (spec.operation == Operation::kBarrier) return std::nullopt;
  __extension__ using Wide = __int128;
  if (spec.operation == Operation::kAllReduce) {
    // Over all iterations at once, so that it is rounded once.
    const Wide size = static_cast<Wide>(spec.size.count()) * spec.iterations;
    return Bytes(static_cast<std::int64_t>(size * 2 * (ranks - 1) / ranks));
  }
  return collective_bytes(spec, ranks).bus * spec.iterations;
}

}  // namespace weft::collectives
