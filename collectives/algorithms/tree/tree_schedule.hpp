#pragma once

#include <vector>

#include "collectives/algorithms/schedule.hpp"

namespace weft::collectives {

/// A rank's place in a tree. Children in the order in which the parent sends to them; it takes what
/// they send in the opposite order.
struct TreePlace {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t parent = kNone;  ///< kNone: the root
  std::vector<std::uint32_t> children;
};

/// The place of number `i` of `n` in the binomial tree with root 0, children with larger subtrees
/// first.
[[nodiscard]] TreePlace binomial_place(std::uint32_t i, std::uint32_t n);
/// The place of number `i` of `n` in the in-order binary tree: odd numbers are leaves; 0 is the
/// root and has one child.
[[nodiscard]] TreePlace binary_place(std::uint32_t i, std::uint32_t n);
/// The place of number `i` of `n` in one of two binary trees. The second is the first mirrored, or
/// shifted by one if `n` is odd: no number has children in both, or one if `n` is odd.
[[nodiscard]] TreePlace double_binary_place(std::uint32_t i, std::uint32_t n, bool is_second);

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
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  [[nodiscard]] bool is_up(std::uint32_t lane) const;
  [[nodiscard]] TreePlace place(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] TreePlace binary_place_of(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] Range share(std::uint32_t lane) const;
  [[nodiscard]] StepStream up(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream down(std::uint32_t rank, std::uint32_t lane) const;

  Shape shape_;
};

/// Gather and scatter along a binomial tree: every rank handles the parts of its whole subtree.
class TreeGatherSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  /// Numbers count from the root.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank) const {
    return (rank + plan().ranks() - plan().root) % plan().ranks();
  }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t number) const {
    return (number + plan().root) % plan().ranks();
  }
  /// The parts of the subtree of a number: at most two ranges, as ranks wrap around.
  [[nodiscard]] std::vector<Range> subtree(std::uint32_t number) const;
};

}  // namespace weft::collectives
