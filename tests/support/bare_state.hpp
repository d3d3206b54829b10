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
    const std::uint32_t slots = count * constants.classes;
    state.queues = std::vector<protocols::ClassQueue>(slots);
    state.ingress = std::vector<protocols::IngressAccount>(slots);
    state.ready.resize(slots);
    for (std::uint32_t i = 0; i < count; ++i) {
      state.ports[i].index = i;
      state.ports[i].first_slot = i * constants.classes;
      state.slots.push_back(state.ports[i].first_slot);
    }
  }

  Fabric fabric;
  Routes routes;
  protocols::NetworkConstants constants;
  protocols::NetworkState state;
};

}  // namespace weft::testing
