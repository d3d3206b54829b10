#pragma once

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"

namespace weft::scenarios {

class RunFiles;

/// Makes the network write down what the experiment observes, and gives the names of flows.
void observe(const Experiment& experiment, RunFiles& files,
             protocols::PacketNetwork::Options& options);
void name_flows(const Experiment& experiment, const protocols::PacketNetwork& network,
                RunFiles& files);

}  // namespace weft::scenarios
