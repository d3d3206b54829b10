#include "tools/cli/explain/explain_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "scenarios/blame/explain/blame_file.hpp"
#include "scenarios/blame/explain/candidates.hpp"
#include "scenarios/blame/explain/counterfactual.hpp"
#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/blame/explain/slow_links.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/text/json_text.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/explain/verification.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"

namespace weft::cli {
namespace {

/// What the scenario of a run says of it; nothing where the folder has none, as runs had none to
/// write.
struct RunScenario {
  explicit RunScenario(const std::string& folder)
      : loaded(scenarios::load_scenario(std::filesystem::path(folder) / "resolved.yaml")) {
    if (!loaded) return;
    slow_links = scenarios::slow_links(loaded.value());
    degradations = scenarios::degradations_of(loaded.value(), slow_links);
    hashes_paths = scenarios::has_removable("collisions", loaded.value());
  }

  Result<scenarios::LoadedScenario> loaded;
  std::vector<scenarios::SlowLink> slow_links;
  std::vector<scenarios::Degradation> degradations;
  bool hashes_paths = false;
};

/// What is worse in the scenario than it should be, on critical paths or not.
std::string degradations_text(const RunScenario& scenario, const std::string& folder) {
  if (scenario.degradations.empty()) return {};
  std::string text;
  for (const scenarios::Degradation& one : scenario.degradations) {
    text += (text.empty() ? "" : "; ") + one.text();
  }
  return fmt::format("The scenario has {}: `weft explain {} --verify` runs without each.\n", text,
                     folder);
}

constexpr const char* kExplainHelp =
    "\nExamples:\n"
    "  weft run scenarios/straggler.yaml --blame && weft explain results/straggler\n"
    "  weft explain results/before results/after\n"
    "\nThe time of each iteration of a job is followed back along its critical path, and every\n"
    "picosecond of it has a cause and a culprit (blame.csv). With two folders: by how much the\n"
    "second run took longer, for which cause and through whom; the lines of a job add up to it.\n";

/// What the run knew of its scenario before it began bears on causes.
std::string warnings_text(const std::filesystem::path& folder) {
  std::string text;
  for (const std::string& warning : scenarios::read_warnings(folder)) {
    text += "The run warned: " + escaped(warning) + "\n";
  }
  return text;
}

}  // namespace

ExplainCommand::ExplainCommand(CLI::App& app) {
  explain_ = app.add_subcommand(
      "explain", "who is to blame for the time of a run, or for the difference of two");
  explain_->footer(kExplainHelp);
  explain_->add_option("folder", first_, "folder that `weft run --blame` wrote")
      ->type_name(kFolder)
      ->required();
  explain_->add_option("other", second_, "another one, to be compared with it")->type_name(kFolder);
  explain_->add_option("--lines", lines_, "at most this many for all jobs (default 10)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  explain_->add_flag("--json", is_json_, "all of it, as JSON");
  explain_->add_flag(
      "--verify", verifies_,
      "run again without whatever the scenario has that is worse than it should be (slow links, "
      "faults, stragglers, jitter), without up to three other jobs, and without up to three "
      "settings that are blamed (`weft run --without`), each by itself, and say what that saves");
}

std::optional<int> ExplainCommand::run() {
  if (!explain_->parsed()) return {};
  if (is_json_) no_effect(*explain_, "--lines", "beside --json, which has all of them");
  const auto first = scenarios::read_blame(first_);
  if (!first) return refuse(first.errors(), kBadInput);
  if (second_.empty()) return explain(first.value());
  if (verifies_) {
    complain("--verify is about one folder");
    return kBadInput;
  }
  const auto second = scenarios::read_blame(second_);
  if (!second) return refuse(second.errors(), kBadInput);
  const auto differences = scenarios::blame_differences(first.value(), second.value());
  print(is_json_ ? scenarios::json_text(scenarios::difference_json(differences)) + "\n"
                 : scenarios::difference_text(differences, lines_));
  return kSuccess;
}

int ExplainCommand::explain(const std::vector<scenarios::BlameEntry>& blame) const {
  const RunScenario scenario(first_);
  if (verifies_ && !scenario.loaded) return refuse(scenario.loaded.errors(), kBadInput);
  if (is_json_) {
    auto json = scenarios::explanation_json(blame, scenario.slow_links, scenario.degradations,
                                            scenario.hashes_paths);
    const int code =
        verifies_ ? verify_blame(first_, scenario.loaded.value(), blame, scenario.slow_links, &json)
                  : kSuccess;
    print(scenarios::json_text(json) + "\n");
    return code;
  }
  print(scenarios::explanation_text(blame, lines_, scenario.slow_links, scenario.degradations,
                                    scenario.hashes_paths) +
        warnings_text(first_));
  if (!verifies_) {
    print(degradations_text(scenario, first_));
    return kSuccess;
  }
  return verify_blame(first_, scenario.loaded.value(), blame, scenario.slow_links, nullptr);
}

}  // namespace weft::cli
