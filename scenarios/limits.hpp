#pragma once

#include <span>

#include "scenarios/scenario.hpp"
#include "simcore/result.hpp"
#include "simcore/units.hpp"

namespace weft::scenarios {

/// A message is recorded at both ends and once more in the results: a few hundred bytes each.
inline constexpr double kMaxMessages = 50e6;

/// What would exhaust memory or the engine's counters, said before the run: messages that are to be
/// recorded, and packets per connection. `access_rates` by HostId. Errors carry key paths.
[[nodiscard]] Errors check_limits(const Scenario& scenario,
                                  std::span<const BitsPerSecond> access_rates);

}  // namespace weft::scenarios
