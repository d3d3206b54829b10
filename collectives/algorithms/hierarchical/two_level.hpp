#pragma once

#include <vector>

#include "collectives/algorithms/schedule.hpp"

namespace weft::collectives {

/// All-to-all of two levels, as NCCL does it by PXN: what rank (d, p), at position p of domain d,
/// has for rank (e, q) goes inside the domain to (d, q), and from there along rail q. No byte
/// changes the rail in the network, a rank talks to its domain and its rail only (g + k - 2 peers
/// instead of n - 1), and a byte crosses the network once.
///
/// Two lanes: inside and along the rail. A block continues as soon as it has come. Domains are
/// taken in the order of their distance: in round t, everything for domain d+t. A few rounds leave
/// inside the domain before the first is taken, so that both levels work at once.
class TwoLevelAllToAllSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  [[nodiscard]] std::uint32_t lanes_per_channel() const override { return 2; }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  [[nodiscard]] StepStream inside(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream along_rail(std::uint32_t rank, std::uint32_t lane) const;
  /// The messages of a channel's share of the block that one rank has for another.
  [[nodiscard]] std::vector<Range> messages(std::uint32_t from, std::uint32_t to,
                                            std::uint32_t lane) const;
};

}  // namespace weft::collectives
