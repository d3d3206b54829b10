#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/jitter/jitter.hpp"
#include "simcore/base/units.hpp"
#include "simcore/schema/schema.hpp"

/// What makes ranks slow, as values, and how long work takes under it.
namespace weft::collectives {

/// Nothing is done for `length` from `phase` on, and again every `period`, before as after.
struct PeriodicPause {
  Picoseconds period;
  Picoseconds length;
  Picoseconds phase;

  bool operator==(const PeriodicPause&) const = default;
};

/// Everything takes `factor` times as long for `length` from `start` on.
struct Throttle {
  Picoseconds start;
  Picoseconds length;
  double factor = 1;

  bool operator==(const Throttle&) const = default;
};

/// How a rank differs from the nominal. Factors count to six digits after the point.
struct RankJitter {
  double factor = 1;  ///< of the time of all work
  Jitter jitter;      ///< random delays, one per piece of work
  std::optional<PeriodicPause> pause;
  std::vector<Throttle> throttles;  ///< in order of time, none before another is over

  /// False: work takes its nominal time.
  [[nodiscard]] bool is_any() const {
    return factor != 1 || jitter.distribution != Jitter::Distribution::kNone || pause ||
           !throttles.empty();
  }
};

/// What is wrong with it, by its keys.
void check_noise(const RankJitter& noise, std::vector<schema::Problem>& problems);

/// How long a rank takes for work that takes `nominal` at the nominal pace, from `start` on, with
/// `delay` as drawn from its jitter: factor times the nominal, rounded up, and the delay are worked
/// off outside pauses, and more slowly where it is throttled. All integers; what is done in a
/// throttled span is rounded down to a millionth of a picosecond. Later work never ends earlier:
/// start + time does not fall as start or nominal rise. Where there is neither pause nor throttle
/// the time does not depend on the start; where there are pauses alone, not on whole periods.
/// Requires what check_noise has nothing against, and a result below 2^63 ps.
[[nodiscard]] Picoseconds time_taken(const RankJitter& noise, Picoseconds start,
                                     Picoseconds nominal, Picoseconds delay = Picoseconds(0));

/// Both at once: factors multiply, also of throttles that meet; of jitters and pauses the second
/// one's counts where it has one.
[[nodiscard]] RankJitter combined(const RankJitter& first, const RankJitter& second);

}  // namespace weft::collectives
