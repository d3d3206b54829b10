#pragma once

#include "protocols/state/network_state.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// It has something to send, or waits for ACKs.
[[nodiscard]] inline bool is_live(const SenderState& sender) {
  return sender.next != sender.posted || sender.has_outstanding();
}

/// A time before which no message of a queue pair that is live ends: its links take no packet
/// sooner than the one before is on the wire. `now`: that is not known, or it may be so at once.
[[nodiscard]] Picoseconds earliest_end(const NetworkState& state, const SenderState& sender,
                                       Picoseconds now);

}  // namespace weft::protocols
