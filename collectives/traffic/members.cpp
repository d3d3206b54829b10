#include "collectives/traffic/members.hpp"

#include <set>

namespace weft::collectives {

std::vector<std::uint32_t> draw_members(std::uint32_t count, std::uint32_t n,
                                        const RandomStream& random, std::uint64_t counter) {
  const bool draws_others = count > n / 2;
  std::set<std::uint32_t> drawn;
  while (drawn.size() < (draws_others ? n - count : count)) {
    drawn.insert(static_cast<std::uint32_t>(random.below(counter++, n)));
  }
  if (!draws_others) return {drawn.begin(), drawn.end()};
  std::vector<std::uint32_t> others;
  others.reserve(count);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!drawn.contains(i)) others.push_back(i);
  }
  return others;
}

}  // namespace weft::collectives
