#include "collectives/algorithms/direct/direct_schedule.hpp"

#include <algorithm>

#include "collectives/steps/peers.hpp"

namespace weft::collectives {

namespace {

/// What one rank has for another, at most.
std::int64_t largest_block(const SchedulePlan& plan) {
  if (plan.operation != Operation::kAllToAllV) return plan.size;
  return *std::ranges::max_element(plan.matrix);
}

}  // namespace

std::vector<std::uint32_t> DirectSchedule::send_peers(std::uint32_t rank,
                                                      std::uint32_t /*lane*/) const {
  const std::uint32_t n = plan().ranks();
  const bool is_root = rank == plan().root;
  switch (plan().operation) {
    case Operation::kReduce:
    case Operation::kGather:
      return is_root ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{plan().root};
    case Operation::kBroadcast:
    case Operation::kScatter:
      return is_root ? all_but(rank, n) : std::vector<std::uint32_t>{};
    case Operation::kSendReceive:
      return {(rank + 1) % n};
    case Operation::kAllToAll:
    case Operation::kAllToAllV:
      return plan().block_peers(rank);
    default:
      return all_but(rank, n);
  }
}

std::int64_t DirectSchedule::pieces(std::uint32_t lane) const {
  const SchedulePlan& p = plan();
  if (p.is_by_blocks()) {
    return piece_count(part_of({0, largest_block(p)}, p.channels, lane).size, p.chunk);
  }
  switch (p.operation) {
    case Operation::kAllReduce:
    case Operation::kBroadcast:
    case Operation::kReduce: {
      const std::int64_t parts = has_two_shots_ ? p.ranks() : 1;
      return piece_count(part_of(p.whole(), p.channels, lane).size, p.chunk * parts);
    }
    default:
      return piece_count(p.share(0, lane).size, p.chunk);
  }
}

Range DirectSchedule::piece(std::uint32_t owner, std::uint32_t lane, std::int64_t i) const {
  const SchedulePlan& p = plan();
  switch (p.operation) {
    case Operation::kAllReduce:
    case Operation::kBroadcast:
    case Operation::kReduce: {
      const Range share = part_of(p.whole(), p.channels, lane);
      if (!has_two_shots_) return piece_of(share, p.chunk, i);
      return part_of(piece_of(share, p.chunk * p.ranks(), i), p.ranks(), owner);
    }
    default:
      return piece_of(p.share(owner, lane), p.chunk, i);
  }
}

DirectSchedule::Transfer DirectSchedule::transfer(std::uint32_t from, std::uint32_t to,
                                                  std::uint32_t lane, std::int64_t i,
                                                  bool is_second) const {
  const SchedulePlan& p = plan();
  if (p.is_by_blocks()) {
    const Range block{0, p.block_size(from, to)};
    return {p.block_of(from, to), piece_of(part_of(block, p.channels, lane), p.chunk, i), false};
  }
  switch (p.operation) {
    case Operation::kAllReduce:
      if (!has_two_shots_) return {0, piece(0, lane, i), true};
      return is_second ? Transfer{0, piece(from, lane, i), false}
                       : Transfer{0, piece(to, lane, i), true};
    case Operation::kReduceScatter:
      return {0, piece(to, lane, i), true};
    case Operation::kAllGather:
      return {0, piece(from, lane, i), false};
    case Operation::kBroadcast:
      return from == p.root ? Transfer{0, piece(0, lane, i), false} : Transfer{};
    case Operation::kReduce:
      return to == p.root ? Transfer{0, piece(0, lane, i), true} : Transfer{};
    case Operation::kScatter:
      return from == p.root ? Transfer{0, piece(to, lane, i), false} : Transfer{};
    case Operation::kGather:
      return to == p.root ? Transfer{0, piece(from, lane, i), false} : Transfer{};
    default:
      return {};
  }
}

StepStream DirectSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t n = plan().ranks();
  const std::int64_t all = pieces(lane);
  const int shots = has_two_shots_ ? 2 : 1;
  for (std::int64_t i = 0; i < all * shots; ++i) {
    const bool is_second = i % shots == 1;
    for (std::uint32_t distance = 1; distance < n; ++distance) {
      const std::uint32_t to = (rank + distance) % n;
      const Transfer out = transfer(rank, to, lane, i / shots, is_second);
      for (std::uint32_t s = 0; s < slices() && !out.range.empty(); ++s) {
        const Range slice = part_of(out.range, slices(), s);
        if (!slice.empty()) co_yield Step::send(to, out.block, slice);
      }
    }
    for (std::uint32_t distance = 1; distance < n; ++distance) {
      const std::uint32_t from = (rank + n - distance) % n;
      const Transfer in = transfer(from, rank, lane, i / shots, is_second);
      for (std::uint32_t s = 0; s < slices() && !in.range.empty(); ++s) {
        const Range slice = part_of(in.range, slices(), s);
        if (slice.empty()) continue;
        Step step = Step::receive(from, in.block, slice);
        step.reduces = in.reduces;
        co_yield step;
      }
    }
  }
}

}  // namespace weft::collectives
