#include "collectives/jobs/training/training_groups.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "collectives/costs/choose.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {

struct TrainingGroups::GroupUse {
  GroupKind kind;
  const char* name;
  Communicator::Kind is_for;
};

namespace {

/// Whose collectives a step has. Data is contained in gradient, and pipelines send messages.
constexpr TrainingGroups::GroupUse kGroupUses[] = {
    {GroupKind::kTensor, "tensor", Communicator::Kind::kTensor},
    {GroupKind::kContext, "context", Communicator::Kind::kContext},
    {GroupKind::kExpert, "expert", Communicator::Kind::kExpert},
    {GroupKind::kExpertTensor, "expert-tensor", Communicator::Kind::kExpert},
    {GroupKind::kExpertRail, "expert-rail", Communicator::Kind::kExpert},
    {GroupKind::kExpertDomain, "expert-domain", Communicator::Kind::kExpert},
    {GroupKind::kGradient, "data", Communicator::Kind::kData},
    {GroupKind::kExpertData, "expert-data", Communicator::Kind::kData},
    {GroupKind::kShard, "shard", Communicator::Kind::kData},
    {GroupKind::kReplicate, "replicate", Communicator::Kind::kData},
    {GroupKind::kExpertShard, "expert-shard", Communicator::Kind::kData},
    {GroupKind::kExpertReplicate, "expert-replicate", Communicator::Kind::kData},
    {GroupKind::kEmbedding, "embedding", Communicator::Kind::kPipeline},
    {GroupKind::kMirror, "mirror", Communicator::Kind::kPipeline},
};

}  // namespace

TrainingGroups::TrainingGroups(const TrainingSpec& spec, const RankGrid& grid,
                               const PipelinePlan& plan)
    : communication_(spec.communication),
      has_blocking_sends_(!spec.overlap.pipeline),
      chunks_(plan.chunks()) {
  const bool is_sharded = spec.parallelism.zero > 0;
  const bool has_levels = spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput;
  for (const GroupUse& use : kGroupUses) {
    const bool is_of_shards = use.kind == GroupKind::kShard || use.kind == GroupKind::kReplicate ||
                              use.kind == GroupKind::kExpertShard ||
                              use.kind == GroupKind::kExpertReplicate;
    const bool is_of_all = use.kind == GroupKind::kGradient || use.kind == GroupKind::kExpertData;
    const bool is_of_levels =
        use.kind == GroupKind::kExpertRail || use.kind == GroupKind::kExpertDomain;
    if (has_levels ? use.kind == GroupKind::kExpert : is_of_levels) continue;
    if (is_sharded ? !is_of_all : !is_of_shards) add_groups(grid, use);
  }
  links_.resize(std::size_t{grid.ranks()} * chunks_ * 2);
  add_links(grid, plan, Direction::kForward);
  add_links(grid, plan, Direction::kBackward);
}

void TrainingGroups::add_groups(const RankGrid& grid, const GroupUse& use) {
  if (grid.size_of(use.kind) < 2) return;
  std::vector<std::uint32_t>& of_rank = of_rank_[static_cast<std::size_t>(use.kind)];
  of_rank.assign(grid.ranks(), kNone);
  for (const PlanGroup& group : grid.groups(use.kind)) {
    if (group.size < 2) continue;
    Communicator& communicator = communicators_.emplace_back();
    communicator.name = use.name;
    communicator.kind = use.is_for;
    for (std::uint32_t i = 0; i < group.size; ++i) {
      communicator.ranks.push_back(group.rank_at(i));
      of_rank[group.rank_at(i)] = static_cast<std::uint32_t>(communicators_.size() - 1);
    }
  }
}

void TrainingGroups::add_links(const RankGrid& grid, const PipelinePlan& plan,
                               Direction direction) {
  const bool is_forward = direction == Direction::kForward;
  for (std::uint32_t rank = 0; rank < grid.ranks(); ++rank) {
    RankPlace place = grid.place_of(rank);
    for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
      const StagePlace from{place.pipeline, chunk};
      const auto to = is_forward ? forward_target(plan, from) : backward_target(plan, from);
      if (!to || to->rank == place.pipeline) continue;
      RankPlace target = place;
      target.pipeline = to->rank;
      const std::uint32_t peer = grid.rank_at(target);
      const auto number = static_cast<std::uint32_t>(communicators_.size());
      links_[link_index(rank, chunk, direction)].sends = number;
      links_[link_index(peer, to->chunk, direction)].receives = number;
      communicators_.push_back({std::string(is_forward ? "forward" : "backward") + " from rank " +
                                    std::to_string(rank) + " to rank " + std::to_string(peer),
                                Communicator::Kind::kPipeline,
                                {rank, peer}});
    }
  }
}

std::optional<std::uint32_t> TrainingGroups::of(GroupKind kind, std::uint32_t rank) const {
  const std::vector<std::uint32_t>& of_rank = of_rank_[static_cast<std::size_t>(kind)];
  if (of_rank.empty() || of_rank[rank] == kNone) return std::nullopt;
  return of_rank[rank];
}

std::optional<std::uint32_t> TrainingGroups::sends(std::uint32_t rank, std::uint32_t chunk,
                                                   Direction direction) const {
  const std::uint32_t number = links_[link_index(rank, chunk, direction)].sends;
  return number == kNone ? std::nullopt : std::optional(number);
}

std::optional<std::uint32_t> TrainingGroups::receives(std::uint32_t rank, std::uint32_t chunk,
                                                      Direction direction) const {
  const std::uint32_t number = links_[link_index(rank, chunk, direction)].receives;
  return number == kNone ? std::nullopt : std::optional(number);
}

CommunicatorCall TrainingGroups::new_call(std::uint32_t communicator, Operation operation,
                                          Bytes size) const {
  CommunicatorCall call;
  call.communicator = communicator;
  call.key = "communication.algorithm";
  call.spec.operation = operation;
  call.spec.size = size;
  call.spec.algorithm = algorithm_for(operation, communication_.algorithm);
  call.spec.execution = communication_.execution;
  call.spec.generation = communication_.generation;
  return call;
}

CommunicatorCall TrainingGroups::token_call(std::uint32_t communicator,
                                            std::span<const Bytes> of_place, TokenWay way) const {
  const Bytes largest = *std::ranges::max_element(of_place);
  const bool is_even = std::ranges::all_of(of_place, [&](Bytes size) { return size == largest; });
  if (is_even) return new_call(communicator, Operation::kAllToAll, largest);
  CommunicatorCall call = new_call(communicator, Operation::kAllToAllV, largest);
  const auto ranks = static_cast<std::uint32_t>(of_place.size());
  for (std::uint32_t expert = 0; expert < ranks; ++expert) {
    if (of_place[expert] == 0_B) continue;
    for (std::uint32_t other = 0; other < ranks; ++other) {
      if (other == expert) continue;
      const bool is_out = way == TokenWay::kOut;
      call.spec.blocks.push_back(
          {is_out ? other : expert, is_out ? expert : other, of_place[expert]});
    }
  }
  return call;
}

void TrainingGroups::add_exchanges(std::uint32_t communicator, std::span<const TokenSizes> of_chunk,
                                   std::optional<Algorithm> algorithm) {
  const auto next = static_cast<std::uint32_t>(calls_.size());
  if (!exchanges_.emplace(communicator, next).second) return;
  for (const TokenSizes& sizes : of_chunk) {
    calls_.push_back(token_call(communicator, sizes.out, TokenWay::kOut));
    calls_.push_back(token_call(communicator, sizes.back, TokenWay::kBack));
  }
  if (!algorithm) return;
  for (std::size_t i = next; i < calls_.size(); ++i) calls_[i].spec.algorithm = *algorithm;
}

std::uint32_t TrainingGroups::exchange(std::uint32_t communicator, TokenWay way,
                                       std::uint32_t chunk) const {
  const auto found = exchanges_.find(communicator);
  WEFT_CHECK(found != exchanges_.end(), "exchanges are known before the job runs");
  return found->second + 2 * chunk + (way == TokenWay::kBack ? 1 : 0);
}

void TrainingGroups::add_call(std::uint32_t communicator, Operation operation, Bytes size) {
  if (size == 0_B) return;
  number_of_call_.resize(communicators_.size());
  const auto next = static_cast<std::uint32_t>(calls_.size());
  const auto [found, is_new] =
      number_of_call_[communicator].emplace(std::pair(operation, size.count()), next);
  if (!is_new) return;
  CommunicatorCall& call = calls_.emplace_back(new_call(communicator, operation, size));
  if (operation == Operation::kAllToAllV) {  // a message of the first rank to the second
    call.spec.blocks = {{0, 1, size}};
    call.spec.algorithm = Algorithm::kPairwise;
    call.is_until_acknowledged = has_blocking_sends_;
  }
}

std::uint32_t TrainingGroups::call(std::uint32_t communicator, Operation operation,
                                   Bytes size) const {
  const auto& numbers = number_of_call_[communicator];
  const auto found = numbers.find(std::pair(operation, size.count()));
  WEFT_CHECK(found != numbers.end(), "calls are known before the job runs");
  return found->second;
}

}  // namespace weft::collectives
