#include "tools/cli/command_line.hpp"

#include <optional>
#include <sstream>

#include "simcore/base/escape.hpp"
#include "tools/cli/begin/new_command.hpp"
#include "tools/cli/catalogue_commands.hpp"
#include "tools/cli/collective/collective_commands.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/compare/compare_command.hpp"
#include "tools/cli/deploy/deploy_command.hpp"
#include "tools/cli/diagnose/diagnose_commands.hpp"
#include "tools/cli/explain/explain_command.hpp"
#include "tools/cli/import/import_command.hpp"
#include "tools/cli/manual/manual_commands.hpp"
#include "tools/cli/report/report_command.hpp"
#include "tools/cli/run/run_command.hpp"
#include "tools/cli/scenario/estimate_command.hpp"
#include "tools/cli/scenario/scenario_commands.hpp"
#include "tools/cli/scenario/topo_command.hpp"
#include "tools/cli/sweep_commands.hpp"
#include "tools/cli/unknown_words.hpp"
#include "tools/cli/validate/validate_command.hpp"
#include "tools/cli/version.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kAbout =
    "weft: a packet-level simulator for AI training fabrics.\n"
    "\n"
    "A scenario (YAML) describes racks, links, switches, transport and jobs; weft says how long "
    "the jobs\ntake, where the tail comes from and which ports are to blame.\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  weft new -o first.yaml\n"
    "  weft run scenarios/incast.yaml\n"
    "\n`weft COMMAND --help` has the options of a command and examples, `weft help KEY` what a key "
    "of\nscenarios means. Exit codes: 0 done, 1 the simulation could not finish, 2 a bad scenario "
    "or command line.\n";

/// A complaint has several lines, and words of the command line in it may have, too.
std::string with_words_escaped(std::string complaint, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string shown = escaped(word);
    if (shown == word) continue;
    for (std::size_t at = 0; (at = complaint.find(word, at)) != std::string::npos;) {
      complaint.replace(at, word.size(), shown);
      at += shown.size();
    }
  }
  return complaint;
}

}  // namespace

/// In the order in which help lists them.
struct CommandLine::Commands {
  explicit Commands(CLI::App& app)
      : begin(app),
        import(app),
        run(app),
        scenario(app),
        estimate(app),
        validate(app),
        explain(app),
        compare(app),
        report(app),
        topo(app),
        collectives(app),
        deploy(app),
        diagnose(app),
        sweeps(app),
        catalogue(app),
        manual(app) {}

  NewCommand begin;
  ImportCommand import;
  RunCommand run;
  ScenarioCommands scenario;
  EstimateCommand estimate;
  ValidateCommand validate;
  ExplainCommand explain;
  CompareCommand compare;
  ReportCommand report;
  TopoCommand topo;
  CollectiveCommands collectives;
  DeployCommand deploy;
  DiagnoseCommands diagnose;
  SweepCommands sweeps;
  CatalogueCommands catalogue;
  ManualCommands manual;
};

CommandLine::CommandLine() : app_(kAbout, "weft") {
  app_.set_version_flag("--version", version_text());
  app_.require_subcommand(1);
  app_.footer(kExamples);
  commands_ = std::make_unique<Commands>(app_);
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // It quotes the command line.
    std::ostringstream out;
    std::ostringstream complaint;
    const bool is_help = app_.exit(error, out, complaint) == 0;
    const std::string unknown = is_help ? std::string() : describe_unknown_words(app_);
    print(out.str());
    print_error_text(unknown.empty() ? with_words_escaped(complaint.str(), argc, argv) : unknown);
    return is_help ? kSuccess : kBadInput;
  }
  std::vector<std::string> words(argv, argv + argc);
  words.front() = "weft";
  return dispatch(words);
}

int CommandLine::dispatch(const std::vector<std::string>& command_line) {
  Commands& c = *commands_;
  c.catalogue.use_catalogue();
  if (const auto code = c.begin.run()) return *code;
  if (const auto code = c.import.run()) return *code;
  if (const auto code = c.run.run(command_line)) return *code;
  if (const auto code = c.scenario.run()) return *code;
  if (const auto code = c.estimate.run()) return *code;
  if (const auto code = c.validate.run()) return *code;
  if (const auto code = c.explain.run()) return *code;
  if (const auto code = c.compare.run()) return *code;
  if (const auto code = c.report.run()) return *code;
  if (const auto code = c.topo.run()) return *code;
  if (const auto code = c.collectives.run()) return *code;
  if (const auto code = c.deploy.run()) return *code;
  if (const auto code = c.diagnose.run()) return *code;
  if (const auto code = c.sweeps.run()) return *code;
  if (const auto code = c.catalogue.run()) return *code;
  if (const auto code = c.manual.run()) return *code;
  return kBadInput;
}

}  // namespace weft::cli
