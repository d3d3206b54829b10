#pragma once

#include <cstdint>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
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
/// against it, nor of GPU sets whose calls overlap so much that a run gives their reuse up. Takes
/// time linear in the calls of an iteration.
[[nodiscard]] Spared max_spared(const Experiment& experiment);

/// By kind of GPU sets: packet-hops that finding ends may cost more than it spares before reuse
/// gives them up. An eighth of what all calls of the kind put on the network in a run, so that a
/// plan in which nothing recurs costs little more with reuse than without; at most a few seconds of
/// simulation.
[[nodiscard]] std::vector<std::uint64_t> reuse_budgets(const Experiment& experiment,
                                                       const collectives::GpuSets& gpu_sets);

}  // namespace weft::scenarios
