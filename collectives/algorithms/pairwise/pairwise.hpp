#pragma once

#include <memory>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

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

struct Pairwise {
  static constexpr Algorithm kAlgorithm = Algorithm::kPairwise;
  static constexpr const char* kName = "pairwise";
  static constexpr const char* kDoc = "in step i, rank r sends to rank r+i";
  static constexpr OperationSet kOperations{Operation::kAllToAll, Operation::kAllToAllV};
  static constexpr OperationSet kDefaultFor = kOperations;

  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return n * (n - 1);
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms) {
    return terms.n * terms.chunks();
  }
};

}  // namespace weft::collectives
