#include "tools/cli/run/isolated.hpp"

#include <functional>
#include <memory>

#include "scenarios/isolated/isolated_runs.hpp"
#include "tools/cli/progress.hpp"

namespace weft::cli {

IsolatedRuns::IsolatedRuns(const RunArguments& arguments, scenarios::Experiment& experiment,
                           Engine engine)
    : arguments_(arguments), experiment_(experiment), engine_(engine) {
  if (engine != Engine::kFluid) return;
  fluid_.emplace(experiment, [this](std::uint32_t job) { return observer_of(job); });
}

scenarios::ProgressObserver IsolatedRuns::observer_of(std::uint32_t job) const {
  auto progress = std::make_shared<ProgressLine>(
      !arguments_.is_quiet, engine_ == Engine::kFluid ? "messages" : "packet-hops",
      experiment_.scenario.jobs[job].name + " alone");
  return [progress](const scenarios::Progress& now) {
    progress->update(now);
    return !is_interrupted();
  };
}

void IsolatedRuns::run(scenarios::Results& results) {
  if (fluid_) {
    scenarios::run_isolated(std::ref(*fluid_), results);
    return;
  }
  scenarios::run_isolated(
      experiment_, {.threads = arguments_.threads},
      [this](std::uint32_t job) { return observer_of(job); }, results);
}

}  // namespace weft::cli
