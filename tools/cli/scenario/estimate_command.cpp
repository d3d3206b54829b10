#include "tools/cli/scenario/estimate_command.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/text/json_text.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"

namespace weft::cli {
namespace {

constexpr const char* kEstimateHelp =
    "\nExamples:\n"
    "  weft estimate scenario.yaml\n"
    "  weft estimate scenario.yaml --set 'jobs[0].parallelism.tensor=4'\n"
    "  weft estimate scenario.yaml --quick --json | jq .jobs[0].step_seconds\n"
    "  weft estimate scenario.yaml --ideal\n"
    "\nOf each training job: what a step spends on computation, exchanges and bubbles, all of it "
    "and\nwhat nothing hides; tokens per second, MFU (operations of the model) and HFU (with what "
    "is done\nagain); communication to computation (below 0.2 low, to 0.6 medium, above high); "
    "bytes by link;\nmemory against what the GPU has. Links are taken to be free: jobs do not "
    "meet, "
    "nor do flows. With\n--ideal a second opinion beside the closed form: the job itself, task by "
    "task and message by "
    "message,\nwhich takes about a microsecond for each message and no memory for them.\n"
    "\nExit codes: 0 done, 2 a bad scenario or command line.\n";

}  // namespace

EstimateCommand::EstimateCommand(CLI::App& app) {
  estimate_ = app.add_subcommand(
      "estimate", "training steps in closed form: time by part, memory, bytes; nothing is run");
  estimate_->footer(kEstimateHelp);
  add_scenario(*estimate_, scenario_);
  add_overrides(*estimate_, overrides_);
  estimate_->add_flag("--json", print_json_, "print JSON");
  estimate_->add_flag("--quick", is_quick_, "leave out what a run would take");
  estimate_->add_flag(
      "--ideal", is_ideal_,
      "also take every task and message of each job in its order, on a network where no "
      "message meets another");
}

std::optional<int> EstimateCommand::run() const {
  if (!estimate_->parsed()) return std::nullopt;
  auto loaded = scenarios::load_scenario(scenario_, overrides_);
  if (!loaded) return refuse(loaded.errors());
  const auto estimate = scenarios::estimate_scenario(std::move(loaded.value().scenario),
                                                     {.run = !is_quick_, .ideal = is_ideal_});
  if (!estimate) return refuse(loaded.value().located(estimate.errors()));
  if (print_json_) return put(scenarios::json_text(estimate_json(estimate.value())) + "\n");
  return put(estimate_text(estimate.value()));
}

}  // namespace weft::cli
