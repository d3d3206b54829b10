#pragma once

#include <cmath>

#include "collectives/spec/collective_spec.hpp"

namespace weft::collectives {

/// What bounds of an algorithm's messages are written in. They only have to be right to a few
/// percent.
struct BoundTerms {
  Operation operation = Operation::kAllReduce;
  double n = 0;            ///< ranks
  double domain_size = 1;  ///< of all scale-up domains
  double share = 0;        ///< of a channel: bytes of the vector, or of the largest block
  double chunk = 0;        ///< 0: undivided

  /// Chunks of a channel's share, where `parts` of them are worked on at a time.
  [[nodiscard]] double chunks(double parts = 1) const {
    return chunk == 0 ? 1 : std::ceil(share / (chunk * parts));
  }
  /// The same where each of the parts is divided by itself.
  [[nodiscard]] double chunks_by_part(double parts) const {
    return chunk == 0 ? 1 : chunks(parts) + 1;
  }
  /// Messages of a rank that handles all of its share in every one of about log n rounds, up and
  /// down.
  [[nodiscard]] double in_rounds() const { return 4 * (std::log2(n) + 2) * chunks(); }
  /// Messages of a rank that handles the parts of all ranks a few times.
  [[nodiscard]] double by_parts() const { return 4 * n * chunks_by_part(n); }
};

}  // namespace weft::collectives
