#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

class RunFiles;

/// What a run tells while it goes on.
struct Progress {
  Picoseconds now;
  std::uint64_t count = 0;  ///< packet-hops; of the fluid engine: delivered messages
  // Looked at a few times a second only:
  std::uint64_t in_flight = 0;  ///< packets
  std::optional<double> done;   ///< which part of the bytes, or of the time, where that is known
  std::string stall;            ///< who is blocked, while nothing is delivered
};
/// Returning false stops the run.
using ProgressObserver = std::function<bool(const Progress&)>;

/// Runs the packet engine to the end and collects the results; `sink` sees every message. Traces
/// and messages are written where `files` is given; a run whose files cannot be written is
/// interrupted. A broken conservation law is a defect of weft, not a result: the process aborts
/// with the sentence that does not hold.
[[nodiscard]] Results simulate(const Experiment& experiment, const ProgressObserver& observer = {},
                               RunFiles* files = nullptr,
                               const protocols::Parallelism& parallelism = {},
                               const MessageSink& sink = {});

}  // namespace weft::scenarios
