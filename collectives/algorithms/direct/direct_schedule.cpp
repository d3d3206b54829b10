#include "collectives/algorithms/direct/direct_schedule.hpp"

#include <algorithm>
#include <functional>

#include "collectives/steps/peers.hpp"

namespace weft::collectives {

namespace {

std::int64_t largest_block(const SchedulePlan& plan) {
  if (plan.operation != Operation::kAllToAllV || plan.matrix.empty()) return plan.size;
  return *std::ranges::max_element(plan.matrix);
}

}  // namespace

DirectSchedule::DirectSchedule(SchedulePlan plan, Shots shots)
    : Schedule(std::move(plan)),
      largest_block_(largest_block(this->plan())),
      has_two_shots_(shots == Shots::kTwo) {}

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
    return piece_count(part_of({0, largest_block_}, p.channels, lane).size, p.chunk);
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

DirectSchedule::Distances DirectSchedule::receivers(std::uint32_t rank) const {
  const std::uint32_t n = plan().ranks();
  const bool is_root = rank == plan().root;
  const std::uint32_t to_root = (plan().root + n - rank) % n;
  switch (plan().operation) {
    case Operation::kReduce:
    case Operation::kGather:
      return is_root ? Distances{} : Distances{to_root, to_root + 1};
    case Operation::kBroadcast:
    case Operation::kScatter:
      return is_root ? Distances{1, n} : Distances{};
    case Operation::kSendReceive:
      return {1, std::min(2U, n)};
    default:
      return {1, n};
  }
}

DirectSchedule::Distances DirectSchedule::senders(std::uint32_t rank) const {
  const std::uint32_t n = plan().ranks();
  const bool is_root = rank == plan().root;
  const std::uint32_t from_root = (rank + n - plan().root) % n;
  switch (plan().operation) {
    case Operation::kReduce:
    case Operation::kGather:
      return is_root ? Distances{1, n} : Distances{};
    case Operation::kBroadcast:
    case Operation::kScatter:
      return is_root ? Distances{} : Distances{from_root, from_root + 1};
    case Operation::kSendReceive:
      return {1, std::min(2U, n)};
    default:
      return {1, n};
  }
}

std::vector<std::uint32_t> DirectSchedule::listed(Distances distances, std::uint32_t rank,
                                                  std::uint32_t lane, bool is_outward) const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t distance = distances.first; distance < distances.end; ++distance) {
    all.push_back(distance);
  }
  drop_ended(all, rank, lane, is_outward, 0);
  return all;
}

void DirectSchedule::drop_ended(std::vector<std::uint32_t>& distances, std::uint32_t rank,
                                std::uint32_t lane, bool is_outward, std::int64_t next) const {
  if (plan().operation != Operation::kAllToAllV) return;
  const std::uint32_t n = plan().ranks();
  std::erase_if(distances, [&](std::uint32_t distance) {
    const std::uint32_t from = is_outward ? rank : (rank + n - distance) % n;
    const std::uint32_t to = is_outward ? (rank + distance) % n : rank;
    return transfer(from, to, lane, next, false).range.empty();
  });
}

void DirectSchedule::for_each_send(std::uint32_t rank, std::uint32_t lane,
                                   const std::function<void(const Step&)>& visit) const {
  const std::uint32_t n = plan().ranks();
  const std::int64_t all = pieces(lane);
  const int shots = has_two_shots_ ? 2 : 1;
  std::vector<std::uint32_t> outward = listed(receivers(rank), rank, lane, true);
  for (std::int64_t i = 0; i < all * shots; ++i) {
    for (const std::uint32_t distance : outward) {
      const std::uint32_t to = (rank + distance) % n;
      const Transfer out = transfer(rank, to, lane, i / shots, i % shots == 1);
      for (std::uint32_t s = 0; s < slices() && !out.range.empty(); ++s) {
        const Range slice = part_of(out.range, slices(), s);
        if (!slice.empty()) visit(Step::send(to, out.block, slice));
      }
    }
    drop_ended(outward, rank, lane, true, i + 1);
  }
}

StepStream DirectSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t n = plan().ranks();
  const std::int64_t all = pieces(lane);
  const int shots = has_two_shots_ ? 2 : 1;
  std::vector<std::uint32_t> outward = listed(receivers(rank), rank, lane, true);
  std::vector<std::uint32_t> inward = listed(senders(rank), rank, lane, false);
  for (std::int64_t i = 0; i < all * shots; ++i) {
    const bool is_second = i % shots == 1;
    for (const std::uint32_t distance : outward) {
      const std::uint32_t to = (rank + distance) % n;
      const Transfer out = transfer(rank, to, lane, i / shots, is_second);
      for (std::uint32_t s = 0; s < slices() && !out.range.empty(); ++s) {
        const Range slice = part_of(out.range, slices(), s);
        if (!slice.empty()) co_yield Step::send(to, out.block, slice);
      }
    }
    for (const std::uint32_t distance : inward) {
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
    drop_ended(outward, rank, lane, true, i + 1);
    drop_ended(inward, rank, lane, false, i + 1);
  }
}

}  // namespace weft::collectives
