#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/workload.hpp"
#include "protocols/fault.hpp"
#include "protocols/observation.hpp"
#include "scenarios/results.hpp"
#include "scenarios/route_changes.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/trace_files.hpp"
#include "simcore/engine/cells.hpp"
#include "simcore/fabric.hpp"
#include "simcore/result.hpp"
#include "simcore/routes.hpp"

/// From a scenario to its results: build, run, collect. Each stage takes a complete value and gives
/// one.
namespace weft::scenarios {

/// A scenario that can be run: everything built and checked.
struct Experiment {
  Scenario scenario;
  Fabric fabric;
  Routes routes;
  collectives::Workload workload;
  std::vector<protocols::Fault> faults;
  RouteChanges route_changes;
  protocols::ObservationConfig observation;  ///< what traces are to hold
  /// What may go wrong although the scenario is valid, such as a buffer too small to be lossless.
  std::vector<std::string> warnings;
  /// Packets take the code for everything even where the plain one does. Tests compare the two.
  bool force_general_path = false;
};

/// Names of the classes, for reports: their numbers where they have none.
[[nodiscard]] std::vector<std::string> class_names(const protocols::SwitchConfig& switches);

/// Builds fabric, routes and jobs. Errors carry key paths, without file and line.
[[nodiscard]] Result<Experiment> build_experiment(Scenario scenario);

/// How the packet engine would cut the fabric.
[[nodiscard]] CellPlan plan_of(const Experiment& experiment);

/// What a run tells while it goes on.
struct Progress {
  Picoseconds now;
  std::uint64_t count = 0;  ///< packet-hops; of the fluid engine: delivered messages
  // Looked at a few times a second only:
  std::uint64_t in_flight = 0;  ///< packets
  std::optional<double> done;   ///< which part of the bytes, or of the time, where that is known
  std::string stall;            ///< who is blocked, while nothing is delivered
};
/// Returning false stops the run.
using ProgressObserver = std::function<bool(const Progress&)>;

/// Runs the packet engine to the end and collects the results. Traces are written where `traces` is
/// given; a run whose traces cannot be written is interrupted. A broken conservation law is a
/// defect of weft, not a result: the process aborts with the sentence that does not hold.
[[nodiscard]] Results simulate(const Experiment& experiment, const ProgressObserver& observer = {},
                               TraceFiles* traces = nullptr,
                               const protocols::Parallelism& parallelism = {});

}  // namespace weft::scenarios
