#pragma once

#include <string>

#include "scenarios/build/experiment.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a run of the packet engine will take, predicted from what is built and what is to be sent.
struct Forecast {
  double packet_hops = 0;  ///< up to `run.until`, if that cuts jobs short
  double messages = 0;     ///< likewise
  double seconds = 0;      ///< of one thread
  double memory = 0;       ///< bytes, of the process at its peak
  /// Where `run.reuse` is on: what is left to be simulated, and how long that takes, if calls of a
  /// kind all begin alike (max_spared). A run takes no less, and no more than the above but for
  /// what it simulates without saving anything before it gives reuse up; elsewhere these are equal
  /// to the above.
  double min_hops = 0;
  double min_seconds = 0;
};

/// Time counts packets and messages, at constants measured on one machine (forecast.cpp): right
/// within a factor of two there, elsewhere as far as machines are alike. What is lost and sent
/// again is not predicted, nor are traces.
[[nodiscard]] Forecast forecast(const Experiment& experiment);

/// Hops, time and memory, for people: `29,935,360 packet-hops: 2.49 s on one thread, ...`.
[[nodiscard]] std::string forecast_text(const Forecast& forecast);

/// What a run may use: what the machine, and the control group of the process, have left.
[[nodiscard]] Bytes available_memory();

}  // namespace weft::scenarios
