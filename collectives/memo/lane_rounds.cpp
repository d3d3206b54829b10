#include "collectives/memo/lane_rounds.hpp"

#include <algorithm>
#include <memory>

#include "collectives/algorithms/algorithms.hpp"

namespace weft::collectives {
namespace {

/// The schedule of the same call with `size` bytes.
std::unique_ptr<const Schedule> schedule_of(const CollectiveProgram& program, std::int64_t size) {
  SchedulePlan plan = program.schedule().plan();
  plan.size = size;
  return make_schedule(std::move(plan), program.spec().algorithm);
}

/// All that a lane does. A control event to another rank stands for more than a round: -1 steps.
LaneRounds count_steps(const Schedule& schedule, std::uint32_t rank, std::uint32_t lane) {
  LaneRounds rounds;
  StepStream steps = schedule.steps(rank, lane);
  for (Step step; steps.next(step);) {
    if (step.kind == Step::Kind::kControlEvent || step.kind == Step::Kind::kAwaitControlEvents) {
      rounds.steps = -1;
      return rounds;
    }
    if (!is_counted(step)) continue;
    ++rounds.steps;
    if (step.kind != Step::Kind::kNotify) continue;
    const auto known = std::ranges::find(rounds.events, step.peer, &LaneRounds::Events::lane);
    if (known != rounds.events.end()) {
      ++known->count;
    } else {
      rounds.events.push_back({step.peer, 1});
    }
  }
  return rounds;
}

bool is_twice(const LaneRounds& twice, const LaneRounds& once) {
  if (once.steps < 0 || twice.steps != 2 * once.steps) return false;
  return std::ranges::equal(twice.events, once.events,
                            [](const LaneRounds::Events& a, const LaneRounds::Events& b) {
                              return a.lane == b.lane && a.count == 2 * b.count;
                            });
}

}  // namespace

std::vector<LaneRounds> lane_rounds(const CollectiveProgram& program) {
  const std::int64_t size = program.schedule().round_size();
  if (size == 0) return {};
  const auto once = schedule_of(program, size);
  const auto twice = schedule_of(program, 2 * size);
  const std::uint32_t ranks = program.schedule().plan().ranks();
  std::vector<LaneRounds> all;
  all.reserve(std::size_t{ranks} * program.lanes());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t lane = 0; lane < program.lanes(); ++lane) {
      all.push_back(count_steps(*once, rank, lane));
      if (!is_twice(count_steps(*twice, rank, lane), all.back())) return {};
    }
  }
  return all;
}

}  // namespace weft::collectives
