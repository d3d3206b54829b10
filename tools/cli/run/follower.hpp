#pragma once

#include <optional>

#include "scenarios/build/experiment.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/simulation.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/progress.hpp"
#include "tools/live/display.hpp"
#include "tools/live/run_view.hpp"

namespace weft::cli {

/// Shows a run while it runs: by a line on a terminal, or all that `--live` shows.
class Follower {
 public:
  /// Both must outlive it.
  Follower(const RunArguments& arguments, const scenarios::Experiment& experiment, Engine engine);

  /// False: somebody asked to stop.
  [[nodiscard]] bool poll(const scenarios::Progress& progress);
  /// Where messages go: to messages.csv if the run writes one, and to who watches.
  [[nodiscard]] scenarios::MessageSink sink(scenarios::RunFiles& files);
  /// What is done now that the run is over, until this goes.
  void enter(const char* stage) { line_.enter(stage); }
  /// The run is over; an engine that had not said so is shown as it ended.
  void end(const scenarios::Results& results);

 private:
  std::optional<live::Display> display_;
  std::optional<live::RunView> view_;
  ProgressLine line_;
  bool has_ended_ = false;
};

}  // namespace weft::cli
