#pragma once

#include "scenarios/build/experiment.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a run of the packet engine will take, foreseen from what is built and what is to be sent.
struct Forecast {
  double packet_hops = 0;  ///< up to `run.until`, if that cuts jobs short
  double messages = 0;     ///< likewise
  double seconds = 0;      ///< of one thread
  double memory = 0;       ///< bytes, of the process at its peak
};

/// Time counts packets and messages, at constants measured on one machine (forecast.cpp): right
/// within a factor of two there, elsewhere as far as machines are alike. What is lost and sent
/// again is not foreseen, nor are traces.
[[nodiscard]] Forecast forecast(const Experiment& experiment);

/// What a run may use: what the machine, and the control group of the process, have left.
[[nodiscard]] Bytes available_memory();

}  // namespace weft::scenarios
