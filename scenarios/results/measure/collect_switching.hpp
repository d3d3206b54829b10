#pragma once

#include <string>

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/measure/flow_activities.hpp"
#include "scenarios/results/results.hpp"

/// From a run that has ended to what its results say about pauses and deadlocks.
namespace weft::scenarios {

/// Storms and victims.
void collect_pauses(const Experiment& experiment, const protocols::PacketNetwork& network,
                    FlowActivities& activities, Results& results);

/// Finds the circle of blocked ports. If there is one, that is how the run ended, though other
/// ports may have continued to its limit. Needs the ports of the results.
void collect_deadlock(const protocols::PacketNetwork& network, Results& results);

/// `deadlock: A waits for B, B waits for A`; needs a deadlock.
[[nodiscard]] std::string describe_deadlock(const Results& results);

/// For tests and for `collect_pauses`: storms, and victims among these flows, which are taken.
[[nodiscard]] PauseReport report_pauses(const Experiment& experiment,
                                        std::vector<protocols::PauseInterval> pauses,
                                        FlowActivities& activities);

}  // namespace weft::scenarios
