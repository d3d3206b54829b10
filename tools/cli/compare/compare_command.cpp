#include "tools/cli/compare/compare_command.hpp"

#include "tools/cli/words.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {

CompareCommand::CompareCommand(CLI::App& app)
    : compare_(app.add_subcommand("compare", "what differs between runs, in the scenarios first")) {
  compare_->footer(
      "\nExamples:\n"
      "  weft compare results/incast-32 results/incast-32-fluid\n"
      "  weft compare results/before results/after results/other --json\n"
      "  weft compare results/before results/after --expect 'b.jobs.incast.jct_seconds <= 1.02 * "
      "a.jobs.incast.jct_seconds'\n"
      "\nKeys of the scenarios, completion times and steps, tails of messages, pauses, marks, "
      "drops, "
      "ports,\nand with `weft run --blame` critical paths, each where the runs differ. Ratios are "
      "to "
      "the first.\n"
      "\nExpectations: names are those of summary.json, with a. for the first folder, b. for the "
      "second and so on;\nwithout such a letter every run is asked. Exit codes: 0 all hold, 1 one "
      "does not, 2 bad folders or a bad\ncommand line.\n");
  compare_->add_option("folders", folders_, "folders that `weft run` wrote, two or more")
      ->type_name(kFolder)
      ->required();
  add_expectations(*compare_, expect_.expressions, expect_.counts_cut_off);
  compare_->add_flag("--json", print_json_, "print JSON");
}

std::optional<int> CompareCommand::run() const {
  if (!compare_->parsed()) return std::nullopt;
  if (folders_.size() < 2) {
    complain("compare needs two folders or more");
    return kBadInput;
  }
  return compare_results(folders_, print_json_, expect_);
}

}  // namespace weft::cli
