#include "collectives/algorithms/recursive/recursive_schedule.hpp"

#include <bit>

namespace weft::collectives {

RecursiveSchedule::RecursiveSchedule(SchedulePlan p, Algorithm algorithm)
    : Schedule(std::move(p)), algorithm_(algorithm), core_(std::bit_floor(plan().ranks())) {}

std::vector<std::uint32_t> RecursiveSchedule::send_peers(std::uint32_t rank,
                                                         std::uint32_t /*lane*/) const {
  std::vector<std::uint32_t> peers;
  if (is_idle(rank)) {
    peers.push_back(rank + 1);
  } else {
    for (std::uint32_t bit = 1; bit < core(); bit <<= 1U) {
      peers.push_back(rank_of(number_of(rank) ^ bit));
    }
    if (has_idle_partner(rank)) peers.push_back(rank - 1);
    std::ranges::sort(peers);
  }
  return peers;
}

StepStream RecursiveSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  switch (plan().operation) {
    case Operation::kAllGather:
      return gather(rank);
    case Operation::kReduceScatter:
      return scatter(rank);
    default:
      return algorithm_ == Algorithm::kRecursiveDoubling ? doubling(rank, lane)
                                                         : halving_and_doubling(rank, lane);
  }
}

StepStream RecursiveSchedule::doubling(std::uint32_t rank, std::uint32_t lane) const {
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

StepStream RecursiveSchedule::halving_and_doubling(std::uint32_t rank, std::uint32_t lane) const {
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

StepStream RecursiveSchedule::scatter(std::uint32_t rank) const {
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

StepStream RecursiveSchedule::gather(std::uint32_t rank) const {
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

}  // namespace weft::collectives
