#pragma once

#include <string>

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

/// From a run that has ended to what its results say about classes, pauses and deadlocks.
namespace weft::scenarios {

/// Needs the ports of the results.
void collect_classes(const Experiment& experiment, const protocols::PacketNetwork& network,
                     Results& results);

/// Storms and victims.
void collect_pauses(const Experiment& experiment, const protocols::PacketNetwork& network,
                    const std::vector<protocols::MessageOutcome>& messages, Results& results);

/// Finds the circle of blocked ports. If there is one, that is how the run ended, though other
/// ports may have gone on to its limit. Needs the ports of the results.
void collect_deadlock(const protocols::PacketNetwork& network, Results& results);

/// `deadlock: A waits for B, B waits for A`; needs a deadlock.
[[nodiscard]] std::string describe_deadlock(const Results& results);

/// For tests and for `collect_pauses`: storms and victims among these messages.
[[nodiscard]] PauseReport report_pauses(const Experiment& experiment,
                                        std::vector<protocols::PauseInterval> pauses,
                                        const std::vector<protocols::MessageOutcome>& messages,
                                        Picoseconds end);

}  // namespace weft::scenarios
