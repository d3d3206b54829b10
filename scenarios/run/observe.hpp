#pragma once

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

class RunFiles;
class Timeline;

/// Makes the network write down what the experiment observes, and gives the names of flows.
void observe(const Experiment& experiment, RunFiles& files,
             protocols::PacketNetwork::Options& options);
void name_flows(const Experiment& experiment, const protocols::PacketNetwork& network,
                RunFiles& files);

/// Ends a timeline; the results say what it had to leave out.
void end_timeline(Timeline& timeline, Results& results);

}  // namespace weft::scenarios
