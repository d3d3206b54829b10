#pragma once

#include <map>
#include <string>

#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"

namespace weft::cli {

/// What `weft explain --verify` has to know of a run.
struct RepeatedRun {
  bool is_interrupted = false;
  /// Of jobs that end, by name: as blame counts, from their begin to the end of their last
  /// iteration. Of open loops, which end when their arrivals do: the 99th percentile of the
  /// completion times of their messages.
  std::map<std::string, Picoseconds> times;
  protocols::NetworkTotals totals;
  std::string why_unfinished;  ///< where a job does not end: `deadlocked: ...`
};

/// Runs in the packet engine.
[[nodiscard]] RepeatedRun run_packets(const scenarios::Experiment& experiment,
                                      const std::string& title, bool shows_progress);
/// Runs in the fluid engine, in a process of its own: SimGrid has one clock in the life of a
/// process. Without totals, since a fluid knows no losses and pauses. Error: it could not run.
[[nodiscard]] Result<RepeatedRun> run_fluid(const scenarios::Experiment& experiment,
                                            const std::string& title, bool shows_progress);

}  // namespace weft::cli
