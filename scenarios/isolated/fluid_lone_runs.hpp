#pragma once

#include <sys/types.h>

#include "scenarios/isolated/isolated_runs.hpp"

namespace weft::scenarios {

/// Runs jobs alone as fluids. SimGrid has one clock in the life of a process, and a job's begin is
/// known when the run with all jobs is over: so a process that has run nothing yet is kept, and
/// every job runs in a copy of it. None of them outlives this object, or its process.
class FluidLoneRuns {
 public:
  /// After `load_flow_solver`, and before the process runs a fluid, starts threads or opens what
  /// must not be open twice. The experiment must outlive it, and only its copies run a lone job.
  FluidLoneRuns(const Experiment& experiment, ObserverOfJob observer_of);
  ~FluidLoneRuns() { stop(); }
  FluidLoneRuns(const FluidLoneRuns&) = delete;
  FluidLoneRuns& operator=(const FluidLoneRuns&) = delete;

  /// The observer is asked in this process, and ends the run with all copies.
  [[nodiscard]] LoneRun operator()(const collectives::LoneJob& lone);

 private:
  void stop();

  ObserverOfJob observer_of_;
  pid_t helper_ = -1;  ///< that is copied; -1: there is none
  int requests_ = -1;
  int answers_ = -1;
};

}  // namespace weft::scenarios
