#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/proof/symbolic.hpp"
#include "tests/collectives/schedule_shapes.hpp"

/// Schedules with one step changed, to see whether their proofs survive it.
namespace weft::collectives {

/// One step that is another, several or none.
struct Mutation {
  const char* change = "";
  std::uint32_t rank = 0;
  std::uint32_t lane = 0;
  std::size_t index = 0;  ///< of the step in its lane
  Step original;
  std::vector<Step> instead;
};

/// A schedule with all steps written down, one of which may be mutated.
class WrittenSchedule final : public Schedule {
 public:
  explicit WrittenSchedule(const Schedule& original)
      : Schedule(original.plan()), original_(original) {
    for (std::uint32_t rank = 0; rank < plan().ranks(); ++rank) {
      for (std::uint32_t lane = 0; lane < original.lanes(); ++lane) {
        StepStream stream = original.steps(rank, lane);
        steps_.emplace_back();
        for (Step step; stream.next(step);) steps_.back().push_back(step);
      }
    }
  }

  [[nodiscard]] std::uint32_t lanes_per_channel() const override {
    return original_.lanes_per_channel();
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override {
    return original_.send_peers(rank, lane);
  }
  [[nodiscard]] std::vector<RankGroup> groups() const override { return original_.groups(); }
  [[nodiscard]] InNetworkWork in_network_work(std::uint32_t lane) const override {
    return original_.in_network_work(lane);
  }
  [[nodiscard]] bool is_staged() const override { return original_.is_staged(); }
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override {
    const std::vector<Step>& all = steps_of(rank, lane);
    const bool is_mutated =
        mutation_ != nullptr && mutation_->rank == rank && mutation_->lane == lane;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_mutated && mutation_->index == i) {
        for (const Step& step : mutation_->instead) co_yield step;
      } else {
        co_yield all[i];
      }
    }
  }

  [[nodiscard]] const std::vector<Step>& steps_of(std::uint32_t rank, std::uint32_t lane) const {
    return steps_[std::size_t{rank} * lanes() + lane];
  }
  /// nullptr: none. It must outlive the next proof.
  void mutate(const Mutation* mutation) { mutation_ = mutation; }

 private:
  const Schedule& original_;
  std::vector<std::vector<Step>> steps_;  ///< by rank, then lane
  const Mutation* mutation_ = nullptr;
};

inline bool moves_data(const Step& step) {
  return step.kind == Step::Kind::kSend || step.kind == Step::Kind::kReceive ||
         step.kind == Step::Kind::kCopy || step.is_in_network();
}

inline bool is_same_data(const Step& a, const Step& b) {
  return a.block == b.block && a.range() == b.range();
}

/// All other ranks, and one that there is not; for a notify, all other lanes.
inline std::vector<Step> with_other_peers(const Schedule& schedule, const Step& step) {
  std::vector<Step> others;
  const bool has_lane = step.kind == Step::Kind::kNotify;
  const bool has_rank = moves_data(step) || step.kind == Step::Kind::kControlEvent;
  if (!has_lane && !has_rank) return others;
  const std::uint32_t peers = has_lane ? schedule.lanes() : schedule.plan().ranks();
  for (std::uint32_t peer = 0; peer <= peers; ++peer) {
    if (peer == step.peer) continue;
    others.push_back(step);
    others.back().peer = peer;
  }
  return others;
}

/// What the lane moves next after `index`, around its end; one byte on; one byte less or more.
inline std::vector<Step> with_other_chunks(const std::vector<Step>& lane, std::size_t index) {
  const Step& step = lane[index];
  std::vector<Step> others;
  if (!moves_data(step)) return others;
  for (std::size_t i = 1; i < lane.size(); ++i) {
    const Step& next = lane[(index + i) % lane.size()];
    if (!moves_data(next) || is_same_data(next, step)) continue;
    others.push_back(step);
    others.back().block = next.block;
    others.back().offset = next.offset;
    others.back().amount = next.amount;
    break;
  }
  for (const auto& [block, offset, amount] :
       {std::tuple{1U, 0, 0}, {0U, 1, 0}, {0U, 0, 1}, {0U, 0, -1}}) {
    others.push_back(step);
    others.back().block += block;
    others.back().offset += offset;
    others.back().amount += amount;
  }
  return others;
}

inline std::vector<Step> with_other_counts(const Step& step) {
  if (step.kind != Step::Kind::kAwaitControlEvents) return {};
  return {Step::await_control_events(step.count() - 1),
          Step::await_control_events(step.count() + 1)};
}

/// Data that is stored instead of added, or the other way round.
inline std::vector<Step> with_other_use(const Step& step) {
  if (step.kind != Step::Kind::kReceive) return {};
  Step other = step;
  other.reduces = !step.reduces;
  return {other};
}

/// Every way to get one step wrong.
inline std::vector<Mutation> mutations_of(const WrittenSchedule& schedule) {
  std::vector<Mutation> all;
  for (std::uint32_t rank = 0; rank < schedule.plan().ranks(); ++rank) {
    for (std::uint32_t lane = 0; lane < schedule.lanes(); ++lane) {
      const std::vector<Step>& steps = schedule.steps_of(rank, lane);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto add = [&](const char* change, std::vector<Step> instead) {
          all.push_back({change, rank, lane, i, steps[i], std::move(instead)});
        };
        const auto add_each = [&](const char* change, const std::vector<Step>& others) {
          for (const Step& other : others) add(change, {other});
        };
        add("missing", {});
        add("doubled", {steps[i], steps[i]});
        add_each("other peer", with_other_peers(schedule, steps[i]));
        add_each("other chunk", with_other_chunks(steps, i));
        add_each("other count", with_other_counts(steps[i]));
        add_each("other use", with_other_use(steps[i]));
      }
    }
  }
  return all;
}

/// Why a schedule is as right with the mutation as it was; empty: it is wrong.
inline std::string why_right(const SchedulePlan& plan, const Mutation& mutation) {
  const std::string change = mutation.change;
  const Step& step = mutation.original;
  if (plan.operation == Operation::kBarrier && change == "other use" && !step.reduces) {
    return "what comes down the tree of a barrier stands for all ranks, with or without one's own";
  }
  return {};
}

/// What became of all mutations of a schedule.
struct MutationCount {
  std::size_t wrong = 0;  ///< of which the proof says so
  std::size_t right = 0;  ///< for a reason
  std::vector<std::string> surprises;
};

inline MutationCount prove_all_mutations(const Schedule& original) {
  WrittenSchedule schedule(original);
  MutationCount count;
  if (!prove(schedule).holds()) count.surprises.emplace_back("wrong without a mutation");
  for (const Mutation& mutation : mutations_of(schedule)) {
    schedule.mutate(&mutation);
    const bool holds = prove(schedule).holds();
    const bool is_right = !why_right(original.plan(), mutation).empty();
    ++(holds ? count.right : count.wrong);
    if (holds == is_right) continue;
    count.surprises.push_back(std::string(holds ? "held" : "failed") + ": " + mutation.change +
                              ", rank " + std::to_string(mutation.rank) + ", lane " +
                              std::to_string(mutation.lane) + ", step " +
                              std::to_string(mutation.index) + " of kind " +
                              std::to_string(static_cast<int>(mutation.original.kind)));
  }
  return count;
}

/// Of what an algorithm cannot do nothing is expected.
inline void expect_all_found(Operation operation, Algorithm algorithm, std::uint32_t n,
                             const Shape& shape) {
  SchedulePlan p = plan(operation, algorithm, n, shape);
  if (!refusal(p, algorithm, true).empty()) return;
  const MutationCount count = prove_all_mutations(*make_schedule(std::move(p), algorithm));
  EXPECT_GT(count.wrong, 0U);
  EXPECT_TRUE(count.surprises.empty())
      << "n = " << n << ", chunk " << shape.chunk << ", domains of " << shape.domain << ": "
      << count.surprises.size() << " of " << count.wrong + count.right << ", such as "
      << (count.surprises.empty() ? "" : count.surprises[0]);
}

}  // namespace weft::collectives
