#pragma once

#include "protocols/state/network_state.hpp"

/// The state of a packet network without a fabric: for tests of its parts, which fill in what they
/// look at.
namespace weft::testing {

struct BareState {
  explicit BareState(const protocols::SwitchConfig& switches)
      : constants(switches, {}, {protocols::RoceConfig()}, {}, 1, 1_us),
        state(fabric, routes, constants) {}

  /// With accounts and queues per class.
  void add_ports(std::uint32_t count) {
    state.ports = std::vector<protocols::PortState>(count);
    state.queues = std::vector<protocols::ClassQueue>(constants.slots(count));
    state.ingress = std::vector<protocols::IngressAccount>(constants.slots(count));
    for (std::uint32_t i = 0; i < count; ++i) {
      state.ports[i].index = i;
      state.ports[i].first_slot = static_cast<std::uint32_t>(constants.first_slot(i));
    }
  }

  Fabric fabric;
  Routes routes;
  protocols::NetworkConstants constants;
  protocols::NetworkState state;
};

}  // namespace weft::testing
