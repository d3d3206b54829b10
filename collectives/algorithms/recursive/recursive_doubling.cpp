#include "collectives/algorithms/recursive/recursive_doubling.hpp"

namespace weft::collectives {

StepStream RecursiveDoublingSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  return plan().operation == Operation::kAllGather ? gather(rank) : all_reduce(rank, lane);
}

StepStream RecursiveDoublingSchedule::all_reduce(std::uint32_t rank, std::uint32_t lane) const {
  const Range share = part_of(plan().whole(), plan().channels, lane);
  const std::int64_t pieces = piece_count(share.size, plan().chunk);
  for (std::int64_t i = 0; i < pieces * slices(); ++i) {
    const Range slice =
        part_of(piece_of(share, plan().chunk, i / slices()), slices(), i % slices());
    if (slice.empty()) continue;
    if (is_idle(rank)) {
      co_yield Step::send(rank + 1, 0, slice);
      co_yield Step::receive(rank + 1, 0, slice);
      continue;
    }
    if (has_idle_partner(rank)) co_yield Step::receive_and_reduce(rank - 1, 0, slice);
    for (std::uint32_t bit = 1; bit < core(); bit <<= 1U) {
      const std::uint32_t partner = rank_of(number_of(rank) ^ bit);
      co_yield Step::send(partner, 0, slice);
      co_yield Step::receive_and_reduce(partner, 0, slice);
    }
    if (has_idle_partner(rank)) co_yield Step::send(rank - 1, 0, slice);
  }
}

StepStream RecursiveDoublingSchedule::gather(std::uint32_t rank) const {
  const std::uint32_t n = plan().ranks();
  const std::uint32_t number = number_of(rank);
  const Range fold = part_of(plan().whole(), n, is_idle(rank) || rank == 0 ? rank : rank - 1);
  for (std::uint32_t s = 0; s < slices() && rank < 2 * pairs(); ++s) {
    const Range slice = part_of(fold, slices(), s);
    if (slice.empty()) continue;
    if (is_idle(rank)) co_yield Step::send(rank + 1, 0, slice);
    if (has_idle_partner(rank)) co_yield Step::receive(rank - 1, 0, slice);
  }
  for (std::uint32_t bit = 1; bit < core() && !is_idle(rank); bit *= 2) {
    const std::uint32_t partner = rank_of(number ^ bit);
    const std::uint32_t mine = number & ~(bit - 1);
    const std::uint32_t theirs = mine ^ bit;
    const Range held = owned(mine, mine + bit);
    const Range other = owned(theirs, theirs + bit);
    for (std::uint32_t s = 0; s < slices(); ++s) {
      const Range slice = part_of(held, slices(), s);
      if (!slice.empty()) co_yield Step::send(partner, 0, slice);
    }
    for (std::uint32_t s = 0; s < slices(); ++s) {
      const Range slice = part_of(other, slices(), s);
      if (!slice.empty()) co_yield Step::receive(partner, 0, slice);
    }
  }
  for (std::uint32_t s = 0; s < slices() && rank < 2 * pairs(); ++s) {
    const Range slice = part_of(plan().whole(), slices(), s);
    if (slice.empty()) continue;
    if (is_idle(rank)) co_yield Step::receive(rank + 1, 0, slice);
    if (has_idle_partner(rank)) co_yield Step::send(rank - 1, 0, slice);
  }
}

std::unique_ptr<const Schedule> RecursiveDoubling::schedule(SchedulePlan plan) {
  return std::make_unique<RecursiveDoublingSchedule>(std::move(plan));
}

namespace {

/// A given number of bytes in one message per channel.
double exchange_cost(const CostTerms& t, const Hop& hop, double bytes) {
  return hop.first_packet(bytes / t.channels) + bytes * hop.per_byte;
}

}  // namespace

double RecursiveDoubling::cost(const CostTerms& t) {
  const double folding = folding_cost(t);
  double time = 0;
  if (t.spec.operation == Operation::kAllGather) {
    double held = t.size / t.n;
    for (double distance = 1; distance * 2 <= t.n; distance *= 2, held *= 2) {
      time += t.at_distance(distance)(held * kMeetings);
    }
    return time + (folding > 0 ? folding + t.local(t.size / t.n) : 0) + t.size * t.copy;
  }
  for (double distance = 1; distance * 2 <= t.n; distance *= 2) {
    time += exchange_cost(t, t.at_distance(distance), t.size * kMeetings) + t.size * t.reduce;
  }
  return time + 2 * folding + (folding > 0 ? t.size * (t.reduce + t.copy) : 0);
}

/// What is gathered may be in two ranges.
double RecursiveDoubling::max_messages(const BoundTerms& terms) {
  if (terms.operation == Operation::kAllGather) return 2 * terms.rounds();
  return terms.rounds() * terms.chunks();
}

}  // namespace weft::collectives
