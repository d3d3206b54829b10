#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include "simcore/base/log.hpp"
#include "tools/cli/catalogue_commands.hpp"
#include "tools/cli/collective/collective_commands.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/estimate_command.hpp"
#include "tools/cli/explain/explain_command.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/report/report_command.hpp"
#include "tools/cli/sweep_commands.hpp"
#include "tools/cli/topo_command.hpp"
#include "tools/cli/unknown_words.hpp"
#include "tools/io/terminal.hpp"
#include "tools/live/display.hpp"

namespace {

constexpr const char* kAbout =
    "weft: a packet-level simulator for AI training fabrics.\n"
    "\n"
    "A scenario (YAML) describes racks, links, switches, transport and jobs; weft says how long "
    "the "
    "jobs take, where the tail comes from and which ports are to blame.\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  weft run scenarios/incast.yaml\n"
    "  weft run scenarios/incast.yaml --set jobs[0].size=4MiB --set fabric.spines=8 --seed 7\n"
    "  weft run scenarios/permutation.yaml --json | jq .messages.slowdown\n"
    "  weft run scenarios/incast.yaml --engine both\n"
    "  weft compare results/incast-32 results/incast-32-fluid\n"
    "  weft platform scenarios/incast.yaml --out incast.xml\n"
    "  weft topo scenarios/incast.yaml --output incast.svg\n"
    "  weft sweep scenarios/sweeps/dcqcn-ecn.yaml -j 8\n"
    "  weft check scenarios/incast.yaml\n"
    "  weft estimate scenario.yaml --set jobs[0].parallelism.tensor=4\n"
    "  weft list servers\n"
    "  weft show gb200-nvl72\n"
    "  weft bench-collective scenarios/all-reduce.yaml --op all-gather --sizes 64KiB..16MiB\n"
    "  weft schedule --op all-reduce --algorithm double-binary-tree --ranks 12 --check\n"
    "  weft schema > weft.schema.json\n"
    "\nExit codes: 0 done, 1 the simulation could not finish, 2 a bad scenario or command line.\n";

/// In whatever thread; there is nothing to be had for an exception or a message that is put
/// together.
[[noreturn]] void out_of_memory() {
  constexpr std::string_view kText =
      "weft: out of memory; make the scenario smaller, or raise --memory-limit if one is set\n";
  weft::live::leave_screen();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(weft::cli::kUnfinished);
}

int run_program(int argc, char** argv) {
  using namespace weft::cli;  // NOLINT: the program's own namespace
  CLI::App app(kAbout, "weft");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(kExamples);

  const std::map<std::string, Engine> engines{
      {"packet", Engine::kPacket}, {"fluid", Engine::kFluid}, {"both", Engine::kBoth}};
  RunArguments run_arguments;
  std::string log_level = "warn";
  std::string seed;
  std::string memory_limit;
  CLI::App* run = app.add_subcommand("run", "simulate a scenario and write its results");
  run->footer(
      "\nExamples:\n"
      "  weft run scenarios/incast.yaml --set jobs[0].size=4MiB --set fabric.spines=8 --seed 7\n"
      "  weft run scenarios/permutation.yaml --json | jq .messages.slowdown\n"
      "\nExit codes: 0 done, 1 the simulation could not finish, 2 a bad scenario or command "
      "line.\n");
  run->add_option("scenario", run_arguments.scenario, "scenario file")->required();
  run->add_option("--set", run_arguments.overrides,
                  "path=value: change one key of the scenario, such as fabric.ecn.kmin=400KB")
      ->allow_extra_args(false);
  run->add_option("--seed", seed, "the same as --set seed=N");
  CLI::Option* out_option = run->add_option(
      "-o,--out", run_arguments.out,
      "folder of the results (default results/<name>, with what --set changed behind the name)");
  run->add_option("--name", run_arguments.name, "of the folder in results/, instead of that")
      ->excludes(out_option);
  run->add_option(
         "--engine", run_arguments.engine,
         "packet: every packet; fluid: fair shares of rate, no queues, in a fraction of the "
         "time; both: two folders of results (the fluid's ends in -fluid), compared")
      ->transform(CLI::CheckedTransformer(engines).description("packet, fluid or both"));
  run->add_option("--threads", run_arguments.threads,
                  "threads of the packet engine (default: as many as gain, one per core at most); "
                  "the results are the same")
      ->check(CLI::Range(1, 1'024));
  run->add_option(
      "--memory-limit", memory_limit,
      "private memory that the run may take, such as 4GiB; one that is foreseen to need "
      "more is refused (default: what the machine has left)");
  run->add_flag("--isolated", run_arguments.is_isolated,
                "then run each job alone, too, and say how much slower it is beside the others");
  run->add_flag("--timeline", run_arguments.has_timeline,
                "write what ranks do when, for ui.perfetto.dev: timeline.perfetto-trace");
  run->add_flag("--blame", run_arguments.blames,
                "find out who is to blame for the time of each iteration (`weft explain`); runs "
                "twice, the second time with an eye on what the first one waited for");
  run->add_option("--without", run_arguments.without,
                  "take stragglers, congestion-control, pauses, slow-links, collisions, "
                  "link-failures or a job (job:NAME) out of the scenario, to see what they cost");
  run->add_flag("--json", run_arguments.print_json, "print summary.json instead of the tables");
  CLI::Option* quiet_option =
      run->add_flag("--quiet", run_arguments.is_quiet, "print nothing but errors");
  run->add_flag("--live", run_arguments.is_live,
                "show progress, step times, the hottest ports and tails while it runs: on a "
                "terminal a screen, elsewhere a line now and then")
      ->excludes(quiet_option);
  run->add_option("--log", log_level, "off, error, warn, info or debug");

  RunArguments check_arguments;
  CLI::App* check = app.add_subcommand(
      "check", "validate a scenario; say how its fabric is cut into cells for the simulation");
  check->footer("\nExample:\n  weft check scenarios/incast.yaml --set fabric.spines=8\n");
  check->add_option("scenario", check_arguments.scenario, "scenario file")->required();
  check->add_option("--set", check_arguments.overrides, "path=value, as in run")
      ->allow_extra_args(false);

  std::string first;
  std::string second;
  CLI::App* compare = app.add_subcommand(
      "compare", "two result folders side by side: job and message times, the worst first");
  compare->footer("\nExample:\n  weft compare results/incast-32 results/incast-32-fluid\n");
  compare->add_option("first", first, "folder that `weft run` wrote")->required();
  compare->add_option("second", second, "another; ratios are second over first")->required();

  RunArguments platform_arguments;
  CLI::App* platform = app.add_subcommand(
      "platform", "write a scenario's fabric as a SimGrid platform, for S4U and SMPI programs");
  platform->footer("\nExample:\n  weft platform scenarios/incast.yaml --out incast.xml\n");
  platform->add_option("scenario", platform_arguments.scenario, "scenario file")->required();
  platform->add_option("--set", platform_arguments.overrides, "path=value, as in run")
      ->allow_extra_args(false);
  platform->add_option("--out", platform_arguments.out, "file to write (default: standard output)");

  CLI::App* schema = app.add_subcommand("schema", "print the JSON Schema of scenario files");
  schema->footer("\nExample:\n  weft schema > weft.schema.json\n");
  bool is_sweep_schema = false;
  schema->add_flag("--sweep", is_sweep_schema, "that of sweep files instead");
  bool is_result_reference = false;
  schema
      ->add_flag(
          "--results", is_result_reference,
          "instead: what the files of a results folder hold, column by column and field by field")
      ->excludes("--sweep");

  EstimateCommand estimate_command(app);
  ExplainCommand explain_command(app);
  ReportCommand report_command(app);
  TopoCommand topo_command(app);
  CollectiveCommands collective_commands(app);
  SweepCommands sweep_commands(app);
  CatalogueCommands catalogue_commands(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // It quotes the command line.
    std::ostringstream out;
    std::ostringstream complaint;
    const bool is_help = app.exit(error, out, complaint) == 0;
    const std::string unknown = is_help ? std::string() : describe_unknown_words(app);
    weft::print(out.str());
    weft::print_error_text(unknown.empty() ? complaint.str() : unknown);
    return is_help ? kSuccess : kBadInput;
  }
  const auto level = weft::parse_log_level(log_level);
  if (!level) {
    weft::complain("--log: `" + log_level + "` is not one of off, error, warn, info, debug");
    return kBadInput;
  }
  weft::set_log_level(*level);
  catalogue_commands.use_catalogue();
  if (!seed.empty()) run_arguments.overrides.push_back("seed=" + seed);
  run_arguments.command_line.assign(argv, argv + argc);
  run_arguments.command_line.front() = "weft";

  if (!memory_limit.empty()) {
    run_arguments.memory_limit = read_limit<weft::Bytes>("--memory-limit", memory_limit);
    if (!run_arguments.memory_limit) return kBadInput;
  }

  if (run->parsed()) return run_scenario(run_arguments);
  if (check->parsed()) return check_scenario(check_arguments.scenario, check_arguments.overrides);
  if (compare->parsed()) return compare_results(first, second);
  if (platform->parsed()) {
    return write_platform(platform_arguments.scenario, platform_arguments.overrides,
                          platform_arguments.out);
  }
  if (schema->parsed() && is_result_reference) return print_result_reference();
  if (schema->parsed()) return is_sweep_schema ? print_sweep_schema() : print_schema();
  if (const auto code = estimate_command.run()) return *code;
  if (const auto code = explain_command.run()) return *code;
  if (const auto code = report_command.run()) return *code;
  if (const auto code = topo_command.run()) return *code;
  if (const auto code = collective_commands.run()) return *code;
  if (const auto code = sweep_commands.run()) return *code;
  if (const auto code = catalogue_commands.run()) return *code;
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(out_of_memory);
  // Who reads may go away: what is written to files is complete nevertheless.
  std::signal(SIGPIPE, SIG_IGN);
  int code = weft::cli::kUnfinished;
  try {
    code = run_program(argc, argv);
  } catch (const std::exception& error) {
    weft::complain(error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    weft::complain("standard output cannot be written");
    if (code == weft::cli::kSuccess) code = weft::cli::kUnfinished;
  }
  return code;
}
