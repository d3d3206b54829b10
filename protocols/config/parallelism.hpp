#pragma once

#include <cstdint>

namespace weft::protocols {

/// How many threads share the work of a run. It changes nothing but the time that takes.
struct Parallelism {
  std::uint32_t threads = 1;  ///< the calling one included; 0: as many as gain
  /// Windows are shared from this many events in the one before on: below, sharing costs
  /// more than it gains.
  std::uint64_t share_from = 1'000;
  /// Every thread takes part in every window that is shared, which tests want; otherwise those that
  /// are there in time.
  bool waits_for_all = false;
};

}  // namespace weft::protocols
