#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"

namespace weft::collectives {

/// What an NVSwitch domain with in-network reduction does (NVLink SHARP): a rank asks the switch
/// for the sum of everybody's part r, adds nothing itself, and has the switch repeat it to
/// everybody. In an all-reduce the ranks that do so are heads (heads.hpp), at most 32: a head has
/// S + S/32 bytes per direction instead of the ring's 2 (n-1)/n S, all others S. Reduce-scatter and
/// all-gather are its halves, in which every rank has a part.
class NvlsSchedule final : public Schedule {
 public:
  explicit NvlsSchedule(SchedulePlan plan) : Schedule(std::move(plan)) {}

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t /*rank*/,
                                                      std::uint32_t /*lane*/) const override {
    return {};
  }
  /// All ranks.
  [[nodiscard]] std::vector<RankGroup> groups() const override;
  [[nodiscard]] InNetworkWork in_network_work(std::uint32_t lane) const override;
  [[nodiscard]] std::int64_t round_size() const override { return round_of(parts()); }
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  /// Ranks that have a part, the first ones.
  [[nodiscard]] std::uint32_t parts() const;
  [[nodiscard]] std::int64_t pieces(std::uint32_t channel) const;
  [[nodiscard]] Range part(std::uint32_t channel, std::int64_t i, std::uint32_t owner) const;
};

struct Nvls {
  static constexpr Algorithm kAlgorithm = Algorithm::kNvls;
  static constexpr const char* kName = "nvls";
  static constexpr const char* kDoc = "NVSwitches add and multicast";
  static constexpr OperationSet kOperations{Operation::kAllReduce, Operation::kAllGather,
                                            Operation::kReduceScatter};

  [[nodiscard]] static std::string refusal(const RankMap& map, bool has_in_network_reduction);
  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  /// Everybody contributes to every sum, and may have one multicast.
  [[nodiscard]] static std::uint64_t max_connections(Operation operation, std::uint64_t n);
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
