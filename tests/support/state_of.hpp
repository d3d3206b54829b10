#pragma once

#include "protocols/network/packet_network.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// The insides of a network: for tests that change what must not matter.
struct NetworkStateOf {
  static NetworkState& network(const PacketNetwork& network) { return *network.state_; }
};

}  // namespace weft::protocols
