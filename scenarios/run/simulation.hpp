#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "protocols/config/parallelism.hpp"
#include "scenarios/results/measure/message_sink.hpp"
#include "scenarios/run/run_mode.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct Experiment;
struct Results;
struct RunState;
class RunFiles;

/// What a run tells while it runs.
struct Progress {
  Picoseconds now;
  /// Packet-hops, those of an epoch that is memoised when it has ended; of the fluid engine:
  /// delivered messages.
  std::uint64_t count = 0;
  bool is_last = false;  ///< the run is over, and what is answered is nothing to it
  // Looked at a few times a second only:
  std::uint64_t in_flight = 0;  ///< packets
  std::optional<double> done;   ///< which part of the bytes, or of the time, where that is known
  std::string stall;            ///< who is blocked, while nothing is delivered
  /// The present state of the run, with at most `ports` ports; null: this engine does not report
  /// it.
  std::function<RunState(std::size_t ports)> state{};
  /// What is done before and after the simulation, which may take a while; nothing else is told
  /// then. Empty: it continues.
  std::string stage{};
};
/// Returning false stops the run.
using ProgressObserver = std::function<bool(const Progress&)>;

/// Tells `observer`, if there is one, what is done before or after the simulation; whether the run
/// continues. Where that takes long it is said again and again, so that it can be stopped there
/// too.
bool enter_stage(const ProgressObserver& observer, const char* stage);

/// Runs the packet engine to the end and collects the results; `sink` sees every message. Traces
/// and messages are written where `files` is given; a run whose files cannot be written is
/// interrupted. A broken conservation law is a defect of weft, not a result: a BrokenInvariant is
/// thrown with the sentence that does not hold. What any thread of the run throws comes out here.
[[nodiscard]] Results simulate(const Experiment& experiment, const ProgressObserver& observer = {},
                               RunFiles* files = nullptr,
                               const protocols::Parallelism& parallelism = {},
                               const MessageSink& sink = {}, const RunMode& mode = {});

}  // namespace weft::scenarios
