#pragma once

#include <string>
#include <vector>

#include "protocols/observation/observation.hpp"
#include "protocols/state/network_state.hpp"

/// Looks at the whole state of a network between windows: what must be conserved, and what can
/// never move again.
namespace weft::protocols {

/// Sentences about what does not hold; empty if all does. Packets: those injected are delivered,
/// dropped, on a link or in a buffer. Buffers: every account equals the packets that it stands for,
/// and none is negative. Credits: those at the sender, in packets on the wire, held by packets in
/// the receiver's buffer and on their way back make up the receiver's buffer.
[[nodiscard]] std::vector<std::string> violated_laws(NetworkState& state,
                                                     const std::vector<LogicalProcess>& lps,
                                                     const Worker::Sums& sums, bool is_quiescent);

/// Ports of switches that wait for each other in a circle and can never send again: each is paused,
/// or without credits, because the buffer behind it is held by packets that wait at the next one,
/// to an extent that whatever else drains cannot lift the pause or free enough credits. In the
/// order in which each waits for the next. Empty if there is no such circle.
[[nodiscard]] std::vector<BlockedPort> find_deadlock(const NetworkState& state);

}  // namespace weft::protocols
