#include "collectives/spec/rank_layout.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "simcore/base/check.hpp"

namespace weft::collectives {

RankMap::RankMap(std::uint32_t ranks, const RankLayout& layout)
    : domain_of_(ranks), position_of_(ranks) {
  WEFT_CHECK(layout.domain.empty() || layout.domain.size() == ranks, "every rank has a domain");
  if (layout.domain.empty()) {
    nics_ = layout.nics_per_rank;
    members_.resize(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      domain_of_[rank] = rank;
      members_[rank].push_back(rank);
    }
    return;
  }
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto [it, is_new] = number.emplace(layout.domain[rank], domains());
    if (is_new) members_.emplace_back();
    domain_of_[rank] = it->second;
    position_of_[rank] = size_of(it->second);
    members_[it->second].push_back(rank);
  }
  is_even_ = std::ranges::all_of(
      members_, [this](const auto& domain) { return domain.size() == members_[0].size(); });
  nics_ = domain_size() * layout.nics_per_rank;
  if (!layout.nic.empty()) order_entries(layout);
}

void RankMap::order_entries(const RankLayout& layout) {
  WEFT_CHECK(layout.nic.size() == ranks(), "every rank has a NIC");
  entry_of_.resize(ranks());
  for (std::uint32_t d = 0; d < domains(); ++d) {
    std::map<std::uint32_t, std::uint32_t> users;                // of a NIC, so far
    std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;  // which user a rank is, and it
    for (const std::uint32_t rank : members_[d])
      turns.emplace_back(users[layout.nic[rank]]++, rank);
    std::ranges::stable_sort(turns, {}, [](const auto& turn) { return turn.first; });
    if (d == 0) nics_ = static_cast<std::uint32_t>(users.size()) * layout.nics_per_rank;
    std::vector<std::uint32_t>& entries = entries_.emplace_back();
    for (const auto& [user, rank] : turns) {
      entry_of_[rank] = static_cast<std::uint32_t>(entries.size());
      entries.push_back(rank);
    }
  }
}

RingOrder::RingOrder(const RankMap& map, std::uint32_t channel) : position_(map.ranks()) {
  order_.reserve(map.ranks());
  for (std::uint32_t d = 0; d < map.domains(); ++d) {
    const std::uint32_t size = map.size_of(d);
    const std::uint32_t first = map.position_of(map.entry_at(d, channel % size));
    for (std::uint32_t i = 0; i < size; ++i) {
      // Upwards from `first` to `first` - 1, downwards from `first` - 1 to `first`.
      const std::uint32_t step = d % 2 == 0 ? i : size - 1 - i;
      order_.push_back(map.rank_at(d, (first + step) % size));
    }
  }
  for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
}

}  // namespace weft::collectives
