#include "tools/cli/explain/explain_command.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "scenarios/blame/explain/blame_file.hpp"
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

/// Of the scenario in a folder; none where that is not there, as runs had none to write.
std::vector<scenarios::SlowLink> slow_links_of_run(const std::string& folder) {
  const auto loaded = scenarios::load_scenario(std::filesystem::path(folder) / "resolved.yaml");
  return loaded ? scenarios::slow_links(loaded.value()) : std::vector<scenarios::SlowLink>();
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
  auto* json = explain_->add_flag("--json", is_json_, "all of it, as JSON");
  explain_
      ->add_flag(
          "--verify", verifies_,
          "run again without slow links, if there are any, and each of the three worst causes that "
          "can be taken out (`weft run --without`), and say what that saves")
      ->excludes(json);
}

std::optional<int> ExplainCommand::run() {
  if (!explain_->parsed()) return {};
  if (is_json_) no_effect(*explain_, "--lines", "beside --json, which has all of them");
  const auto first = scenarios::read_blame(first_);
  if (!first) return refuse(first.errors(), kBadInput);
  if (second_.empty()) {
    const std::vector<scenarios::SlowLink> slow = slow_links_of_run(first_);
    print(is_json_
              ? scenarios::json_text(scenarios::explanation_json(first.value(), slow)) + "\n"
              : scenarios::explanation_text(first.value(), lines_, slow) + warnings_text(first_));
    return verifies_ ? verify_blame(first_, first.value(), slow, 3) : kSuccess;
  }
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

}  // namespace weft::cli
