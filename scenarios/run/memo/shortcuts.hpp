#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocols/config/parallelism.hpp"
#include "scenarios/blame/path_finder.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/run_reuse.hpp"
#include "scenarios/results/measure/run_recorder.hpp"
#include "scenarios/run/parts/run_part.hpp"
#include "scenarios/run/run_mode.hpp"

namespace weft::scenarios {

/// What of a run is not simulated, because it would only repeat what was (scenarios/REUSE.md):
/// calls that are memoised, and periods inside long messages that are skipped. A run tries what may
/// be worthwhile. Where that costs more than it spares, or cannot be, the run is abandoned, and
/// begins again without.
class Shortcuts {
 public:
  /// Looks for them. The experiment and the mode must outlive it.
  Shortcuts(const Experiment& experiment, const RunMode& mode,
            const protocols::Parallelism& parallelism);

  /// The part that takes them in the next attempt. All must outlive the part, and so must this;
  /// `paths` may be null.
  [[nodiscard]] std::unique_ptr<RunPart> part(RunRecorder& recorder, PathFinder* paths);
  /// The part that takes the same calls over in a second run, which nobody measures; null: there
  /// are none.
  [[nodiscard]] std::unique_ptr<RunPart> part_of_second_run() const;
  /// The attempt was abandoned: the next one is without what failed.
  void exclude();

 private:
  class Part;
  class SecondPart;

  const Experiment& e_;
  const RunMode& run_mode_;
  const Reuse mode_;
  std::string obstacle_;  ///< to all memoisation; empty: none
  Reusable reusable_;
  std::optional<RunReuse> reuse_;  ///< of the present attempt; nothing: no call is looked at
  /// Periods are skipped; where nothing is memoised besides, if half of these packet-hops is: the
  /// first.
  std::optional<std::uint64_t> trial_of_skips_;
};

}  // namespace weft::scenarios
