#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// Why ranks talk to each other.
enum class GroupKind : std::uint8_t {
  kTensor,
  kContext,
  kData,             ///< the same part of the model on other samples
  kGradient,         ///< data and context together: who adds up gradients of what is no expert
  kShard,            ///< of a gradient group, those that share parameters or optimiser states
  kReplicate,        ///< of a gradient group, those that have the same share
  kExpert,           ///< who exchanges tokens
  kExpertTensor,     ///< who shares an expert
  kExpertData,       ///< who has the same experts: who adds up their gradients
  kExpertShard,      ///< as kShard, of experts
  kExpertReplicate,  ///< as kReplicate, of experts
  kPipeline,
  kEmbedding,  ///< the ends of a pipeline, which share a tied embedding
  kMirror,     ///< DualPipe: the two ranks of a pipeline that hold the same two stages
  // Of an expert group whose ranks lie in scale-up domains, equally many in each:
  kExpertDomain,  ///< those of a domain
  kExpertRail,    ///< those that have the same place in their domains
};
inline constexpr std::size_t kGroupKinds = static_cast<std::size_t>(GroupKind::kExpertRail) + 1;

/// Ranks at equal distances, in the order of the group.
struct PlanGroup {
  std::uint32_t first = 0;
  std::uint32_t stride = 1;
  std::uint32_t size = 1;

  [[nodiscard]] std::uint32_t rank_at(std::uint32_t position) const {
    return first + position * stride;
  }
  /// Where a rank stands in the group; nothing: it does not belong to it.
  [[nodiscard]] std::optional<std::uint32_t> position_of(std::uint32_t rank) const;
  bool operator==(const PlanGroup&) const = default;
};

/// Where a rank is. `expert`, `expert_tensor` and `expert_data` count the ranks of a pipeline stage
/// in another way than `tensor`, `context` and `data` do.
struct RankPlace {
  std::uint32_t tensor = 0;
  std::uint32_t context = 0;
  std::uint32_t data = 0;
  std::uint32_t pipeline = 0;
  std::uint32_t expert_tensor = 0;
  std::uint32_t expert = 0;
  std::uint32_t expert_data = 0;
};

/// The ranks of a job in Megatron's order tp-cp-ep-dp-pp (M. Shoeybi et al., arXiv 1909.08053;
/// megatron/core/parallel_state.py): tensor fastest, then context, then data, then pipeline. For
/// experts the ranks of a pipeline stage are counted again: expert tensor fastest, then expert,
/// then expert data. The sizes are any that check_plan has nothing against.
class RankGrid {
 public:
  /// `expert_domain`: consecutive ranks of an expert group that share a scale-up domain; it divides
  /// the group.
  explicit RankGrid(const ParallelismSpec& parallelism, std::uint32_t expert_domain = 1);

  [[nodiscard]] std::uint32_t ranks() const { return stage_ranks() * pipeline_; }
  /// Ranks of a stage of the pipeline.
  [[nodiscard]] std::uint32_t stage_ranks() const { return tensor_ * context_ * data_; }
  [[nodiscard]] std::uint32_t expert_data() const { return expert_data_; }

  [[nodiscard]] RankPlace place_of(std::uint32_t rank) const;
  /// By tensor, context, data and pipeline.
  [[nodiscard]] std::uint32_t rank_at(const RankPlace& place) const;

  /// How many ranks groups of a kind have.
  [[nodiscard]] std::uint32_t size_of(GroupKind kind) const;
  /// The group of a kind that a rank belongs to. Only ends of a pipeline have an embedding group of
  /// more than themselves.
  [[nodiscard]] PlanGroup group_of(GroupKind kind, std::uint32_t rank) const;
  /// All groups of a kind, by their first ranks.
  [[nodiscard]] std::vector<PlanGroup> groups(GroupKind kind) const;

 private:
  [[nodiscard]] std::uint32_t stride_of(GroupKind kind) const;
  [[nodiscard]] PlanGroup ends_of(GroupKind kind, std::uint32_t rank) const;

  std::uint32_t tensor_;
  std::uint32_t context_;
  std::uint32_t data_;
  std::uint32_t pipeline_;
  std::uint32_t expert_tensor_;
  std::uint32_t expert_;
  std::uint32_t expert_data_;
  std::uint32_t shard_;
  std::uint32_t expert_shard_;
  std::uint32_t expert_domain_;
  bool is_mirrored_;
};

/// Whether tokens go to experts by all-to-alls. Else experts are divided like any feed-forward.
[[nodiscard]] bool exchanges_tokens(const ParallelismSpec& parallelism);

}  // namespace weft::collectives
