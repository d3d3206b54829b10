#pragma once

#include <vector>

#include "collectives/algorithms/schedule.hpp"

namespace weft::collectives {

/// Everybody talks to everybody it has data for, with nothing in between.
///
/// One shot: all messages are posted at once (of an all-reduce, the whole vector to everybody). Two
/// shots (all-reduce): part r of everybody to rank r, which adds them up and sends the sum to
/// everybody. Peers are taken in the order of their distance, so that not all begin with the same.
class DirectSchedule final : public Schedule {
 public:
  DirectSchedule(SchedulePlan plan, Algorithm algorithm);

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  /// Pieces that are worked on one after the other, and what one of them is of each part.
  [[nodiscard]] std::int64_t pieces(std::uint32_t lane) const;
  [[nodiscard]] Range piece(std::uint32_t owner, std::uint32_t lane, std::int64_t i) const;
  /// What `from` sends to `to`, and whether it is added there. Empty: nothing.
  struct Transfer {
    std::uint32_t block = 0;
    Range range;
    bool reduces = false;
  };
  [[nodiscard]] Transfer transfer(std::uint32_t from, std::uint32_t to, std::uint32_t lane,
                                  std::int64_t i, bool is_second) const;

  bool has_two_shots_;
};

/// Pairwise all-to-all, for any number of ranks (R. Thakur, R. Rabenseifner, W. Gropp,
/// "Optimization of Collective Communication Operations in MPICH", IJHPCA 19, 2005, section 3.4):
/// in step s = 1 .. n-1, rank r sends its block for rank r+s there and takes a block from rank r-s.
/// The next step begins when that has come. The block a rank keeps for itself takes no time.
class PairwiseSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;
};

/// Barrier (D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP
/// 17, 1988): in round i, a rank tells the one 2^i behind it, and hears from the one 2^i before it.
class DisseminationSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;
};

}  // namespace weft::collectives
