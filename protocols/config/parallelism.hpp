#pragma once

#include <cstdint>
#include <vector>

namespace weft::protocols {

/// How many threads share the work of a run. It changes nothing but the time that takes.
struct Parallelism {
  std::uint32_t threads = 1;  ///< the calling one included; 0: as many as gain
  /// Windows are shared from this many events in the one before on: below, sharing costs
  /// more than it gains.
  std::uint64_t share_from = 1'000;
  /// Every thread takes part in the first windows that are shared and in every sixteenth later
  /// (WorkerPool), which tests want; otherwise those that are there in time.
  bool waits_for_all = false;
};

/// What each thread of a run did, in seconds of the clock; the calling thread comes first. No
/// result may depend on it.
struct ThreadTimes {
  std::vector<double> busy_seconds;  ///< simulating
  std::vector<double> idle_seconds;  ///< waiting for the end of a window, or for one to be shared
};

}  // namespace weft::protocols
