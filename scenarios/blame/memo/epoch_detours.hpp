#pragma once

#include <optional>

#include "scenarios/blame/detour.hpp"
#include "scenarios/blame/memo/epoch_scene.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/run_reuse.hpp"

namespace weft::scenarios {

/// Through epochs that were memoised: each is simulated once more.
class EpochDetours final : public Detours {
 public:
  /// Before the run. Both must outlive it.
  EpochDetours(const Experiment& experiment, RunReuse& reuse);

  [[nodiscard]] std::unique_ptr<Detour> walk(LaneWalk& lanes, std::uint32_t job, Picoseconds begin,
                                             std::vector<Charge>& charges) override;
  void forget(std::uint32_t job, Picoseconds before) override { reuse_.forget_calls(job, before); }

 private:
  const Experiment& e_;
  RunReuse& reuse_;
  EpochScenes scenes_;
};

}  // namespace weft::scenarios
