#pragma once

#include <cstdint>
#include <vector>

#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/steps/step.hpp"

namespace weft::collectives {

/// What a lane of a rank does in each whole round of a call (Schedule::round_size).
struct LaneRounds {
  /// Events for another lane of the rank.
  struct Events {
    std::uint32_t lane = 0;
    std::uint32_t count = 0;
  };
  std::int64_t steps = 0;  ///< as is_counted; 0: the lane does nothing
  std::vector<Events> events;
};

/// A step of a schedule that its program has as well: delays and waits for acknowledgements lie
/// between those.
[[nodiscard]] inline bool is_counted(const Step& step) {
  return step.kind != Step::Kind::kDelay && step.kind != Step::Kind::kFlush &&
         step.kind != Step::Kind::kCopy;
}

/// By rank and lane, the lanes of a rank being neighbours; empty: the call has no rounds, or they
/// are not all alike.
[[nodiscard]] std::vector<LaneRounds> lane_rounds(const CollectiveProgram& program);

}  // namespace weft::collectives
