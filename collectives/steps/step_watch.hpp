#pragma once

#include <cstdint>
#include <memory>

#include "collectives/steps/step.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Stands between programs and whoever carries their steps out. Each call is of one rank, on the
/// thread of that rank.
class StepWatch {
 public:
  virtual ~StepWatch() = default;
  /// What a lane is to do in place of `program`.
  [[nodiscard]] virtual std::unique_ptr<StepSource> follow(ProcessId process, std::uint32_t lane,
                                                           std::unique_ptr<StepSource> program) = 0;
  /// A lane came to a kRound.
  virtual void on_round(ProcessId process, std::uint32_t lane, const Step& step,
                        Picoseconds now) = 0;
  virtual void on_iteration_end(ProcessId process, Picoseconds now) = 0;
};

}  // namespace weft::collectives
