#pragma once

#include <cstddef>
#include <vector>

#include "protocols/state/fault.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// The routes that failures and repairs bring, known before the run because the faults are.
struct RouteChanges {
  struct Change {
    Picoseconds at;
    std::size_t table = 0;  ///< 0: the routes of the healthy fabric; else index into `tables` + 1
  };
  std::vector<Routes> tables;
  std::vector<Change> changes;  ///< by time

  /// The changes in the form that the packet network takes. `healthy` and this must outlive the
  /// run.
  [[nodiscard]] std::vector<protocols::RouteChange> resolve(const Routes& healthy) const;
  /// All tables, those of the healthy fabric first.
  [[nodiscard]] std::vector<const Routes*> all(const Routes& healthy) const;
};

/// Every switch changes its routes `scenario.convergence` after a failure or repair, all at the
/// same time. The only link of a host changes nothing: fabrics route to racks, not to hosts.
[[nodiscard]] Result<RouteChanges> build_route_changes(const Scenario& scenario,
                                                       const Fabric& fabric,
                                                       const std::vector<protocols::Fault>& faults);

}  // namespace weft::scenarios
