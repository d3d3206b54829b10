#include "tools/cli/explain/explain_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/blame/explain/run_facts.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/text/json_text.hpp"
#include "scenarios/text/text_file.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/explain/verification.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"

namespace weft::cli {
namespace {

/// What is worse in the scenario than it should be, on critical paths or not.
std::string degradations_text(const scenarios::RunFacts& facts, const std::string& folder) {
  if (facts.degradations.empty()) return {};
  std::string text;
  for (const scenarios::Degradation& one : facts.degradations) {
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

/// How a run ended that did not finish: what did not end has no blame.
std::string unfinished_text(const std::filesystem::path& folder) {
  const auto summary = scenarios::read_json(folder / "summary.json");
  if (!summary || !summary.value().is_object()) return {};
  const auto text = [&summary](const char* key) {
    const auto value = summary.value().value(key, nlohmann::ordered_json());
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const std::string outcome = text("outcome");
  if (outcome.empty() || outcome == "finished") return {};
  std::string why;
  const auto sentences = summary.value().value("explanation", nlohmann::ordered_json());
  if (sentences.is_array() && !sentences.empty() && sentences.front().is_string()) {
    why = ": " + sentences.front().get<std::string>();
  }
  if (outcome == "horizon") why = ": it was cut off by run.until";
  return escaped(fmt::format("The run did not finish ({}){}. Jobs that did not end have no blame.",
                             outcome, why)) +
         "\n";
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
  CLI::Option* verify = explain_->add_flag(
      "--verify", verifies_,
      "run again without whatever the scenario has that is worse than it should be (slow links, "
      "faults, stragglers, jitter), without every other job, and without every setting that is "
      "blamed (`weft run --without`), each by itself, and say what that saves; where that is "
      "little of what is blamed, all together");
  explain_
      ->add_option("--each", each_,
                   fmt::format("of more jobs than this, --verify tries the less blamed in "
                               "groups, and halves of those that help (default {})",
                               scenarios::kMaxJobsEach))
      ->check(CLI::Range(1, 1'000'000))
      ->needs(verify)
      ->type_name("N");
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
  const scenarios::RunFacts facts = scenarios::facts_of_folder(first_);
  if (verifies_) return verify(blame, facts);
  if (is_json_) {
    print(scenarios::json_text(scenarios::explanation_json(blame, facts)) + "\n");
    return kSuccess;
  }
  print(scenarios::explanation_text(blame, lines_, facts) + scenarios::repairs_text(blame, facts) +
        unfinished_text(first_) + warnings_text(first_) + degradations_text(facts, first_));
  return kSuccess;
}

int ExplainCommand::verify(const std::vector<scenarios::BlameEntry>& blame,
                           const scenarios::RunFacts& facts) const {
  const auto scenario = scenarios::load_scenario(std::filesystem::path(first_) / "resolved.yaml");
  if (!scenario) return refuse(scenario.errors(), kBadInput);
  if (!is_json_) {
    print(scenarios::explanation_text(blame, lines_, facts) +
          scenarios::repairs_text(blame, facts) + unfinished_text(first_) + warnings_text(first_));
    return verify_blame(first_, scenario.value(), blame, facts, each_, nullptr);
  }
  auto json = scenarios::explanation_json(blame, facts);
  const int code = verify_blame(first_, scenario.value(), blame, facts, each_, &json);
  print(scenarios::json_text(json) + "\n");
  return code;
}

}  // namespace weft::cli
