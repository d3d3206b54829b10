#pragma once

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/run/run_mode.hpp"

namespace weft::scenarios {

/// What an experiment asks of the packet engine, but for what is observed.
[[nodiscard]] protocols::PacketNetwork::Options network_options(const Experiment& experiment,
                                                                const RunMode& mode = {});

}  // namespace weft::scenarios
