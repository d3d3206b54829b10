#include "collectives/algorithms/recursive/halving_doubling.hpp"

#include <algorithm>
#include <bit>

namespace weft::collectives {

StepStream HalvingDoublingSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  const bool is_scatter = plan().operation == Operation::kReduceScatter;
  const Range share = part_of(plan().whole(), plan().channels, lane);
  const std::int64_t pieces = piece_count(share.size, plan().chunk);
  const std::uint32_t last = (is_scatter ? 1 : 2) * halvings() + 1;
  for (std::int64_t i = 0; i < pieces; ++i) {
    const Range piece = piece_of(share, plan().chunk, i);
    for (std::uint32_t round = 0; round <= last; ++round) {
      const bool is_fold = round == 0 || round == last;
      const Exchange e = is_fold ? fold(rank, piece, round == 0) : exchange(rank, piece, round);
      for (std::uint32_t s = 0; s < slices(); ++s) {
        const Range slice = part_of(e.out, slices(), s);
        if (!slice.empty()) co_yield Step::send(e.partner, 0, slice);
      }
      for (std::uint32_t s = 0; s < slices(); ++s) {
        const Range slice = part_of(e.in, slices(), s);
        if (slice.empty()) continue;
        Step step = Step::receive(e.partner, 0, slice);
        step.reduces = e.reduces;
        co_yield step;
      }
    }
  }
}

HalvingDoublingSchedule::Exchange HalvingDoublingSchedule::fold(std::uint32_t rank, Range piece,
                                                                bool is_first) const {
  if (!is_idle(rank) && !has_idle_partner(rank)) return {};
  const std::uint32_t partner = is_idle(rank) ? rank + 1 : rank - 1;
  const bool is_scatter = plan().operation == Operation::kReduceScatter;
  const std::uint32_t idle = std::min(rank, partner);
  const Range range =
      is_first || !is_scatter ? piece : part_of(plan().whole(), plan().ranks(), idle);
  const bool sends = is_idle(rank) == is_first;
  return {partner, sends ? range : Range{}, sends ? Range{} : range, is_first};
}

HalvingDoublingSchedule::Exchange HalvingDoublingSchedule::exchange(std::uint32_t rank, Range piece,
                                                                    std::uint32_t round) const {
  if (is_idle(rank)) return {};
  const bool halves = round <= halvings();
  const std::uint32_t distance = halves ? core() >> round : 1U << (round - halvings() - 1);
  const std::uint32_t number = number_of(rank);
  const std::uint32_t other = number ^ distance;
  // The parts of the aligned group of `distance` ranks that contains rank `at`.
  const auto parts_around = [&](std::uint32_t at) {
    const std::uint32_t first = at & ~(distance - 1);
    return plan().operation == Operation::kReduceScatter
               ? owned(first, first + distance)
               : parts_of(piece, core(), first, first + distance);
  };
  const Range mine = parts_around(number);
  const Range theirs = parts_around(other);
  if (halves) return {rank_of(other), theirs, mine, true};
  return {rank_of(other), mine, theirs, false};
}

std::unique_ptr<const Schedule> HalvingDoubling::schedule(SchedulePlan plan) {
  return std::make_unique<HalvingDoublingSchedule>(std::move(plan));
}

double HalvingDoubling::cost(const CostTerms& t) {
  const double core = std::bit_floor(static_cast<std::uint32_t>(t.n));
  const double count = t.pieces(t.size, t.chunk);
  const double folding = folding_cost(t);
  double time = 0;
  for (double distance = core / 2; distance >= 1; distance /= 2) {
    const double part = t.size * distance / core;
    const Hop& hop = t.at_distance(distance);
    time += count * hop.latency + part * (kMeetings * hop.per_byte + t.reduce);
  }
  if (t.spec.operation == Operation::kReduceScatter) {
    return time + (folding > 0 ? folding + t.local(t.size / t.n) : 0);
  }
  for (double distance = core / 2; distance >= 1; distance /= 2) {
    const double part = t.size * distance / core;
    const Hop& hop = t.at_distance(distance);
    time += count * hop.latency + part * (kMeetings * hop.per_byte + t.copy);
  }
  return time + 2 * folding;
}

/// Every chunk is halved and put together by itself. What ranks beyond a power of two send and get
/// back is a round more, at most.
double HalvingDoubling::max_messages(const BoundTerms& terms) {
  if (terms.operation == Operation::kReduceScatter) return 2 * terms.rounds();  // of two ranges
  return 2 * terms.rounds() * terms.chunks();
}

}  // namespace weft::collectives
