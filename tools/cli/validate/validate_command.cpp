#include "tools/cli/validate/validate_command.hpp"

#include <nlohmann/json.hpp>

#include "scenarios/text/json_text.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/words.hpp"
#include "tools/validate/validation.hpp"

namespace weft::cli {
namespace {

constexpr const char* kValidateHelp =
    "\nExamples:\n"
    "  weft validate\n"
    "  weft validate --json | jq '.rows[] | select(.holds | not)'\n"
    "  weft validate --set transport.header=90B\n"
    "\nClosed forms, other simulators' cases and published measurements: what each expects, what "
    "is\n"
    "simulated here and now, the error, and within what it must be. Rows that are known to miss "
    "are\n"
    "shown as such. The digest at the end is the same on every machine.\n"
    "\nExit codes: 0 every row holds that must, 1 one does not, 2 a bad command line.\n";

}  // namespace

ValidateCommand::ValidateCommand(CLI::App& app)
    : validate_(app.add_subcommand(
          "validate", "run the validation suite: closed forms, other simulators, measurements")) {
  validate_->footer(kValidateHelp);
  validate_->add_flag("--full", is_full_, "also what takes minutes: the largest messages");
  validate_->add_flag("--json", print_json_, "print JSON");
  add_overrides(*validate_, overrides_,
                "change one key of every scenario, to see what that breaks");
}

std::optional<int> ValidateCommand::run() const {
  if (!validate_->parsed()) return std::nullopt;
  const auto suite = validate::shipped_suite();
  if (!suite) return refuse(suite.errors(), kUnfinished);
  stop_on_interrupt();
  const validate::Validation validation = validate::validate(
      suite.value(), {.is_full = is_full_,
                      .changes = overrides_,
                      .progress = [](std::size_t, std::size_t) { return !is_interrupted(); }});
  const std::string text = print_json_
                               ? scenarios::json_text(validate::validation_json(validation)) + "\n"
                               : validate::validation_text(validation);
  if (const int code = put(text); code != kSuccess) return code;
  return validation.is_good() && !is_interrupted() ? kSuccess : kUnfinished;
}

}  // namespace weft::cli
