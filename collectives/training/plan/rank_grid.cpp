#include "collectives/training/plan/rank_grid.hpp"

#include <algorithm>

#include "simcore/base/check.hpp"

namespace weft::collectives {

std::optional<std::uint32_t> PlanGroup::position_of(std::uint32_t rank) const {
  if (rank < first || (rank - first) % stride != 0) return std::nullopt;
  const std::uint32_t position = (rank - first) / stride;
  if (position >= size) return std::nullopt;
  return position;
}

bool exchanges_tokens(const ParallelismSpec& parallelism) {
  return parallelism.expert > 1 || parallelism.sequence_parallel ||
         expert_tensor_of(parallelism) != parallelism.tensor;
}

RankGrid::RankGrid(const ParallelismSpec& parallelism, std::uint32_t expert_domain)
    : tensor_(parallelism.tensor),
      context_(parallelism.context),
      data_(parallelism.data),
      pipeline_(parallelism.pipeline),
      expert_tensor_(expert_tensor_of(parallelism)),
      expert_(parallelism.expert),
      expert_domain_(expert_domain),
      is_mirrored_(parallelism.schedule == PipelineSchedule::kDualPipe) {
  const std::uint32_t experts = expert_tensor_ * expert_;
  WEFT_CHECK(experts > 0 && stage_ranks() % experts == 0, "a plan that was checked");
  WEFT_CHECK(expert_domain > 0 && expert_ % expert_domain == 0, "domains that divide the group");
  expert_data_ = stage_ranks() / experts;
  const std::uint32_t gradient = context_ * data_;
  shard_ = parallelism.shard_ranks == 0 ? gradient : parallelism.shard_ranks;
  WEFT_CHECK(gradient % shard_ == 0, "a plan that was checked");
  // As many copies of an expert's states as of the others', each over what ranks there are.
  const std::uint32_t copies = gradient / shard_;
  WEFT_CHECK(expert_data_ % copies == 0, "a plan that was checked");
  expert_shard_ = expert_data_ / copies;
}

RankPlace RankGrid::place_of(std::uint32_t rank) const {
  RankPlace place;
  const std::uint32_t inside = rank % stage_ranks();
  place.pipeline = rank / stage_ranks();
  place.tensor = inside % tensor_;
  place.context = inside / tensor_ % context_;
  place.data = inside / (tensor_ * context_);
  place.expert_tensor = inside % expert_tensor_;
  place.expert = inside / expert_tensor_ % expert_;
  place.expert_data = inside / (expert_tensor_ * expert_);
  return place;
}

std::uint32_t RankGrid::rank_at(const RankPlace& place) const {
  return place.tensor +
         tensor_ * (place.context + context_ * (place.data + data_ * place.pipeline));
}

std::uint32_t RankGrid::size_of(GroupKind kind) const {
  switch (kind) {
    case GroupKind::kTensor:
      return tensor_;
    case GroupKind::kContext:
      return context_;
    case GroupKind::kData:
      return data_;
    case GroupKind::kGradient:
      return context_ * data_;
    case GroupKind::kShard:
      return shard_;
    case GroupKind::kReplicate:
      return context_ * data_ / shard_;
    case GroupKind::kExpert:
      return expert_;
    case GroupKind::kExpertTensor:
      return expert_tensor_;
    case GroupKind::kExpertData:
      return expert_data_;
    case GroupKind::kExpertShard:
      return expert_shard_;
    case GroupKind::kExpertReplicate:
      return expert_data_ / expert_shard_;
    case GroupKind::kPipeline:
      return pipeline_;
    case GroupKind::kEmbedding:
      return std::min(pipeline_, 2U);
    case GroupKind::kExpertDomain:
      return expert_domain_;
    case GroupKind::kExpertRail:
      return expert_ / expert_domain_;
    case GroupKind::kMirror:
      break;
  }
  return is_mirrored_ ? 2 : 1;
}

std::uint32_t RankGrid::stride_of(GroupKind kind) const {
  switch (kind) {
    case GroupKind::kTensor:
    case GroupKind::kExpertTensor:
      return 1;
    case GroupKind::kContext:
    case GroupKind::kGradient:
    case GroupKind::kShard:
      return tensor_;
    case GroupKind::kData:
      return tensor_ * context_;
    case GroupKind::kReplicate:
      return tensor_ * shard_;
    case GroupKind::kExpert:
    case GroupKind::kExpertDomain:
      return expert_tensor_;
    case GroupKind::kExpertRail:
      return expert_tensor_ * expert_domain_;
    case GroupKind::kExpertData:
    case GroupKind::kExpertShard:
      return expert_tensor_ * expert_;
    case GroupKind::kExpertReplicate:
      return expert_tensor_ * expert_ * expert_shard_;
    case GroupKind::kPipeline:
    case GroupKind::kEmbedding:
    case GroupKind::kMirror:
      break;
  }
  return stage_ranks();
}

/// Two ranks of a pipeline, as far from its ends.
PlanGroup RankGrid::ends_of(GroupKind kind, std::uint32_t rank) const {
  const std::uint32_t stage = rank / stage_ranks();
  const std::uint32_t lower = std::min(stage, pipeline_ - 1 - stage);
  const std::uint32_t apart = pipeline_ - 1 - 2 * lower;
  const bool is_pair = kind == GroupKind::kMirror ? is_mirrored_ : lower == 0;
  if (!is_pair || apart == 0) return {rank, 1, 1};
  return {rank % stage_ranks() + lower * stage_ranks(), apart * stage_ranks(), 2};
}

PlanGroup RankGrid::group_of(GroupKind kind, std::uint32_t rank) const {
  if (kind == GroupKind::kEmbedding || kind == GroupKind::kMirror) return ends_of(kind, rank);
  const std::uint32_t size = size_of(kind);
  const std::uint32_t stride = stride_of(kind);
  return {rank - rank / stride % size * stride, stride, size};
}

std::vector<PlanGroup> RankGrid::groups(GroupKind kind) const {
  std::vector<PlanGroup> groups;
  groups.reserve(ranks());
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    const PlanGroup group = group_of(kind, r);
    if (group.first == r) groups.push_back(group);
  }
  return groups;
}

}  // namespace weft::collectives
