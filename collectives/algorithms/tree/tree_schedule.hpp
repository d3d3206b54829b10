#pragma once

#include <vector>

#include "collectives/algorithms/schedule.hpp"
#include "collectives/algorithms/tree/tree_place.hpp"

namespace weft::collectives {

/// Data up a tree, down a tree, or up and down (all-reduce). Both directions have a lane of their
/// own, so that chunks go down while others come up.
///
/// Sends to children are posted at once. Where a NIC serves its queue pairs in turn they end
/// together, and undivided trees take longer than by the closed form of one send at a time; chunks
/// heal that.
///
/// Binomial tree: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", IJHPCA 19, 2005. Double binary tree: P. Sanders, J. Speck, J. L. Träff,
/// "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35,
/// 2009: two trees with half of the data each, in which no rank has children in both (one has, if
/// there is an odd number). Where there are several domains of one size, trees span the domains,
/// and a chain each domain, as NCCL has it. Wants a window (`Execution::in_flight`) of a few
/// chunks: leaves of one tree are inner ranks of the other, and without one post their whole half
/// first.
class TreeSchedule final : public Schedule {
 public:
  enum class Shape : std::uint8_t { kBinomial, kDoubleBinary };
  TreeSchedule(SchedulePlan plan, Shape shape);

  [[nodiscard]] std::uint32_t lanes_per_channel() const override;
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::int64_t round_size() const override { return round_of(trees_per_channel()); }
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  [[nodiscard]] std::uint32_t trees_per_channel() const {
    return shape_ == Shape::kDoubleBinary && !plan().has_a_tree_per_channel ? 2 : 1;
  }
  /// Of two trees; and which of a tree's channels this is.
  [[nodiscard]] bool is_of_second(std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t channel_in_tree(std::uint32_t lane) const;
  [[nodiscard]] bool is_up(std::uint32_t lane) const;
  [[nodiscard]] TreePlace place(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] TreePlace binary_place_of(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] Range share(std::uint32_t lane) const;
  [[nodiscard]] StepStream up(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream down(std::uint32_t rank, std::uint32_t lane) const;

  Shape shape_;
};

}  // namespace weft::collectives
