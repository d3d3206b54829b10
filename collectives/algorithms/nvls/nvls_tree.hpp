#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/tree/tree_place.hpp"

namespace weft::collectives {

/// NCCL's NVLSTree, an all-reduce over several scale-up domains of one size, with h heads in each
/// (heads.hpp). The ranks of equal position, one of every domain, are a rail; the first h of a
/// domain are heads of part `position` of every chunk of h parts. The scale-up switches of a domain
/// add a part up for its head, the heads of a rail add up along a binary tree and send the sum back
/// down, and the scale-up switches hand it from the head to the domain. Even channels use the first
/// of the two trees of double_binary_place, odd ones the second, so that with an even number of
/// channels all NICs carry as much: 2 S/h either way, S/h if there are two domains; NICs of GPUs
/// that are no heads, none. Over the scale-up links a head sends and gets S + S/h. (NCCL:
/// `connectNvls` in src/graph/connect.cc, src/device/all_reduce.h.)
///
/// Four lanes per channel: sums inside the domain, up, down, and spreading inside the domain. NCCL
/// has groups of threads for each, and two more that copy all of a chunk from the user's buffer to
/// the scale-up switches' before it can be added, and back when all of it is there. Two chunks of a
/// channel are in the domain in either direction, so that one is copied while the other is on the
/// links.
///
/// Buffers hold eight chunks (NCCL_STEPS): a rank sends no more than that up or down before the
/// other end has taken the first one, which it says by a control event, and its domain adds up no
/// more than that before they go up. Without that bound the leaves of one tree would run ahead on
/// the links that they share with the inner ranks of the other, and NICs would idle at the end.
class NvlsTreeSchedule final : public Schedule {
 public:
  explicit NvlsTreeSchedule(SchedulePlan plan) : Schedule(std::move(plan)) {}

  [[nodiscard]] std::uint32_t lanes_per_channel() const override { return 4; }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  /// The domains.
  [[nodiscard]] std::vector<RankGroup> groups() const override;
  [[nodiscard]] InNetworkWork in_network_work(std::uint32_t lane) const override {
    return {stage_of(lane) == Stage::kSum ? heads() : 0,
            stage_of(lane) == Stage::kSpread ? heads() : 0};
  }
  [[nodiscard]] bool is_staged() const override { return true; }
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  enum class Stage : std::uint8_t { kSum, kUp, kDown, kSpread };
  static constexpr std::int64_t kBufferSteps = 8;
  /// Of a domain.
  [[nodiscard]] std::uint32_t heads() const;
  [[nodiscard]] Stage stage_of(std::uint32_t lane) const {
    return static_cast<Stage>(lane % lanes_per_channel());
  }
  /// Ranks of its rail.
  [[nodiscard]] TreePlace place(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] std::int64_t pieces(std::uint32_t lane) const;
  [[nodiscard]] Range piece(std::uint32_t lane, std::int64_t i) const;
  [[nodiscard]] Range slice(std::uint32_t lane, std::int64_t piece, std::uint32_t position,
                            std::int64_t i) const;
  /// Slices that a sender may be ahead of whoever takes what it sends.
  [[nodiscard]] std::int64_t steps_ahead() const { return kBufferSteps * slices(); }
  /// Slice number `i` of a rank's parts is there, and waits for a place in the buffer.
  [[nodiscard]] bool is_bounded(std::uint32_t lane, std::uint32_t position, std::int64_t i) const;
  [[nodiscard]] StepStream sum(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream up(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream down(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream spread(std::uint32_t rank, std::uint32_t lane) const;
};

struct NvlsTree {
  static constexpr Algorithm kAlgorithm = Algorithm::kNvlsTree;
  static constexpr const char* kName = "nvls-tree";
  static constexpr const char* kDoc =
      "NVSwitches add and multicast in scale-up domains, and trees between them: NCCL's NVLSTree";
  static constexpr OperationSet kOperations{Operation::kAllReduce};

  [[nodiscard]] static std::string refusal(const RankMap& map, bool has_in_network_reduction);
  [[nodiscard]] static std::unique_ptr<const Schedule> schedule(SchedulePlan plan);
  [[nodiscard]] static double cost(const CostTerms& terms);
  [[nodiscard]] static std::uint64_t max_connections(Operation /*operation*/, std::uint64_t n) {
    return 4 * n;  // in large domains more
  }
  [[nodiscard]] static double max_messages(const BoundTerms& terms);
};

}  // namespace weft::collectives
