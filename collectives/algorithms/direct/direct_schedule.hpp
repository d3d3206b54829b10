#pragma once

#include <functional>
#include <utility>
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
  enum class Shots : std::uint8_t { kOne, kTwo };
  DirectSchedule(SchedulePlan plan, Shots shots);

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;
  /// Without what is received, and without a coroutine: ranks have as many messages as peers.
  void for_each_send(std::uint32_t rank, std::uint32_t lane,
                     const std::function<void(const Step&)>& visit) const override;

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

  /// Distances [first, end) of the ranks that one may have anything for, or get anything from.
  struct Distances {
    std::uint32_t first = 1;
    std::uint32_t end = 1;
  };
  [[nodiscard]] Distances receivers(std::uint32_t rank) const;
  [[nodiscard]] Distances senders(std::uint32_t rank) const;
  /// One by one, those for which there is nothing left out.
  [[nodiscard]] std::vector<std::uint32_t> listed(Distances distances, std::uint32_t rank,
                                                  std::uint32_t lane, bool is_outward) const;
  /// Of an all-to-all-v, whose blocks differ: those that are over before piece `next`. Otherwise
  /// the largest block would have all pairs looked at for each of its pieces.
  void drop_ended(std::vector<std::uint32_t>& distances, std::uint32_t rank, std::uint32_t lane,
                  bool is_outward, std::int64_t next) const;

  std::int64_t largest_block_;  ///< that any rank has for another, where data is by blocks
  bool has_two_shots_;
};

}  // namespace weft::collectives
