#pragma once

#include <optional>

#include "scenarios/isolated/fluid_lone_runs.hpp"
#include "scenarios/results/results.hpp"
#include "tools/cli/commands.hpp"

namespace weft::cli {

/// Each job alone, after the run with all of them (`weft run --isolated`).
class IsolatedRuns {
 public:
  /// Before anything runs or is opened. All three must outlive it.
  IsolatedRuns(const RunArguments& arguments, scenarios::Experiment& experiment, Engine engine);

  /// What they take goes to the results of the run with all.
  void run(scenarios::Results& results);

 private:
  [[nodiscard]] scenarios::ProgressObserver observer_of(std::uint32_t job) const;

  const RunArguments& arguments_;
  scenarios::Experiment& experiment_;
  Engine engine_;
  std::optional<scenarios::FluidLoneRuns> fluid_;
};

}  // namespace weft::cli
