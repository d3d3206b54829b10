#include "tools/cli/sweep_commands.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/json_text.hpp"
#include "simcore/base/escape.hpp"
#include "simcore/base/log.hpp"
#include "simcore/base/units.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"
#include "tools/sweep/language/expression.hpp"
#include "tools/sweep/language/load_sweep.hpp"
#include "tools/sweep/plan/points.hpp"
#include "tools/sweep/report/export.hpp"
#include "tools/sweep/report/plot.hpp"
#include "tools/sweep/report/summarize.hpp"
#include "tools/sweep/report/table.hpp"
#include "tools/sweep/report/where.hpp"
#include "tools/sweep/run/run_sweep.hpp"

namespace weft::cli {
namespace {

constexpr const char* kSweepHelp =
    "\nExamples:\n"
    "  weft sweep scenarios/sweeps/dcqcn-ecn.yaml --dry-run\n"
    "  weft sweep scenarios/sweeps/dcqcn-ecn.yaml -j 8 --time-limit 60s --memory-limit 4GiB\n"
    "  weft sweep scenarios/sweeps/dcqcn-ecn.yaml --set sweep.seeds=5 --set fabric.spines=8\n"
    "  mpirun -n 33 weft sweep scenarios/sweeps/dcqcn-ecn.yaml       one coordinator, 32 workers\n"
    "\nThe same command continues where an earlier one ended. MPI: the folder of the results is "
    "written by\nrank 0 alone; all machines must see the scenario files. Open MPI wants "
    "--allow-run-as-root if you\nare root, and --oversubscribe for more ranks than cores. When a "
    "rank dies the job ends: start it\nagain, it resumes.\n"
    "\nExit codes: 0 every point finished, 1 some did not or the sweep was interrupted, 2 a bad "
    "sweep,\nscenario or command line.\n";

/// Names of axes and results come from the sweep: they name a file in this folder, and nothing
/// else.
std::string file_name(const std::string& text) {
  std::string name = escaped(text);
  std::ranges::replace(name, '/', '_');
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

void add_where(CLI::App& command, std::string& where) {
  command
      .add_option("--where", where,
                  "only points for which this holds, such as 'kmin < 400KB and fc == pfc'")
      ->type_name("CONDITION");
}

void warn_of_former_names(const sweep::Table& table, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string why = table.former_name_warning(name); !why.empty()) log_warn(why);
  }
}

/// A sweep's points, those of `where` if it says anything. `results` are names that a user gave.
Result<sweep::Table> read_points(const std::string& database, const std::string& where,
                                 const std::vector<std::string>& results) {
  auto table = sweep::read_table(database);
  if (!table.ok()) return table;
  warn_of_former_names(table.value(), results);
  if (where.empty()) return table;
  const auto parsed = sweep::Expression::parse(where);
  if (const auto* condition = std::get_if<sweep::Expression>(&parsed)) {
    warn_of_former_names(table.value(), condition->names());
  }
  return sweep::points_where(std::move(table).value(), where);
}

}  // namespace

struct SweepCommands::Options {
  sweep::RunArguments run;
  std::string time_limit;
  std::string memory_limit;
  bool isolated = false;
  bool resume = false;
  std::string file;
  std::string out;

  std::string database;
  std::string where;
  bool csv = false;
  bool json = false;
  std::optional<std::int64_t> scenario_of;
  bool ranks_cut_off = false;
  sweep::SummaryOptions summary;
  sweep::PlotOptions plot;
};

SweepCommands::SweepCommands(CLI::App& app) : options_(std::make_unique<Options>()) {
  add_sweep(app);
  add_export(app);
  add_summarize(app);
  add_plot(app);
}

SweepCommands::~SweepCommands() = default;

void SweepCommands::add_sweep(CLI::App& app) {
  Options& o = *options_;
  sweep_ = app.add_subcommand("sweep", "run a scenario many times with different values");
  sweep_->footer(kSweepHelp);
  sweep_->add_option("sweep", o.file, "sweep file; - reads standard input")
      ->type_name(kFile)
      ->required();
  add_overrides(*sweep_, o.run.overrides, "change the scenario, or with sweep.KEY=VALUE the sweep");
  sweep_->add_flag("--isolated", o.isolated,
                   "run each job of a point alone, too: how much slower it is beside the others is "
                   "among the results; the same as --set sweep.isolated=true");
  sweep_->add_option("-j", o.run.processes, "processes on this machine (default: one per core)")
      ->check(CLI::Range(1, 4'096))
      ->type_name("N");
  CLI::Option* out = sweep_->add_option(
      "-o,--out", o.out,
      "folder of the database (default results/<name>, with what --set changed behind the name)");
  out->type_name(kFolder);
  sweep_->add_option("--name", o.run.name, "of the folder in results/, instead of that")
      ->type_name("NAME")
      ->excludes(out);
  sweep_->add_option("--time-limit", o.time_limit, "wall time of a point, such as 60s")
      ->type_name("TIME");
  sweep_->add_option("--memory-limit", o.memory_limit, "private memory of a point, such as 4GiB")
      ->type_name("SIZE");
  sweep_->add_flag("--dry-run", o.run.is_dry_run,
                   "list the points; run a few of them to estimate the time of all");
  CLI::Option* resume = sweep_->add_flag(
      "--resume", o.resume, "continue with what is missing; the default where there is a database");
  sweep_->add_flag("--retry-failed", o.run.retry_failed,
                   "when resuming, run again what failed (crashes, limits)");
  sweep_
      ->add_flag("--force-new", o.run.must_be_new,
                 "start again; an existing database is kept as sweep.1.db, sweep.2.db ...")
      ->excludes(resume);
  CLI::Option* quiet = sweep_->add_flag("--quiet", o.run.is_quiet, "print nothing but errors");
  sweep_
      ->add_flag("--live", o.run.is_live,
                 "show how far it is, the best of each objective and the points that ended last "
                 "while it runs: on a terminal a screen, elsewhere a line now and then")
      ->excludes(quiet);
}

void SweepCommands::add_export(CLI::App& app) {
  Options& o = *options_;
  export_ = app.add_subcommand("export", "print the points of a sweep with all their results");
  export_->footer("\nExample:\n  weft export results/dcqcn-ecn > points.csv\n");
  export_->add_option("database", o.database, "database of a sweep, or its folder")
      ->type_name(kFile)
      ->required();
  CLI::Option* csv = export_->add_flag("--csv", o.csv, "as CSV (the default)");
  export_->add_flag("--json", o.json, "as JSON")->excludes(csv);
  export_
      ->add_option("--scenario", o.scenario_of,
                   "the scenario of this point instead, for `weft run`")
      ->type_name("POINT");
  export_->add_option("-o,--out", o.out, "file to write (default: standard output)")
      ->type_name(kFile);
}

void SweepCommands::add_summarize(CLI::App& app) {
  Options& o = *options_;
  summarize_ = app.add_subcommand(
      "summarize", "best and worst points, main effects, confidence intervals, Pareto front");
  summarize_->footer(
      "\nExamples:\n"
      "  weft summarize results/dcqcn-ecn\n"
      "  weft summarize results/dcqcn-ecn --where 'kmin < 400KB' --objective probe_p99\n");
  summarize_->add_option("database", o.database, "database of a sweep, or its folder")
      ->type_name(kFile)
      ->required();
  summarize_
      ->add_option("--objective", o.summary.objectives,
                   "a result instead of the sweep's objectives")
      ->type_name("RESULT")
      ->allow_extra_args(false);
  add_where(*summarize_, o.where);
  summarize_->add_flag("--cut-off", o.ranks_cut_off,
                       "rank also percentiles of runs that were cut off before all messages were "
                       "completed");
  summarize_->add_option("--pareto", o.summary.pareto, "two results (default: the first two)")
      ->type_name("RESULT")
      ->expected(2);
  summarize_->add_option("--top", o.summary.shown, "best and worst points shown")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  summarize_->add_flag("--json", o.json, "print JSON, with every configuration");
}

void SweepCommands::add_plot(CLI::App& app) {
  Options& o = *options_;
  plot_ = app.add_subcommand("plot", "draw a result against an axis, as SVG and PNG");
  plot_->footer(
      "\nExamples:\n"
      "  weft plot results/dcqcn-ecn --x kmin --y incast_p99\n"
      "  weft plot results/dcqcn-ecn --x kmin --y incast_p99 --by kmax --heatmap -o ecn\n"
      "  weft plot results/dcqcn-ecn --x kmin --y incast_p99 --where 'kmax == 1MB'\n");
  plot_->add_option("database", o.database, "database of a sweep, or its folder")
      ->type_name(kFile)
      ->required();
  plot_->add_option("--x", o.plot.x, "an axis of the sweep")->type_name("AXIS")->required();
  plot_->add_option("--y", o.plot.y, "an objective or any result")->type_name("RESULT")->required();
  plot_->add_option("--by", o.plot.by, "an axis: a line for each value")->type_name("AXIS");
  add_where(*plot_, o.where);
  plot_->add_flag("--heatmap", o.plot.is_heatmap, "colours over --x and --by");
  plot_
      ->add_option(
          "-o,--out", o.out,
          "files to write, without .svg and .png (default: Y-by-X); -: the SVG to standard output")
      ->type_name(kFile);
}

std::optional<int> SweepCommands::run() {
  if (sweep_->parsed()) return run_sweep();
  if (export_->parsed()) return run_export();
  if (summarize_->parsed()) return run_summarize();
  if (plot_->parsed()) return run_plot();
  return std::nullopt;
}

int SweepCommands::run_sweep() {
  Options& o = *options_;
  if (!is_folder("--out", o.out)) return kBadInput;
  o.run.file = o.file;
  o.run.out = o.out;
  o.run.must_exist = o.resume;
  if (o.isolated) o.run.overrides.emplace_back("sweep.isolated=true");
  if (std::string problem =
          o.run.name.empty() ? std::string() : scenarios::language::name_problem(o.run.name);
      !problem.empty()) {
    complain("--name: " + problem);
    return kBadInput;
  }
  if (!o.time_limit.empty()) {
    const auto count = read_limit<Picoseconds>("--time-limit", o.time_limit);
    if (!count) return kBadInput;
    o.run.limits.time = std::chrono::nanoseconds(*count / 1'000 + 1);
  }
  if (!o.memory_limit.empty()) {
    o.run.limits.memory = read_limit<Bytes>("--memory-limit", o.memory_limit);
    if (!o.run.limits.memory) return kBadInput;
  }
  stop_on_interrupt();
  o.run.is_interrupted = [] { return is_interrupted(); };
  return sweep::run_sweep(o.run);
}

int SweepCommands::run_export() {
  const Options& o = *options_;
  if (o.scenario_of) {
    const auto scenario = sweep::point_scenario(o.database, *o.scenario_of);
    return scenario.ok() ? put(scenario.value(), o.out, kBadInput) : refuse(scenario.errors());
  }
  const auto table = sweep::read_table(o.database);
  if (!table.ok()) return refuse(table.errors());
  return put(o.json ? export_json(table.value()) : export_csv(table.value()), o.out, kBadInput);
}

int SweepCommands::run_summarize() {
  const Options& o = *options_;
  std::vector<std::string> results = o.summary.objectives;
  results.insert(results.end(), o.summary.pareto.begin(), o.summary.pareto.end());
  auto table = read_points(o.database, o.where, results);
  if (!table.ok()) return refuse(table.errors());
  table.value().ranks_cut_off = o.ranks_cut_off;
  if (o.json) {
    const auto json = sweep::summary_json(table.value(), o.summary);
    return json.ok() ? put(scenarios::json_text(json.value()) + "\n") : refuse(json.errors());
  }
  const auto text = sweep::summary_text(table.value(), o.summary);
  return text.ok() ? put(text.value()) : refuse(text.errors());
}

int SweepCommands::run_plot() {
  const Options& o = *options_;
  const auto table = read_points(o.database, o.where, {o.plot.y});
  if (!table.ok()) return refuse(table.errors());
  const auto commands = sweep::plot_commands(table.value(), o.plot);
  if (!commands.ok()) return refuse(commands.errors());
  const std::string base = o.out.empty() ? file_name(o.plot.y + "-by-" + o.plot.x) : o.out;
  if (const Errors errors = sweep::draw(commands.value(), base); !errors.empty()) {
    return refuse(errors);
  }
  if (!is_dash(base)) print(base + ".svg\n" + base + ".png\n");
  return kSuccess;
}

int print_sweep_schema(const std::string& out) {
  const auto schema = sweep::sweep_json_schema();
  if (!schema.ok()) return refuse(schema.errors());
  return put(scenarios::schema_text(schema.value()), out);
}

int check_sweep(const std::string& path, const std::vector<std::string>& overrides) {
  const auto sweep = sweep::load_sweep(path, overrides);
  if (!sweep.ok()) return refuse(sweep.errors());
  const auto plan = sweep::make_plan(sweep.value());
  if (!plan.ok()) return refuse(plan.errors());
  const sweep::Plan& p = plan.value();
  std::string text = sweep.value().name + " is a valid sweep\n  ";
  if (p.groups.empty()) {
    text += scenarios::counted(static_cast<std::int64_t>(p.size()), "point");
  } else {
    text += scenarios::counted(std::ssize(p.groups), "bisection");
  }
  if (p.dropped > 0) {
    text += ", " + scenarios::counted(static_cast<std::int64_t>(p.dropped), "combination") +
            " dropped by constraints";
  }
  print(text + "\n  `weft sweep " + path + " --dry-run` lists them and says how long they take\n");
  return kSuccess;
}

}  // namespace weft::cli
