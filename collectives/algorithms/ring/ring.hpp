#pragma once

#include <memory>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

/// Ring algorithms. All-reduce as P. Patarasuk, X. Yuan, "Bandwidth Optimal All-reduce Algorithms
/// for Clusters of Workstations", JPDC 69, 2009, section 4: n-1 steps of reduce-scatter, n-1 of
/// all-gather; reduce-scatter and all-gather are its halves. Broadcast and reduce run along the
/// ring as a chain, which pays only in many chunks.
///
/// In step s, the rank at position r of the ring sends part r - s and takes part r-1 - s (one less
/// in a reduce-scatter, which ends with a rank's own part). It sends in step s+1 what it took in
/// step s, slice by slice, and so not before. Parts of no bytes are left out, at both ends.
class RingSchedule final : public Schedule {
 public:
  explicit RingSchedule(SchedulePlan plan);

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::int64_t round_size() const override {
    const bool is_chain =
        plan().operation == Operation::kBroadcast || plan().operation == Operation::kReduce;
    return round_of(is_chain ? 1 : plan().ranks());
  }
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  [[nodiscard]] const RingOrder& order(std::uint32_t lane) const {
    return orders_[lane % orders_.size()];
  }
  [[nodiscard]] StepStream around(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream broadcast(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream reduce(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] std::int64_t loops(std::uint32_t lane) const;
  /// What the rank at `position` owns in one loop.
  [[nodiscard]] Range part(std::uint32_t lane, std::int64_t loop, std::uint32_t position) const;
  /// Steps from the root along the ring.
  [[nodiscard]] std::uint32_t distance(std::uint32_t rank, std::uint32_t lane) const;

  std::vector<RingOrder> orders_;
};

struct Ring {
  static constexpr Algorithm kAlgorithm = Algorithm::kRing;
  static constexpr const char* kName = "ring";
  static constexpr const char* kDoc = "around a ring of all ranks, a ring per channel";
  static constexpr OperationSet kOperations{Operation::kAllReduce, Operation::kAllGather,
                                            Operation::kReduceScatter, Operation::kBroadcast,
                                            Operation::kReduce};
  static constexpr OperationSet kDefaultFor = kOperations;

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return n;
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
