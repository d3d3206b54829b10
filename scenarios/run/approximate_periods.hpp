#pragma once

#include <functional>
#include <optional>

#include "collectives/memo/period_watch.hpp"
#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a run skips under `run.reuse.periods: approximate`; without that it does nothing.
class ApproximatePeriods {
 public:
  /// Before the run. Both must outlive it.
  ApproximatePeriods(const Experiment& experiment, collectives::Executor& executor);

  using Observer = protocols::PacketNetwork::Observer;
  /// Runs up to there, looking on the way at what repeats itself.
  [[nodiscard]] protocols::PacketNetwork::Status run_until(protocols::PacketNetwork& network,
                                                           Picoseconds until,
                                                           const Observer& observer);
  /// After the run, before jobs are collected: what was skipped, in words as well.
  void tell(const protocols::NetworkTotals& totals, Results& results);
  /// Once iterations are collected: those that were skipped, as the last one.
  void add_iterations(Results& results) const;

 private:
  const Experiment& e_;
  collectives::Executor& executor_;
  std::optional<collectives::PeriodWatch> watch_;
};

}  // namespace weft::scenarios
