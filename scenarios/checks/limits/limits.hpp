#pragma once

#include <span>

#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// Of the iterations of collectives that run side by side, and of jobs that list their messages:
/// they are counted before the run, and critical paths know each until its iteration is over.
inline constexpr double kMaxMessagesAtOnce = 50e6;
/// Of a run, which then takes hours.
inline constexpr double kMaxMessages = 5e9;

/// Sequence numbers have 32 bits; half of them keeps comparisons across the wrap valid.
inline constexpr double kMaxPackets = 2147483647.0;

/// What would exhaust memory, patience or the engine's counters, said before the run: messages, and
/// packets per connection. `access_rates` by HostId. Errors carry key paths.
[[nodiscard]] Errors check_limits(const Scenario& scenario,
                                  std::span<const BitsPerSecond> access_rates);

/// Whether connections stay below kMaxPackets for sure, although packets inside of scale-up domains
/// may be smaller and what is forwarded is cut into chunks. Otherwise they are to be counted, which
/// takes time linear in the messages (survey_traffic). Only where check_limits found no errors.
[[nodiscard]] bool are_packets_few(const Scenario& scenario,
                                   std::span<const BitsPerSecond> access_rates);

}  // namespace weft::scenarios
