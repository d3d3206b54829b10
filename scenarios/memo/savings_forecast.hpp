#pragma once

#include "scenarios/build/experiment.hpp"

namespace weft::scenarios {

/// What need not be simulated, of what a run sends (Traffic).
struct Spared {
  double packet_hops = 0;
  double scale_up_hops = 0;  ///< of these, inside scale-up domains
  double messages = 0;
  double calls = 0;  ///< of ranks, that are memoised
};

/// What reuse spares a run at most: as if all calls of a kind began alike, in all GPU sets of a
/// kind, so that each of them is simulated once, and of long messages the first packets alone. That
/// is what comes of equal ranks; noise and whatever else lets ranks begin at other times leave more
/// to simulate, up to everything. Nothing where the run does not ask for reuse, or something stands
/// against it. Takes time linear in the calls of an iteration.
[[nodiscard]] Spared max_spared(const Experiment& experiment);

}  // namespace weft::scenarios
