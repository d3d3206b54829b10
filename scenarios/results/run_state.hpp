#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/results/results.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a run looks like while it runs, for the one who watches. Looking changes nothing.
struct RunState {
  struct Job {
    bool has_begun = false;
    bool is_finished = false;
    std::uint32_t steps = 0;               ///< iterations that all ranks have ended
    std::optional<Picoseconds> last_step;  ///< from the first rank's begin to the last one's end
    std::optional<Picoseconds> mean_step;
  };
  struct Port {
    PortId port;
    Bytes queue;             ///< that waits now
    double utilisation = 0;  ///< since the last look
  };
  std::vector<Job> jobs;
  std::vector<Port> ports;  ///< the longest queues first, then the busiest
  /// Messages that are over and that no sink has seen yet.
  std::vector<MessageResult> messages;
};

}  // namespace weft::scenarios
