#include "collectives/proof/memory.hpp"

#include <algorithm>
#include <utility>

namespace weft::collectives::proof {

namespace {

void add_to(Contributions& sum, const Contributions& piece) {
  sum.resize(std::max(sum.size(), piece.size()));
  for (std::size_t r = 0; r < piece.size(); ++r) {
    sum[r] = static_cast<std::uint16_t>(sum[r] + piece[r]);
  }
}

std::string place_text(std::int64_t at, std::uint32_t block) {
  return "at byte " + std::to_string(at) + " of block " + std::to_string(block);
}

}  // namespace

void add_to(Data& sum, const Data& data) {
  sum.resize(std::max(sum.size(), data.size()));
  for (std::size_t i = 0; i < data.size(); ++i) add_to(sum[i], data[i]);
}

Memory::Memory(const Schedule& schedule, const Pieces& pieces)
    : plan_(schedule.plan()), pieces_(pieces), held_(plan_.ranks()), copied_(plan_.ranks()) {
  for (std::uint32_t rank = 0; rank < plan_.ranks(); ++rank) put_input(rank);
}

void Memory::put(std::uint32_t rank, std::uint32_t block, Range range, const Contributions& data) {
  for (const std::int64_t at : pieces_.of(block, range)) {
    held_[rank][{Buffer::kOwn, block, at}] = data;
  }
}

void Memory::put_input(std::uint32_t rank) {
  Contributions own(plan_.ranks());
  own[rank] = 1;
  switch (plan_.operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
    case Operation::kReduceScatter:
    case Operation::kBarrier:
      put(rank, 0, plan_.whole(), own);
      break;
    case Operation::kAllGather:
    case Operation::kGather:
      put(rank, 0, part_of(plan_.whole(), plan_.ranks(), rank), own);
      break;
    case Operation::kBroadcast:
    case Operation::kScatter:
      if (rank == plan_.root) put(rank, 0, plan_.whole(), own);
      break;
    case Operation::kAllToAll:
    case Operation::kAllToAllV:
    case Operation::kSendReceive:
      for (std::uint32_t to = 0; to < plan_.ranks(); ++to) {
        put(rank, plan_.block_of(rank, to), {0, plan_.block_size(rank, to)}, own);
      }
      break;
  }
}

Data Memory::read(std::uint32_t rank, Buffer buffer, std::uint32_t block, Range range) const {
  Data data;
  for (const std::int64_t at : pieces_.of(block, range)) {
    const auto found = held_[rank].find({buffer, block, at});
    data.push_back(found == held_[rank].end() ? Contributions{} : found->second);
  }
  return data;
}

void Memory::store(std::uint32_t rank, Buffer buffer, std::uint32_t block, Range range,
                   const Data& data) {
  std::size_t i = 0;
  for (const std::int64_t at : pieces_.of(block, range)) {
    held_[rank][{buffer, block, at}] = data[i++];
  }
}

bool Memory::add(std::uint32_t rank, Buffer buffer, std::uint32_t block, Range range,
                 const Data& data) {
  bool has_all = true;
  std::size_t i = 0;
  for (const std::int64_t at : pieces_.of(block, range)) {
    Contributions& target = held_[rank][{buffer, block, at}];
    has_all = has_all && !target.empty();
    add_to(target, data[i++]);
  }
  return has_all;
}

bool Memory::copy(std::uint32_t rank, Buffer to, std::uint32_t block, Range range,
                  const Data& data) {
  bool is_first = true;
  for (const std::int64_t at : pieces_.of(block, range)) {
    is_first = copied_[rank].insert({to, block, at}).second && is_first;
  }
  store(rank, to, block, range, data);
  return is_first;
}

bool Memory::is_sum(const Contributions& data) const {
  if (data.size() != plan_.ranks()) return false;
  // A rank may hear of another twice in a barrier.
  const bool is_barrier = plan_.operation == Operation::kBarrier;
  return std::ranges::all_of(
      data, [&](std::uint16_t times) { return is_barrier ? times > 0 : times == 1; });
}

bool Memory::is_only(std::uint32_t source, const Contributions& data) const {
  if (data.size() != plan_.ranks()) return false;
  for (std::uint32_t r = 0; r < data.size(); ++r) {
    if (data[r] != (r == source ? 1 : 0)) return false;
  }
  return true;
}

void Memory::expect_sum(std::uint32_t rank, Range range, const Report& report) const {
  for (const std::int64_t at : pieces_.of(0, range)) {
    const auto found = held_[rank].find({Buffer::kOwn, 0, at});
    if (found != held_[rank].end() && is_sum(found->second)) continue;
    report("rank " + std::to_string(rank) + " ends without the sum of all " + place_text(at, 0));
    return;
  }
}

void Memory::expect_from(std::uint32_t source, std::uint32_t rank, std::uint32_t block, Range range,
                         const Report& report) const {
  for (const std::int64_t at : pieces_.of(block, range)) {
    const auto found = held_[rank].find({Buffer::kOwn, block, at});
    if (found != held_[rank].end() && is_only(source, found->second)) continue;
    report("rank " + std::to_string(rank) + " ends without the data of rank " +
           std::to_string(source) + " " + place_text(at, block));
    return;
  }
}

void Memory::check_output(std::uint32_t rank, const Report& report) const {
  const std::uint32_t n = plan_.ranks();
  const Range own = part_of(plan_.whole(), n, rank);
  const bool is_root = rank == plan_.root;
  switch (plan_.operation) {
    case Operation::kAllReduce:
    case Operation::kBarrier:
      expect_sum(rank, plan_.whole(), report);
      break;
    case Operation::kReduce:
      if (is_root) expect_sum(rank, plan_.whole(), report);
      break;
    case Operation::kReduceScatter:
      expect_sum(rank, own, report);
      break;
    case Operation::kBroadcast:
      expect_from(plan_.root, rank, 0, plan_.whole(), report);
      break;
    case Operation::kScatter:
      expect_from(plan_.root, rank, 0, own, report);
      break;
    case Operation::kAllGather:
    case Operation::kGather:
      for (std::uint32_t from = 0; from < n; ++from) {
        if (plan_.operation == Operation::kGather && !is_root) break;
        expect_from(from, rank, 0, part_of(plan_.whole(), n, from), report);
      }
      break;
    case Operation::kAllToAll:
    case Operation::kAllToAllV:
    case Operation::kSendReceive:
      for (std::uint32_t from = 0; from < n; ++from) {
        expect_from(from, rank, plan_.block_of(from, rank), {0, plan_.block_size(from, rank)},
                    report);
      }
      break;
  }
}

}  // namespace weft::collectives::proof
