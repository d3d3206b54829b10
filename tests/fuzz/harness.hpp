#pragma once

#include <cstdint>
#include <string_view>

#include "tests/fuzz/input.hpp"

namespace weft::testing {

enum class FuzzDepth : std::uint8_t {
  kCheck,
  kSimulate,  ///< small scenarios are also run by packets, in every way that must not matter
};

/// How far an input came.
enum class FuzzOutcome : std::uint8_t {
  kRefused,    ///< it is no scenario or sweep, or cannot be built
  kRead,       ///< it is, of a size that only a large machine builds in no time
  kBuilt,      ///< fabric, routes, jobs and forecast, or the points of the sweep
  kSimulated,  ///< by packets
};

/// Looks at the input as `weft check` and `weft sweep --dry-run` would. Ends the process with a
/// sentence if something does not hold: what is accepted can be written out and read again, what is
/// refused gives errors that say something, every way to run gives the same bits.
FuzzOutcome fuzz(const FuzzInput& input, FuzzDepth depth = FuzzDepth::kCheck);

}  // namespace weft::testing
