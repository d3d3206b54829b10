#include "tools/cli/run/run_command.hpp"

#include "simcore/base/log.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kRunHelp =
    "\nExamples:\n"
    "  weft run scenarios/incast.yaml --set 'jobs[0].size=4MiB' --set fabric.spines=8 --seed 7\n"
    "  weft run scenarios/permutation.yaml --json | jq .messages.slowdown\n"
    "  weft run scenarios/incast.yaml --expect 'jobs.incast.jct_seconds < 3ms' --expect "
    "'network.packets_dropped == 0'\n"
    "\nKeys for --set: `weft help KEY`, such as `weft help fabric.ecn.kmin`.\n"
    "\nExit codes: 0 done, 1 the simulation could not finish or an expectation does not hold, 2 a "
    "bad "
    "scenario or\ncommand line.\n";

}  // namespace

RunCommand::RunCommand(CLI::App& app)
    : run_(app.add_subcommand("run", "simulate a scenario and write its results")) {
  run_->footer(kRunHelp);
  add_scenario(*run_, arguments_.scenario);
  add_overrides(*run_, arguments_.overrides,
                "change one key of the scenario, such as fabric.ecn.kmin=400KB or, in quotes for "
                "the shell, 'jobs[0].size=4MiB'");
  run_->add_option("--seed", seed_, "the same as --set seed=N")->type_name("N");
  add_places();
  add_what_runs();
  add_expectations(*run_, arguments_.expect.expressions, arguments_.expect.counts_cut_off);
  run_->add_flag("--json", arguments_.print_json, "print summary.json instead of the tables");
  CLI::Option* quiet = run_->add_flag("--quiet", arguments_.is_quiet, "print nothing but errors");
  run_->add_flag("--live", arguments_.is_live,
                 "show progress, step times, the hottest ports and tails while it runs: on a "
                 "terminal a screen, elsewhere a line now and then")
      ->excludes(quiet);
  const std::vector<std::string> levels{"off", "error", "warn", "info", "debug"};
  run_->add_option("--log", log_level_, "what is said besides on standard error")
      ->check(one_of(levels))
      ->type_name(joined(levels));
}

void RunCommand::add_places() {
  CLI::Option* out =
      run_->add_option("-o,--out", arguments_.out,
                       "folder of the results (default results/<name>, with what --set changed "
                       "behind the name)")
          ->type_name(kFolder);
  run_->add_option("--name", arguments_.name,
                   "of the folder in results/, instead of that; the fluid engine adds -fluid")
      ->type_name("NAME")
      ->excludes(out);
}

void RunCommand::add_what_runs() {
  add_choice<Engine>(
      *run_, "--engine", arguments_.engine,
      {{"packet", Engine::kPacket}, {"fluid", Engine::kFluid}, {"both", Engine::kBoth}},
      "packet: every packet; fluid: fair shares of rate, no queues, in a fraction of the "
      "time; both: two folders of results (the fluid's ends in -fluid), compared");
  run_->add_option("--threads", arguments_.threads,
                   "threads of the packet engine (default: as many as gain, one per core at most); "
                   "the results are the same")
      ->check(CLI::Range(1, 1'024))
      ->type_name("N");
  run_->add_option(
          "--memory-limit", memory_limit_,
          "private memory that the run may take, such as 4GiB; one that is predicted to need "
          "more is refused (default: what the machine has left)")
      ->type_name("SIZE");
  run_->add_flag("--isolated", arguments_.is_isolated,
                 "then run each job alone, too, and say how much slower it is beside the others");
  run_->add_flag("--timeline", arguments_.has_timeline,
                 "write what ranks do when, for ui.perfetto.dev: timeline.perfetto-trace");
  run_->add_flag("--blame", arguments_.blames,
                 "find out who is to blame for the time of each iteration (`weft explain`); runs "
                 "twice, the second time with an eye on what the first one waited for");
  run_->add_option(
          "--without", arguments_.without,
          "take slow-links, link-failures, bit-errors, nic-pauses, stragglers, jitter, "
          "changed-settings, congestion-control, pauses, collisions or a job (job:NAME) out of the "
          "scenario, to see what they cost; several with commas between")
      ->type_name("CAUSE");
}

void RunCommand::say_what_has_no_effect() const {
  if (arguments_.engine == Engine::kFluid) {
    no_effect(*run_, "--threads", "beside --engine fluid, which has one");
    no_effect(*run_, "--memory-limit", "beside --engine fluid, which is not forecast");
  }
  if (arguments_.print_json) no_effect(*run_, "--quiet", "beside --json");
}

std::optional<int> RunCommand::run(const std::vector<std::string>& command_line) {
  if (!run_->parsed()) return std::nullopt;
  if (!is_folder("--out", arguments_.out)) return kBadInput;
  set_log_level(*parse_log_level(log_level_));
  if (!seed_.empty()) arguments_.overrides.push_back("seed=" + seed_);
  arguments_.command_line = command_line;
  if (!memory_limit_.empty()) {
    arguments_.memory_limit = read_limit<Bytes>("--memory-limit", memory_limit_);
    if (!arguments_.memory_limit) return kBadInput;
  }
  say_what_has_no_effect();
  if (arguments_.engine == Engine::kBoth && !arguments_.expect.expressions.empty()) {
    complain("--expect asks one run, and --engine both makes two; `weft compare` asks both");
    return kBadInput;
  }
  return run_scenario(arguments_);
}

}  // namespace weft::cli
