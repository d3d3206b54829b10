#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/tasks/tasks.hpp"
#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/plan/rank_grid.hpp"

namespace weft::collectives {

/// The communicators of a training job and their calls, by what they are for. Groups of one rank
/// have none.
class TrainingGroups {
 public:
  TrainingGroups(const TrainingSpec& spec, const RankGrid& grid, const PipelinePlan& plan);

  enum class Direction : std::uint8_t { kForward, kBackward };
  struct GroupUse;
  /// The communicator of a kind that a rank belongs to.
  [[nodiscard]] std::optional<std::uint32_t> of(GroupKind kind, std::uint32_t rank) const;
  /// By which a chunk of a rank passes on its results, or its gradients.
  [[nodiscard]] std::optional<std::uint32_t> sends(std::uint32_t rank, std::uint32_t chunk,
                                                   Direction direction) const;
  /// By which it gets what it works on.
  [[nodiscard]] std::optional<std::uint32_t> receives(std::uint32_t rank, std::uint32_t chunk,
                                                      Direction direction) const;
  /// Tokens on their way to experts, and back.
  enum class TokenWay : std::uint8_t { kOut, kBack };
  /// What every rank of a communicator has for each, by place, on either way.
  struct TokenSizes {
    std::vector<Bytes> out;
    std::vector<Bytes> back;
  };
  /// The calls of a communicator that exchange tokens, chunk by chunk. `algorithm`: by which; as
  /// other collectives where there is none.
  void add_exchanges(std::uint32_t communicator, std::span<const TokenSizes> of_chunk,
                     std::optional<Algorithm> algorithm);
  [[nodiscard]] std::uint32_t exchange(std::uint32_t communicator, TokenWay way,
                                       std::uint32_t chunk) const;
  /// Makes sure of a call of a communicator; `size` as collectives have it.
  void add_call(std::uint32_t communicator, Operation operation, Bytes size);
  [[nodiscard]] std::uint32_t call(std::uint32_t communicator, Operation operation,
                                   Bytes size) const;

  [[nodiscard]] std::span<const Communicator> communicators() const { return communicators_; }
  [[nodiscard]] std::span<const CommunicatorCall> calls() const { return calls_; }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Link {
    std::uint32_t sends = kNone;
    std::uint32_t receives = kNone;
  };

  void add_groups(const RankGrid& grid, const GroupUse& use);
  /// An exchange of tokens, or the way back of one.
  [[nodiscard]] CommunicatorCall token_call(std::uint32_t communicator,
                                            std::span<const Bytes> of_place, TokenWay way) const;
  [[nodiscard]] CommunicatorCall new_call(std::uint32_t communicator, Operation operation,
                                          Bytes size) const;
  void add_links(const RankGrid& grid, const PipelinePlan& plan, Direction direction);
  [[nodiscard]] std::size_t link_index(std::uint32_t rank, std::uint32_t chunk,
                                       Direction direction) const {
    return (std::size_t{rank} * chunks_ + chunk) * 2 + static_cast<std::size_t>(direction);
  }

  CommunicationSpec communication_;
  bool has_blocking_sends_;
  std::uint32_t chunks_;
  std::vector<Communicator> communicators_;
  std::array<std::vector<std::uint32_t>, kGroupKinds> of_rank_;  ///< by kind; empty: none has any
  std::vector<Link> links_;                                      ///< link_index
  std::vector<CommunicatorCall> calls_;
  std::vector<std::map<std::pair<Operation, std::int64_t>, std::uint32_t>> number_of_call_;
  std::map<std::uint32_t, std::uint32_t> exchanges_;  ///< of each chunk out, then back; the first
};

}  // namespace weft::collectives
