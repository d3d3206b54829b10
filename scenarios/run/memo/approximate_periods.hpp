#pragma once

#include <optional>

#include "collectives/memo/period_watch.hpp"
#include "collectives/runtime/executor.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/run/parts/run_part.hpp"
#include "scenarios/run/run_mode.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a run skips under `run.reuse.periods: approximate`; without that it does nothing.
class ApproximatePeriods final : public RunPart {
 public:
  /// Before the run. Both must outlive it.
  ApproximatePeriods(const Experiment& experiment, const RunMode& mode,
                     collectives::Executor& executor);

  void start(protocols::PacketNetwork& network, collectives::Executor& /*executor*/) override {
    network_ = &network;
  }
  [[nodiscard]] Picoseconds next_poll(Picoseconds now) const override {
    return watch_ ? watch_->next_check(now) : Picoseconds::max();
  }
  /// At what repeats itself.
  void poll(Picoseconds now) override {
    if (watch_) watch_->poll(now);
  }
  /// What was skipped, in words as well.
  void end(RunEnd& end, Results& results) override;
  /// Iterations that were skipped, as the last one.
  void collect(Results& results) override;

 private:
  const Experiment& e_;
  collectives::Executor& executor_;
  std::optional<collectives::PeriodWatch> watch_;
  const protocols::PacketNetwork* network_ = nullptr;
};

}  // namespace weft::scenarios
