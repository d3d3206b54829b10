#include "collectives/algorithms/nvls/nvls.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "collectives/algorithms/nvls/heads.hpp"
#include "collectives/algorithms/nvls/in_network_cost.hpp"
#include "collectives/algorithms/refusals.hpp"

namespace weft::collectives {

std::vector<RankGroup> NvlsSchedule::groups() const {
  RankGroup all(plan().ranks());
  std::iota(all.begin(), all.end(), 0U);
  return {all};
}

std::uint32_t NvlsSchedule::parts() const {
  const bool is_all_reduce = plan().operation == Operation::kAllReduce;
  return is_all_reduce ? heads_of(plan().ranks()) : plan().ranks();
}

InNetworkWork NvlsSchedule::in_network_work(std::uint32_t /*lane*/) const {
  return {parts(), parts()};
}

std::int64_t NvlsSchedule::pieces(std::uint32_t channel) const {
  const SchedulePlan& p = plan();
  if (p.operation == Operation::kAllReduce) {
    return piece_count(part_of(p.whole(), p.channels, channel).size, p.chunk * parts());
  }
  return piece_count(p.share(0, channel).size, p.chunk);
}

Range NvlsSchedule::part(std::uint32_t channel, std::int64_t i, std::uint32_t owner) const {
  const SchedulePlan& p = plan();
  if (p.operation == Operation::kAllReduce) {
    const Range share = part_of(p.whole(), p.channels, channel);
    return part_of(piece_of(share, p.chunk * parts(), i), parts(), owner);
  }
  return piece_of(p.share(owner, channel), p.chunk, i);
}

StepStream NvlsSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t n = parts();
  const std::uint32_t own_slices = rank < n ? slices() : 0;
  const bool reduces = plan().operation != Operation::kAllGather;
  const bool repeats = plan().operation != Operation::kReduceScatter;
  const std::int64_t all = pieces(lane);
  for (std::int64_t p = 0; p < all; ++p) {
    for (std::uint32_t i = 0; i < n * slices() && reduces; ++i) {
      const std::uint32_t owner = (rank + i / slices()) % n;
      const Range slice = part_of(part(lane, p, owner), slices(), i % slices());
      if (!slice.empty()) co_yield Step::data(Step::Kind::kContribute, owner, 0, slice);
    }
    for (std::uint32_t i = 0; i < own_slices; ++i) {
      const Range slice = part_of(part(lane, p, rank), slices(), i);
      if (slice.empty()) continue;
      if (reduces) co_yield Step::data(Step::Kind::kReceiveReduced, rank, 0, slice);
      if (repeats) co_yield Step::data(Step::Kind::kMulticast, rank, 0, slice);
    }
    for (std::uint32_t i = 0; i < n * slices() && repeats; ++i) {
      const std::uint32_t owner = (rank % n + n - i / slices()) % n;
      const Range slice = part_of(part(lane, p, owner), slices(), i % slices());
      if (!slice.empty()) co_yield Step::data(Step::Kind::kReceiveMulticast, owner, 0, slice);
    }
  }
}

std::string Nvls::refusal(const RankMap& map, bool has_in_network_reduction) {
  if (map.domains() > 1) {
    return "needs all ranks in one scale-up domain; there are " + std::to_string(map.domains());
  }
  return refuse_plain_switches(has_in_network_reduction);
}

std::unique_ptr<const Schedule> Nvls::schedule(SchedulePlan plan) {
  return std::make_unique<NvlsSchedule>(std::move(plan));
}

std::uint64_t Nvls::max_connections(Operation operation, std::uint64_t n) {
  const bool is_all_reduce = operation == Operation::kAllReduce;
  return n * ((is_all_reduce ? std::min<std::uint64_t>(n, kMaxHeads) : n) + 1);
}

namespace {

/// With a few pieces per channel, reductions and multicasts overlap.
constexpr double kPiecesThatOverlap = 4;

}  // namespace

/// Up to the scale-up switches for the sums, and down from them for the copies. Messages and bytes
/// take turns to be what ports wait for: the smaller share mostly hides behind the larger
/// (all-gather, 72 GPUs, 8 channels: 2.4, 3.3 and 33.4 us at 256 KiB, 1 MiB and 16 MiB).
double Nvls::cost(const CostTerms& t) {
  const bool is_all_reduce = t.spec.operation == Operation::kAllReduce;
  const double parts = is_all_reduce ? heads_of(t.plan.ranks()) : t.n;
  const double count =
      is_all_reduce ? t.pieces(t.size, t.chunk * parts) : t.pieces(t.size / parts, t.chunk);
  const double phases = is_all_reduce ? 2 : 1;
  const double messages =
      phases * parts * t.channels * count * t.spec.execution.slices * kInNetworkMessage;
  const double alone = std::min(1.0, kPiecesThatOverlap / count);
  const double bytes = (1 + 1.0 / parts) * (1 + (phases - 1) * alone);
  return phases * t.switches.first_packet(t.size / parts / t.channels) +
         std::hypot(messages, t.size * bytes * t.switches.per_byte);
}

/// To the scale-up switches for every part, and from every part's owner to all.
double Nvls::max_messages(const BoundTerms& terms) {
  switch (terms.operation) {
    case Operation::kAllGather:
      return terms.chunks(terms.n);
    case Operation::kReduceScatter:
      return terms.n * terms.chunks(terms.n);
    default: {
      const double heads = std::min<double>(terms.n, kMaxHeads);
      return (heads + 1) * terms.chunks(heads);
    }
  }
}

}  // namespace weft::collectives
