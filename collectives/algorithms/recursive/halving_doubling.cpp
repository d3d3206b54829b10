#include "collectives/algorithms/recursive/halving_doubling.hpp"

#include <bit>

namespace weft::collectives {

StepStream HalvingDoublingSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  return plan().operation == Operation::kReduceScatter ? scatter(rank) : all_reduce(rank, lane);
}

StepStream HalvingDoublingSchedule::all_reduce(std::uint32_t rank, std::uint32_t lane) const {
  const Range share = part_of(plan().whole(), plan().channels, lane);
  const std::int64_t pieces = piece_count(share.size, plan().chunk);
  const std::uint32_t number = number_of(rank);
  for (std::int64_t i = 0; i < pieces; ++i) {
    const Range piece = piece_of(share, plan().chunk, i);
    for (std::uint32_t s = 0; s < slices(); ++s) {
      const Range slice = part_of(piece, slices(), s);
      if (slice.empty()) continue;
      if (is_idle(rank)) co_yield Step::send(rank + 1, 0, slice);
      if (has_idle_partner(rank)) co_yield Step::receive_and_reduce(rank - 1, 0, slice);
    }
    std::uint32_t first = 0;  // the parts that this rank reduces from now on
    std::uint32_t end = core();
    for (std::uint32_t bit = core() / 2; bit > 0 && !is_idle(rank); bit /= 2) {
      const std::uint32_t partner = rank_of(number ^ bit);
      const std::uint32_t middle = first + bit;
      const bool is_upper = (number & bit) != 0;
      const Range away =
          is_upper ? parts_of(piece, core(), first, middle) : parts_of(piece, core(), middle, end);
      (is_upper ? first : end) = middle;
      const Range kept = parts_of(piece, core(), first, end);
      for (std::uint32_t s = 0; s < slices(); ++s) {
        const Range slice = part_of(away, slices(), s);
        if (!slice.empty()) co_yield Step::send(partner, 0, slice);
      }
      for (std::uint32_t s = 0; s < slices(); ++s) {
        const Range slice = part_of(kept, slices(), s);
        if (!slice.empty()) co_yield Step::receive_and_reduce(partner, 0, slice);
      }
    }
    for (std::uint32_t bit = 1; bit < core() && !is_idle(rank); bit *= 2) {
      const std::uint32_t partner = rank_of(number ^ bit);
      const Range held = parts_of(piece, core(), first, end);
      const bool is_upper = (number & bit) != 0;
      const Range other = is_upper ? parts_of(piece, core(), first - bit, first)
                                   : parts_of(piece, core(), end, end + bit);
      (is_upper ? first : end) += is_upper ? -bit : bit;
      for (std::uint32_t s = 0; s < slices(); ++s) {
        const Range slice = part_of(held, slices(), s);
        if (!slice.empty()) co_yield Step::send(partner, 0, slice);
      }
      for (std::uint32_t s = 0; s < slices(); ++s) {
        const Range slice = part_of(other, slices(), s);
        if (!slice.empty()) co_yield Step::receive(partner, 0, slice);
      }
    }
    for (std::uint32_t s = 0; s < slices(); ++s) {
      const Range slice = part_of(piece, slices(), s);
      if (slice.empty()) continue;
      if (is_idle(rank)) co_yield Step::receive(rank + 1, 0, slice);
      if (has_idle_partner(rank)) co_yield Step::send(rank - 1, 0, slice);
    }
  }
}

StepStream HalvingDoublingSchedule::scatter(std::uint32_t rank) const {
  const std::uint32_t n = plan().ranks();
  const std::uint32_t number = number_of(rank);
  for (std::uint32_t s = 0; s < slices(); ++s) {
    const Range slice = part_of(plan().whole(), slices(), s);
    if (slice.empty()) continue;
    if (is_idle(rank)) co_yield Step::send(rank + 1, 0, slice);
    if (has_idle_partner(rank)) co_yield Step::receive_and_reduce(rank - 1, 0, slice);
  }
  std::uint32_t first = 0;
  std::uint32_t end = core();
  for (std::uint32_t bit = core() / 2; bit > 0 && !is_idle(rank); bit /= 2) {
    const std::uint32_t partner = rank_of(number ^ bit);
    const std::uint32_t middle = first + bit;
    const bool is_upper = (number & bit) != 0;
    const Range away = is_upper ? owned(first, middle) : owned(middle, end);
    (is_upper ? first : end) = middle;
    const Range kept = owned(first, end);
    for (std::uint32_t s = 0; s < slices(); ++s) {
      const Range slice = part_of(away, slices(), s);
      if (!slice.empty()) co_yield Step::send(partner, 0, slice);
    }
    for (std::uint32_t s = 0; s < slices(); ++s) {
      const Range slice = part_of(kept, slices(), s);
      if (!slice.empty()) co_yield Step::receive_and_reduce(partner, 0, slice);
    }
  }
  const Range back = part_of(plan().whole(), n, is_idle(rank) || rank == 0 ? rank : rank - 1);
  for (std::uint32_t s = 0; s < slices() && rank < 2 * pairs(); ++s) {
    const Range slice = part_of(back, slices(), s);
    if (slice.empty()) continue;
    if (is_idle(rank)) co_yield Step::receive(rank + 1, 0, slice);
    if (has_idle_partner(rank)) co_yield Step::send(rank - 1, 0, slice);
  }
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

}  // namespace weft::collectives
