#include "scenarios/session/nominal_ideal.hpp"

#include <cstddef>
#include <vector>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/blame/counterfactual/slow_links.hpp"
#include "scenarios/memo/part_fabric.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {

void add_nominal_ideals(const LoadedScenario& scenario, Results& results) {
  if (results.outcome == Outcome::kInterrupted) return;
  // A difference of less than this is nothing to speak of.
  constexpr std::int64_t kHundredth = 100;
  if (slow_links(scenario).empty()) return;
  const auto overrides = overrides_without("slow-links", scenario);
  if (!overrides) return;
  const auto nominal =
      load_scenario_text(scenario.canonical_yaml(), scenario.scenario.name, overrides.value());
  if (!nominal) return;
  const auto experiment = build_experiment(nominal.value().scenario);
  if (!experiment) return;
  const Experiment& e = experiment.value();
  ZeroLoadTimes times(e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload);
  const std::vector<ZeroLoadTimes::Job> jobs = times.jobs(gpu_sets_inside(e.fabric, e.workload));
  if (jobs.size() != results.jobs.size()) return;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    JobResult& job = results.jobs[j];
    const Picoseconds time = jobs[j].time;
    const bool is_shorter = time > Picoseconds(0) && job.ideal - time > job.ideal / kHundredth;
    if (is_shorter) job.nominal_ideal = time;
  }
}

}  // namespace weft::scenarios
