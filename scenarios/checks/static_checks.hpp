#pragma once

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// What can be known about a run before it starts.
struct StaticFindings {
  Errors errors;                      ///< cannot be built that way
  std::vector<std::string> warnings;  ///< can be run, but may go wrong: why, and what to change
};

/// Switches with more ports, or faster ones, than such a switch has: the first one in words, and
/// how many more there are; empty: none.
[[nodiscard]] std::string overfull_switches(const Fabric& fabric);

/// Looks for lossless classes that can drop, marks that come too late, and routes on which lossless
/// classes can deadlock. Errors carry key paths.
[[nodiscard]] StaticFindings check_statically(const Experiment& experiment);

/// The part of it that is about buffers of switches (buffer_checks.cpp).
void check_buffers(const Experiment& experiment, StaticFindings& findings);
/// The part that is about transports and the classes that they are in (transport_checks.cpp).
void check_transports(const Experiment& experiment, StaticFindings& findings);

}  // namespace weft::scenarios
