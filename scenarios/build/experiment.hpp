#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "protocols/config/switch_config.hpp"
#include "protocols/network/packet_network.hpp"
#include "protocols/observation/observation.hpp"
#include "protocols/state/fault.hpp"
#include "scenarios/build/route_changes.hpp"
#include "scenarios/checks/limits/traffic_counts.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/engine/lp_plan.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// What a timeline is to show.
struct TimelinePlan {
  ObserveSpec::Timeline::Format format = ObserveSpec::Timeline::Format::kPerfetto;
  std::vector<bool> is_shown;  ///< by process
  Picoseconds from;
  Picoseconds until;
  Bytes limit;
};

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
  /// What the jobs send, where limits asked for it; absent: not counted yet.
  std::optional<Traffic> traffic = {};
  std::optional<TimelinePlan> timeline = {};  ///< absent: none is written
};

/// Names of the classes, for reports: their numbers where they have none.
[[nodiscard]] IdVector<ClassId, std::string> class_names(const protocols::SwitchConfig& switches);

/// Whether packets can be dropped by WRED, or by a PFC watchdog.
[[nodiscard]] bool drops_early(const protocols::SwitchConfig& switches);

/// How the packet engine would cut the fabric for that many threads.
[[nodiscard]] LpPlan plan_of(const Experiment& experiment,
                             const protocols::Parallelism& parallelism = {});

}  // namespace weft::scenarios
