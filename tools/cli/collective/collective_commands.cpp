#include "tools/cli/collective/collective_commands.hpp"

#include "tools/cli/collective/collective_options.hpp"

namespace weft::cli {

namespace {

constexpr const char* kScheduleHelp =
    "\nExamples:\n"
    "  weft schedule --op all-reduce --algorithm ring --ranks 8 --rank 3\n"
    "  weft schedule --op all-gather --algorithm recursive-doubling --ranks 48 --check\n"
    "  weft schedule --algorithm hierarchical --ranks 64 --domain-size 8 --chunk 512KiB --check\n"
    "  weft schedule scenarios/all-reduce.yaml --rank 0\n"
    "\nData is named by block and bytes. The vector operations have one block; in an all-to-all, "
    "block\nsource * ranks + destination is what the one has for the other. The lanes of a rank "
    "run "
    "side by\nside. --check runs all ranks on symbols: every rank must end with the right data, "
    "whatever the order\nof events, and reports the bytes that ranks move.\n"
    "\nExit codes: 0 printed or proved, 1 the schedule is wrong, 2 a bad scenario or command "
    "line.\n";

constexpr const char* kBenchHelp =
    "\nExamples:\n"
    "  weft bench-collective scenarios/all-reduce.yaml --op all-reduce --sizes 1KiB..16MiB\n"
    "  weft bench-collective scenarios/all-reduce.yaml --op all-gather --algorithm one-shot --csv\n"
    "\nOne run per size, on the ranks of the scenario's first collective (or --job); the "
    "scenario's "
    "other\njobs and its faults stay. Sizes are those of nccl-tests: the larger of what a rank has "
    "before and\nafter the operation. time is that of the whole collective, from the first rank's "
    "begin to the last\nrank's end; algbw is size / time, busbw as nccl-tests' PERFORMANCE.md has "
    "it. What run would\nsay of loss, marks and pauses, and its warnings, stand below a size's row "
    "behind a #, with --csv on\nstandard error.\n"
    "\nExit codes: 0 done, 1 a run did not finish, 2 a bad scenario or command line.\n";

}  // namespace

struct CollectiveCommands::Options {
  ScheduleArguments schedule;
  BenchArguments bench;
};

CollectiveCommands::CollectiveCommands(CLI::App& app) : options_(std::make_unique<Options>()) {
  add_schedule(app);
  add_bench(app);
}

CollectiveCommands::~CollectiveCommands() = default;

void CollectiveCommands::add_schedule(CLI::App& app) {
  ScheduleArguments& a = options_->schedule;
  schedule_ =
      app.add_subcommand("schedule", "print the steps of a collective, or prove them right");
  schedule_->footer(kScheduleHelp);
  CLI::Option* scenario = schedule_->add_option("scenario", a.scenario, "scenario file");
  schedule_->add_option("--set", a.overrides, "path=value, as in run")
      ->allow_extra_args(false)
      ->needs(scenario);
  schedule_->add_option("--job", a.job, "job of the scenario (default: its first collective)")
      ->needs(scenario);
  const auto without = [&](const char* name, auto& value, const char* doc) {
    return schedule_->add_option(name, value, doc)->excludes(scenario)->capture_default_str();
  };
  without("--op", a.operation, "operation, such as all-reduce");
  without("--algorithm", a.algorithm, "algorithm, such as ring");
  without("--ranks", a.ranks, "number of ranks")->check(CLI::Range(2, 65'535));
  without("--size", a.size, "bytes, as the size of a job");
  without("--channels", a.channels, "shares that run side by side")->check(CLI::Range(1, 64));
  without("--chunk", a.chunk, "bytes per step and channel; 0B: undivided");
  without("--slices", a.slices, "messages per chunk")->check(CLI::Range(1, 1024));
  without("--root", a.root, "rank that has or gets it all");
  without("--domain-size", a.domain_size, "consecutive ranks that share a scale-up domain")
      ->check(CLI::Range(1, 65'535));
  schedule_->add_option("--rank", a.rank, "steps of this rank only")->check(CLI::NonNegativeNumber);
  schedule_->add_option("--limit", a.limit, "steps to print, 0: all")->capture_default_str();
  schedule_->add_flag("--check", a.is_check, "prove it instead of printing it");
  schedule_->add_flag("--json", a.is_json, "as JSON");
}

void CollectiveCommands::add_bench(CLI::App& app) {
  BenchArguments& a = options_->bench;
  bench_ = app.add_subcommand("bench-collective",
                              "time and bus bandwidth of a collective by size, as nccl-tests");
  bench_->footer(kBenchHelp);
  bench_->add_option("scenario", a.scenario, "scenario file")->required();
  bench_->add_option("--set", a.overrides, "path=value, as in run")->allow_extra_args(false);
  bench_->add_option("--job", a.job, "job whose ranks and execution to use");
  bench_->add_option("--op", a.operation, "operation, such as all-reduce")->capture_default_str();
  bench_->add_option("--sizes", a.sizes, "first..last, or a list with commas")
      ->capture_default_str();
  bench_->add_option("--factor", a.factor, "between sizes of a range")
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
  bench_->add_option("--algorithm", a.algorithm, "instead of the job's");
  bench_->add_flag("--csv", a.is_csv, "as CSV");
}

std::optional<int> CollectiveCommands::run() {
  if (schedule_->parsed()) return print_schedule(options_->schedule);
  if (bench_->parsed()) return bench_collective(options_->bench);
  return {};
}

}  // namespace weft::cli
