#include "collectives/jobs/collective/collective_bounds.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/algorithms/list.hpp"
#include "collectives/costs/choose.hpp"

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

/// What NCCL has at most, where an execution leaves it to NCCL.
constexpr std::uint32_t kMaxNcclChannels = 64;
constexpr std::uint32_t kMinNcclChannels = 2;
constexpr std::int64_t kMinNcclChunk = 16'384;

std::uint32_t max_channels(const Execution& execution) {
  return execution.channels == 0 ? kMaxNcclChannels : execution.channels;
}

}  // namespace

std::uint64_t max_connections(const CollectiveSpec& spec, std::uint64_t ranks) {
  std::uint64_t max = 0;
  for (const Algorithm algorithm : candidates(spec)) {
    max = std::max(max, Algorithms::visit(algorithm, [&]<class A> {
                     const bool is_whole = is_undivided<A>(spec.operation);
                     const std::uint64_t channels = is_whole ? 1 : max_channels(spec.execution);
                     return channels * A::max_connections(spec.operation, ranks);
                   }));
  }
  return max;
}

MessageBound max_messages(const CollectiveSpec& spec, std::uint32_t ranks,
                          std::uint32_t domain_size) {
  const Execution& execution = spec.execution;
  double size = static_cast<double>(spec.size.count());
  if (spec.operation == Operation::kAllToAllV) size = std::max(size, largest_block(spec));
  const bool is_nccl = execution.preset == Execution::Preset::kNccl;
  const double lanes = max_channels(execution);
  BoundTerms terms;
  terms.operation = spec.operation;
  terms.n = ranks;
  terms.domain_size = std::clamp(domain_size, 1U, ranks);
  terms.share = size / lanes;
  terms.chunk = execution.chunk == 0_B && is_nccl ? static_cast<double>(kMinNcclChunk)
                                                  : static_cast<double>(execution.chunk.count());
  double max = 0;  // of a rank's channel, each in slices
  for (const Algorithm algorithm : candidates(spec)) {
    max = std::max(max,
                   Algorithms::visit(algorithm, [&]<class A> { return A::max_messages(terms); }));
  }
  const double slices = std::max(1U, execution.slices);
  const double overhead = 2;  // LL's flags
  const double largest_share =
      size / (execution.channels == 0 ? kMinNcclChannels : execution.channels);
  // No connection of a lane carries more than the lane's share three times (a fold and its result).
  return {terms.n * lanes * max * slices * spec.iterations,
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
