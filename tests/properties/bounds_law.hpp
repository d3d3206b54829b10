#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

namespace weft::testing {

/// A bound that can be beaten is none: sentences about jobs that ended before their ideal time, or
/// before the bound of their operation; empty if there are none. Messages are held to their
/// zero-load times by `simulate` itself, and packets to their destinations.
inline std::vector<std::string> beaten_bounds(const scenarios::Experiment& e,
                                              const scenarios::Results& results) {
  std::vector<std::string> beaten;
  if (e.scenario.run.reuse.periods == scenarios::Periods::kApproximate) return beaten;
  for (const scenarios::JobResult& job : results.jobs) {
    if (!job.is_finished) continue;
    const auto hold = [&](Picoseconds bound, const char* what, const std::string& set_by) {
      if (job.jct >= bound) return;
      beaten.push_back(fmt::format("job {} took {} ps, {} is {} ps, set by {}", job.name,
                                   job.jct.count(), what, bound.count(), set_by));
    };
    hold(job.ideal, "its ideal time", job.ideal_set_by);
    hold(job.bound.value_or(Picoseconds(0)), "its bound", job.bound_set_by);
  }
  return beaten;
}

}  // namespace weft::testing
