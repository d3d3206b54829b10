#pragma once

#include "collectives/runtime/workload.hpp"
#include "scenarios/checks/limits/traffic.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// With `pxn`, sends every message between GPUs of two domains and two rails by way of a GPU of the
/// sender's domain that is on the receiver's rail and has a rank of the job. Where a domain has
/// several, it is the one whose place among them is that of the receiver among those of its own
/// domain, or the next that has a rank; where it has none, the message goes straight, across the
/// rails. Error: no domain of the fabric has GPUs on two rails.
[[nodiscard]] Errors forward_by_rail(const Scenario& scenario, const Fabric& fabric,
                                     collectives::Workload& workload);

/// Error: the chunks of what is forwarded are more messages than a run can follow.
[[nodiscard]] Errors check_forwarded(const collectives::Workload& workload, const Traffic& traffic);

}  // namespace weft::scenarios
