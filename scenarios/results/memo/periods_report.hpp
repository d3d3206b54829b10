#pragma once

#include <string>

#include "collectives/memo/period_watch.hpp"

namespace weft::scenarios {

/// What approximate periods took out of a run (`run.reuse.periods`). Times of jobs and iterations
/// have what it stands for in them, and so have the messages and bytes of jobs; all else counts
/// what was simulated.
struct PeriodsReport {
  collectives::PeriodReport skipped;
  double tolerance = 0;
  /// Why the time that was skipped is an estimate; empty: its relative error is no larger than
  /// PeriodReport::spread.
  std::string estimate_because;
};

}  // namespace weft::scenarios
