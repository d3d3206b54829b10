#include "collectives/spec/rank_layout.hpp"

#include <algorithm>
#include <unordered_map>

#include "simcore/base/check.hpp"

namespace weft::collectives {

RankMap::RankMap(std::uint32_t ranks, const RankLayout& layout)
    : domain_of_(ranks), position_of_(ranks) {
  WEFT_CHECK(layout.domain.empty() || layout.domain.size() == ranks, "every rank has a domain");
  if (layout.domain.empty()) {
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
}

RingOrder::RingOrder(const RankMap& map, std::uint32_t channel) : position_(map.ranks()) {
  order_.reserve(map.ranks());
  for (std::uint32_t d = 0; d < map.domains(); ++d) {
    const std::uint32_t size = map.size_of(d);
    const std::uint32_t first = channel % size;
    for (std::uint32_t i = 0; i < size; ++i) {
      // Upwards from `first` to `first` - 1, downwards from `first` - 1 to `first`.
      const std::uint32_t step = d % 2 == 0 ? i : size - 1 - i;
      order_.push_back(map.rank_at(d, (first + step) % size));
    }
  }
  for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
}

}  // namespace weft::collectives
