#pragma once

#include "protocols/network/packet_engine.hpp"
#include "protocols/network/packet_network.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// The insides of a network: for tests that look at its state, or change what must not matter.
struct NetworkStateOf {
  static NetworkState& network(const PacketNetwork& network) { return *network.state_; }
  /// Of a network that is one.
  static LogicalProcess& process(const PacketNetwork& network) { return network.engine_->lps[0]; }
};

}  // namespace weft::protocols
