#pragma once

#include <cmath>

#include "collectives/spec/collective_spec.hpp"

namespace weft::collectives {

/// What bounds of an algorithm's messages are written in: what a channel sends, the mean over
/// ranks. At most four times what is sent (tests/collectives/bounds_test.cpp): far higher ones
/// refuse runs that would fit.
struct BoundTerms {
  Operation operation = Operation::kAllReduce;
  double n = 0;            ///< ranks
  double domain_size = 1;  ///< of all scale-up domains
  double share = 0;        ///< of a channel: bytes of the vector, or of the largest block
  double chunk = 0;        ///< 0: undivided

  /// Chunks of the longest of equal parts of a channel's share; parts are a byte longer or shorter.
  [[nodiscard]] double chunks(double parts = 1) const {
    return chunk == 0 ? 1 : std::ceil(std::ceil(share / parts) / chunk);
  }
  /// Rounds of an algorithm that doubles or halves; one more for ranks beyond a power of two.
  [[nodiscard]] double rounds() const { return std::ceil(std::log2(n)) + 1; }
};

}  // namespace weft::collectives
