#include "scenarios/measure/message_phases.hpp"

#include <algorithm>
#include <limits>

namespace weft::scenarios {

void MessagePhases::add(ProcessId source, const MessageResult& message) {
  std::vector<MessagePhase>& phases = phases_[message.job];
  const std::uint32_t iteration = iteration_at(source, message.start);
  while (phases.size() <= iteration) {
    const auto next = static_cast<std::uint32_t>(phases.size());
    phases.push_back({.job = message.job,
                      .iteration = next,
                      .start = start_of(message.job, next),
                      .messages = 0,
                      .sum = {}});
  }
  phases[iteration].add(message);
}

std::vector<MessagePhase> MessagePhases::take() {
  std::vector<MessagePhase> all;
  for (const std::vector<MessagePhase>& phases : phases_) {
    all.insert(all.end(), phases.begin(), phases.end());
  }
  phases_.clear();
  return all;
}

std::uint32_t MessagePhases::iteration_at(ProcessId source, Picoseconds posted) const {
  const auto& iterations = executor_.iterations(source);
  const auto after =
      std::ranges::upper_bound(iterations, posted, {}, &collectives::Interval::begin);
  // A relay may send for others before its own rank has begun.
  const auto begun = after - iterations.begin();
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(begun, 1) - 1);
}

Picoseconds MessagePhases::start_of(std::uint32_t job, std::uint32_t iteration) const {
  const collectives::JobPlan& plan = workload_.jobs()[job];
  if (plan.program->iterations() == 0) return executor_.outcome(job).start;
  Picoseconds start = Picoseconds::max();
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const auto& iterations = executor_.iterations(plan.process(rank));
    if (iteration < iterations.size()) start = std::min(start, iterations[iteration].begin);
  }
  return start;
}

}  // namespace weft::scenarios
