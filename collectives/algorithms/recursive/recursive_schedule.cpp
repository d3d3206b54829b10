#include "collectives/algorithms/recursive/recursive_schedule.hpp"

#include <algorithm>

namespace weft::collectives {

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

}  // namespace weft::collectives
