#pragma once

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/output/trace_files.hpp"

namespace weft::scenarios {

/// Makes the network write down what the experiment observes, and gives the names of flows.
void observe(const Experiment& experiment, TraceFiles& traces,
             protocols::PacketNetwork::Options& options);
void name_flows(const Experiment& experiment, const protocols::PacketNetwork& network,
                TraceFiles& traces);

}  // namespace weft::scenarios
