#pragma once

#include <span>

#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// A message is recorded at both ends and once more in the results: a few hundred bytes each.
inline constexpr double kMaxMessages = 50e6;

/// Sequence numbers have 32 bits; half of them keeps comparisons across the wrap valid.
inline constexpr double kMaxPackets = 2147483647.0;

/// What would exhaust memory or the engine's counters, said before the run: messages that are to be
/// recorded, and packets per connection. `access_rates` by HostId. Errors carry key paths.
[[nodiscard]] Errors check_limits(const Scenario& scenario,
                                  std::span<const BitsPerSecond> access_rates);

/// Whether connections stay below kMaxPackets for sure, although packets inside of scale-up domains
/// may be smaller and what is forwarded is cut into chunks. Otherwise they are to be counted, which
/// takes time linear in the messages (survey_traffic). Only where check_limits found no errors.
[[nodiscard]] bool are_packets_few(const Scenario& scenario,
                                   std::span<const BitsPerSecond> access_rates);

}  // namespace weft::scenarios
