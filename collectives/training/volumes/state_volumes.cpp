#include "collectives/training/volumes/state_volumes.hpp"

#include <utility>

#include "collectives/training/model/parameters.hpp"
#include "collectives/training/plan/plan_check.hpp"

namespace weft::collectives {

namespace {

/// Parameters that the same ranks hold.
struct Holders {
  GroupKind all;
  GroupKind shard;
  GroupKind replicate;
  VolumeKind gradient;
  VolumeKind parameter;
  VolumeKind replica;
};
constexpr Holders kDenseHolders{GroupKind::kGradient,   GroupKind::kShard,
                                GroupKind::kReplicate,  VolumeKind::kGradient,
                                VolumeKind::kParameter, VolumeKind::kReplica};
constexpr Holders kExpertHolders{GroupKind::kExpertData,       GroupKind::kExpertShard,
                                 GroupKind::kExpertReplicate,  VolumeKind::kExpertGradient,
                                 VolumeKind::kExpertParameter, VolumeKind::kExpertReplica};

class StateTerms {
 public:
  StateTerms(const TrainingSpec& spec, const RankGrid& grid, std::uint32_t pipeline_rank)
      : zero_(spec.parallelism.zero),
        grid_(grid),
        syncs_(reduces_each_micro_batch(spec.parallelism) ? passes_of_chunk(pipeline_of(spec)) : 1),
        gathers_(zero_ == 3 ? gathers_of_chunk(spec, pipeline_rank) : 1) {}

  void add(VolumeKind kind, GroupKind group, Operation operation, Bytes size,
           std::uint64_t count = 1) {
    if (size == Bytes(0) || grid_.size_of(group) < 2) return;
    terms_.push_back(volume_term(kind, grid_, group, operation, size, count));
  }

  void add_held(const Holders& holders, Bytes parameters, Bytes gradients) {
    if (zero_ == 0) {
      add(holders.gradient, holders.all, Operation::kAllReduce, gradients, syncs_);
      return;
    }
    // Copies of ZeRO-3's shards add theirs up once; others do with each reduction.
    const std::uint64_t among_copies = zero_ == 3 ? 1 : syncs_;
    add(holders.gradient, holders.shard, Operation::kReduceScatter, gradients, syncs_);
    add(holders.replica, holders.replicate, Operation::kAllReduce, summed(holders, gradients),
        among_copies);
    add(holders.parameter, holders.shard, Operation::kAllGather, parameters, gathers_);
  }

  /// What a rank has the sums of afterwards.
  [[nodiscard]] Bytes summed(const Holders& holders, Bytes gradients) const {
    if (zero_ == 0) return gradients;
    const std::int64_t ranks = grid_.size_of(holders.shard);
    return Bytes((gradients.count() + ranks - 1) / ranks);
  }

  [[nodiscard]] std::vector<VolumeTerm> take() { return std::move(terms_); }

 private:
  std::uint32_t zero_;
  const RankGrid& grid_;
  std::uint64_t syncs_;    ///< of gradients
  std::uint64_t gathers_;  ///< of parameters
  std::vector<VolumeTerm> terms_;
};

}  // namespace

std::vector<VolumeTerm> state_volumes(const TrainingSpec& spec, const RankGrid& grid,
                                      const StateBytes& states, std::uint32_t pipeline_rank) {
  StateTerms terms(spec, grid, pipeline_rank);
  terms.add_held(kDenseHolders, states.parameters, states.gradients);
  terms.add_held(kExpertHolders, states.expert_parameters, states.expert_gradients);
  terms.add(VolumeKind::kMirror, GroupKind::kMirror, Operation::kAllReduce,
            terms.summed(kDenseHolders, states.gradients) +
                terms.summed(kExpertHolders, states.expert_gradients));
  // DualPipe's ranks have both ends of the model, or neither.
  const bool is_end = pipeline_rank == 0 || pipeline_rank + 1 == spec.parallelism.pipeline;
  if (shares_embedding(spec.model) && is_end &&
      spec.parallelism.schedule != PipelineSchedule::kDualPipe) {
    terms.add(VolumeKind::kEmbedding, GroupKind::kEmbedding, Operation::kAllReduce,
              states.embedding_gradients);
  }
  return terms.take();
}

}  // namespace weft::collectives
