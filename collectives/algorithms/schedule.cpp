#include "collectives/algorithms/schedule.hpp"

#include "collectives/algorithms/direct/direct_schedule.hpp"
#include "collectives/algorithms/hierarchical/hierarchical_schedule.hpp"
#include "collectives/algorithms/hierarchical/two_level.hpp"
#include "collectives/algorithms/nvls/nvls.hpp"
#include "collectives/algorithms/recursive/recursive_schedule.hpp"
#include "collectives/algorithms/ring/ring.hpp"
#include "collectives/algorithms/tree/tree_schedule.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {

namespace {

/// Blocks are numbered source * n + destination in 32 bits.
constexpr std::uint32_t kMaxBlockRanks = 65'535;

bool needs_one_share(const SchedulePlan& plan, Algorithm algorithm) {
  const bool is_by_parts =
      plan.operation == Operation::kAllGather || plan.operation == Operation::kReduceScatter;
  const bool is_recursive =
      algorithm == Algorithm::kRecursiveDoubling || algorithm == Algorithm::kHalvingDoubling;
  const bool is_tree_of_parts =
      plan.operation == Operation::kGather || plan.operation == Operation::kScatter;
  return (is_by_parts && is_recursive) ||
         (is_tree_of_parts && algorithm == Algorithm::kBinomialTree) ||
         plan.operation == Operation::kBarrier;
}

std::string refuse_layout(const SchedulePlan& plan, Algorithm algorithm,
                          bool has_in_network_reduction) {
  const RankMap& map = plan.map;
  if (algorithm == Algorithm::kHierarchical || algorithm == Algorithm::kNvlsTree) {
    if (!map.is_even()) {
      return "needs as many ranks in every scale-up domain; the first has " +
             std::to_string(map.domain_size()) + ", another has not";
    }
    if (map.domain_size() == 1) {
      return "needs scale-up domains of at least 2 ranks; every rank is alone in its own";
    }
  }
  if (algorithm == Algorithm::kNvlsTree && map.domains() == 1) {
    return "needs several scale-up domains; all ranks are in one, where `nvls` does the same";
  }
  if (algorithm != Algorithm::kNvls && algorithm != Algorithm::kNvlsTree) return {};
  if (algorithm == Algorithm::kNvls && map.domains() > 1) {
    return "needs all ranks in one scale-up domain; there are " + std::to_string(map.domains());
  }
  if (!has_in_network_reduction) {
    return "needs switches that add and multicast; this network has none";
  }
  return {};
}

}  // namespace

std::vector<Algorithm> algorithms_for(Operation operation) {
  using enum Algorithm;
  switch (operation) {
    case Operation::kAllReduce:
      return {kRing,
              kBinomialTree,
              kDoubleBinaryTree,
              kHalvingDoubling,
              kRecursiveDoubling,
              kOneShot,
              kTwoShot,
              kHierarchical,
              kNvls,
              kNvlsTree};
    case Operation::kAllGather:
      return {kRing, kRecursiveDoubling, kOneShot, kHierarchical, kNvls};
    case Operation::kReduceScatter:
      return {kRing, kHalvingDoubling, kOneShot, kHierarchical, kNvls};
    case Operation::kAllToAll:
    case Operation::kAllToAllV:
      return {kPairwise, kOneShot, kHierarchical};
    case Operation::kBroadcast:
    case Operation::kReduce:
      return {kRing, kBinomialTree, kOneShot};
    case Operation::kGather:
    case Operation::kScatter:
      return {kOneShot, kBinomialTree};
    case Operation::kSendReceive:
      return {kOneShot};
    case Operation::kBarrier:
      break;
  }
  return {kDissemination, kBinomialTree};
}

std::string refusal(const SchedulePlan& plan, Algorithm algorithm, bool has_in_network_reduction) {
  const std::vector<Algorithm> known = algorithms_for(plan.operation);
  if (std::ranges::find(known, algorithm) == known.end()) {
    std::string text = std::string("is no algorithm for ") + name_of(plan.operation) + "; there";
    text += known.size() == 1 ? " is " : " are ";
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (i > 0) text += i + 1 == known.size() ? " and " : ", ";
      text += name_of(known[i]);
    }
    return text;
  }
  if (needs_one_share(plan, algorithm) && (plan.channels > 1 || plan.chunk > 0)) {
    return std::string("of ") + name_of(plan.operation) +
           " moves the data of several ranks in one message: it has one channel and no chunks";
  }
  if (plan.is_by_blocks() && plan.ranks() > kMaxBlockRanks) {
    return "has at most " + std::to_string(kMaxBlockRanks) + " ranks";
  }
  return refuse_layout(plan, algorithm, has_in_network_reduction);
}

std::unique_ptr<const Schedule> make_schedule(SchedulePlan plan, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRing:
      return std::make_unique<RingSchedule>(std::move(plan));
    case Algorithm::kBinomialTree:
      if (plan.operation == Operation::kGather || plan.operation == Operation::kScatter) {
        return std::make_unique<TreeGatherSchedule>(std::move(plan));
      }
      return std::make_unique<TreeSchedule>(std::move(plan), TreeSchedule::Shape::kBinomial);
    case Algorithm::kDoubleBinaryTree:
      return std::make_unique<TreeSchedule>(std::move(plan), TreeSchedule::Shape::kDoubleBinary);
    case Algorithm::kHalvingDoubling:
    case Algorithm::kRecursiveDoubling:
      return std::make_unique<RecursiveSchedule>(std::move(plan), algorithm);
    case Algorithm::kPairwise:
      return std::make_unique<PairwiseSchedule>(std::move(plan));
    case Algorithm::kOneShot:
    case Algorithm::kTwoShot:
      return std::make_unique<DirectSchedule>(std::move(plan), algorithm);
    case Algorithm::kHierarchical:
      if (plan.is_by_blocks()) return std::make_unique<TwoLevelAllToAllSchedule>(std::move(plan));
      return std::make_unique<HierarchicalSchedule>(std::move(plan));
    case Algorithm::kNvls:
      return std::make_unique<NvlsSchedule>(std::move(plan));
    case Algorithm::kNvlsTree:
      return std::make_unique<NvlsTreeSchedule>(std::move(plan));
    case Algorithm::kDissemination:
      return std::make_unique<DisseminationSchedule>(std::move(plan));
    case Algorithm::kNccl:
    case Algorithm::kBest:
      break;
  }
  fail_check("an algorithm that chooses is replaced by its choice before", "false", __FILE_NAME__,
             __LINE__);
}

}  // namespace weft::collectives
