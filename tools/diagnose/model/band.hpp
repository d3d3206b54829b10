#pragma once

#include <cstdint>

#include "collectives/spec/collective_spec.hpp"

namespace weft::diagnose {

struct BandOf {
  bool has_several_servers = false;
  /// The ranks are under several leaves whose switches choose a path per flow, and nobody knows
  /// which flows meet.
  bool hashes_flows = false;
};

/// By how much a time may differ from the one that weft expects, as a part of it, before that is a
/// finding: weft's own error on measurements of one server, and more where less is known (band.cpp
/// says what of).
[[nodiscard]] double band_of(collectives::Operation operation, std::int64_t bytes, BandOf of);

/// Two flows on one path while another is idle: what a few queue pairs make of that. Assumed.
inline constexpr double kCollisionsBand = 0.25;

/// The largest size of each row of the table, the last of all that are larger.
inline constexpr std::int64_t kSmallBytes = std::int64_t{1} << 20U;
inline constexpr std::int64_t kMiddleBytes = std::int64_t{64} << 20U;

}  // namespace weft::diagnose
