#include "tools/cli/collective/collective_commands.hpp"

#include "collectives/algorithms/algorithms.hpp"
#include "tools/cli/collective/collective_options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"

namespace weft::cli {

namespace {

constexpr const char* kScheduleHelp =
    "\nExamples:\n"
    "  weft schedule --op all-reduce --algorithm ring --ranks 8 --rank 3\n"
    "  weft schedule --op all-gather --algorithm recursive-doubling --ranks 48 --check\n"
    "  weft schedule --algorithm hierarchical --ranks 64 --domain-size 8 --chunk 512KiB --check\n"
    "  weft schedule scenarios/all-reduce.yaml --rank 0\n"
    "\nData is named by block and bytes. The vector operations have one block; in an all-to-all, "
    "block\nsource * ranks + destination is what the one has for the other. Each channel, and "
    "each stage\nof its pipeline, runs by itself. --check runs all ranks on symbols: every rank "
    "must end with the right data, "
    "whatever the order\nof events, and reports the bytes that ranks move.\n"
    "\nExit codes: 0 printed or proved, 1 the schedule is wrong, 2 a bad scenario or command "
    "line.\n";

constexpr const char* kBenchHelp =
    "\nExamples:\n"
    "  weft bench-collective scenarios/all-reduce.yaml --op all-reduce --sizes 1KiB..16MiB\n"
    "  weft bench-collective scenarios/all-reduce.yaml --op all-gather --algorithm one-shot --csv\n"
    "  weft bench-collective scenarios/nccl-h100.yaml --algorithm nccl --against "
    "all_reduce_perf.txt\n"
    "\nOne run per size, on the ranks of the scenario's first collective (or --job); the "
    "scenario's other\njobs and its faults stay. An operation that is not the job's runs by the "
    "job's algorithm where that\ncan do it, else by `auto`. Sizes are those of nccl-tests: the "
    "larger of what a rank has before and\nafter the operation. time is that of the whole "
    "collective, from the first rank's begin to the last\nrank's end; algbw is size / time, busbw "
    "as nccl-tests' PERFORMANCE.md has it. What run would\nsay of loss, marks and pauses, and its "
    "warnings, stand below a size's row behind a #, with --csv on\nstandard error.\n"
    "\nOf a file with several tables --against takes the first, or the first of --op. Rows are "
    "checked\n(size / time is algbw), and what they say of ranks, operation and GPUs is held "
    "against the job.\n"
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
  CLI::Option* scenario = add_scenario(*schedule_, a.scenario)->required(false);
  add_overrides(*schedule_, a.overrides)->needs(scenario);
  schedule_->add_option("--job", a.job, "job of the scenario (default: its first collective)")
      ->type_name("NAME")
      ->needs(scenario);
  const auto without = [&](const char* name, auto& value, const char* doc) {
    return schedule_->add_option(name, value, doc)->excludes(scenario)->capture_default_str();
  };
  without("--op", a.operation, "what is done")->type_name(joined(collectives::operation_names()));
  without("--algorithm", a.algorithm, "how (default: the operation's)")
      ->type_name(joined(collectives::algorithm_names()));
  const auto number = [&](const char* name, auto& value, const char* doc, std::uint32_t min,
                          std::uint32_t max) {
    without(name, value, doc)->check(CLI::Range(min, max))->type_name("N");
  };
  number("--ranks", a.ranks, "number of ranks", 2, 65'535);
  without("--size", a.size, "bytes, as the size of a job")->type_name("SIZE");
  number("--channels", a.channels, "shares that run side by side", 1, 64);
  without("--chunk", a.chunk, "bytes per step and channel; 0B: undivided")->type_name("SIZE");
  number("--slices", a.slices, "messages per chunk", 1, 1024);
  number("--root", a.root, "rank that has or gets it all", 0, 65'535);
  number("--domain-size", a.domain_size, "consecutive ranks that share a scale-up domain", 1,
         65'535);
  schedule_->add_option("--rank", a.rank, "steps of this rank only")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  schedule_->add_option("--limit", a.limit, "steps to print, 0: all")
      ->type_name("N")
      ->capture_default_str();
  schedule_->add_flag("--check", a.is_check, "prove it instead of printing it");
  schedule_->add_flag("--json", a.is_json, "as JSON");
}

void CollectiveCommands::add_bench(CLI::App& app) {
  BenchArguments& a = options_->bench;
  bench_ = app.add_subcommand("bench-collective",
                              "time and bus bandwidth of a collective by size, as nccl-tests");
  bench_->footer(kBenchHelp);
  add_scenario(*bench_, a.scenario);
  add_overrides(*bench_, a.overrides);
  bench_->add_option("--job", a.job, "job whose ranks, algorithm and execution to use")
      ->type_name("NAME");
  bench_->add_option("--op", a.operation, "what is done (default: what was measured, or the job's)")
      ->type_name(joined(collectives::operation_names()));
  bench_
      ->add_option(
          "--sizes", a.sizes,
          "first..last, or a list with commas; 1024 is 1KiB and 1M is 1MiB, as in nccl-tests")
      ->type_name("SIZES")
      ->capture_default_str();
  bench_->add_option("--factor", a.factor, "between sizes of a range")
      ->check(CLI::Range(2, 1024))
      ->type_name("N")
      ->capture_default_str();
  bench_->add_option("--algorithm", a.algorithm, "instead of the job's")
      ->type_name(joined(collectives::algorithm_names()));
  bench_
      ->add_option("--against", a.against,
                   "what nccl-tests printed on a machine: its sizes, or those of --sizes among "
                   "them, are run, and stand beside what was measured, with the error; - reads "
                   "standard input")
      ->type_name(kFile);
  bench_->add_flag("--csv", a.is_csv, "as CSV");
}

std::optional<int> CollectiveCommands::run() {
  if (schedule_->parsed()) {
    if (options_->schedule.is_check) {
      no_effect(*schedule_, "--limit", "beside --check, which prints no steps");
      no_effect(*schedule_, "--rank", "beside --check, which is about all ranks");
    }
    return print_schedule(options_->schedule);
  }
  if (bench_->parsed()) {
    if (options_->bench.sizes.find("..") == std::string::npos) {
      no_effect(*bench_, "--factor", "on a list of sizes");
    }
    options_->bench.has_operation = bench_->count("--op") > 0;
    options_->bench.has_sizes = bench_->count("--sizes") > 0;
    if (!options_->bench.against.empty()) no_effect(*bench_, "--factor", "beside --against");
    return bench_collective(options_->bench);
  }
  return {};
}

}  // namespace weft::cli
