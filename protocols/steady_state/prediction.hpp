#pragma once

#include "protocols/state/network_state.hpp"
#include "simcore/base/units.hpp"
#include "simcore/engine/logical_process.hpp"

namespace weft::protocols {

/// A time before which no message of a queue pair that has work ends, in a network that can recur
/// (`can_recur`): no link takes a packet sooner than the one before is on the wire. `now`: it may
/// be so at once, or that is not known.
[[nodiscard]] Picoseconds earliest_end(const NetworkState& state, const SenderState& sender,
                                       Picoseconds now);

/// When something comes next that a process asked for; EventCalendar::kNever: nothing does.
[[nodiscard]] Picoseconds next_job_event(const LogicalProcess& lp);

}  // namespace weft::protocols
