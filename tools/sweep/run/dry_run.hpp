#pragma once

#include <cstddef>
#include <functional>

#include "tools/sweep/language/sweep.hpp"
#include "tools/sweep/plan/points.hpp"

namespace weft::sweep {

/// Lists the points of a sweep on standard output, and the processor time that they will take: by
/// what `weft check` predicts of each, and some that are run (at least five, and as many as half a
/// second allows) to see how far that is off. Writes no files.
void dry_run(const Sweep& sweep, const Plan& plan, std::size_t processes,
             const std::function<bool()>& is_interrupted);

/// What `weft check` predicts of a sweep, without running any of it.
struct SweepForecast {
  std::size_t points = 0;
  double seconds = 0;  ///< of processor time, all points together
};
[[nodiscard]] SweepForecast sweep_forecast(const Sweep& sweep, const Plan& plan,
                                           const std::function<bool()>& is_interrupted);

}  // namespace weft::sweep
