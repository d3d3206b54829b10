#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/costs/choose.hpp"
#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/jobs/job.hpp"
#include "collectives/spec/data_type.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/collective/against.hpp"
#include "tools/cli/collective/bench_tables.hpp"
#include "tools/cli/collective/collective_options.hpp"
#include "tools/cli/collective/load_for_collective.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/progress.hpp"
#include "tools/diagnose/model/simulator.hpp"
#include "tools/evidence/nccl_tests/row.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::Execution;
using collectives::Operation;

/// Both ends of a range, or a list.
struct AskedSizes {
  bool is_range = false;
  std::vector<Bytes> sizes;
};

std::optional<AskedSizes> read_sizes(const BenchArguments& a) {
  AskedSizes asked;
  const std::size_t dots = a.sizes.find("..");
  asked.is_range = dots != std::string::npos;
  for (std::size_t begin = 0; begin <= a.sizes.size();) {
    const std::size_t end =
        std::min(asked.is_range && begin == 0 ? dots : a.sizes.find(',', begin), a.sizes.size());
    const auto size = read_bytes("--sizes", a.sizes.substr(begin, end - begin));
    if (!size) return {};
    if (*size < 1_B) {
      complain("--sizes: sizes are at least 1B");
      return {};
    }
    asked.sizes.push_back(*size);
    begin = end + (end == dots ? 2 : 1);
  }
  if (asked.is_range && (asked.sizes.size() != 2 || asked.sizes[1] < asked.sizes[0])) {
    complain(fmt::format("--sizes: `{}` is no range of sizes", a.sizes));
    return {};
  }
  return asked;
}

std::optional<std::vector<Bytes>> sizes_of(const BenchArguments& a) {
  auto asked = read_sizes(a);
  if (!asked) return {};
  if (!asked->is_range) return std::move(asked->sizes);
  std::vector<Bytes> sizes;
  for (Bytes size = asked->sizes[0]; size <= asked->sizes[1]; size = size * a.factor) {
    sizes.push_back(size);
  }
  return sizes;
}

/// What `weft run` would say besides of the run of a size: below its row as comments of nccl-tests,
/// or on standard error beside a CSV. Warnings that an earlier size had are not repeated.
void print_remarks(const scenarios::Results& r, Bytes size, bool is_csv,
                   std::set<std::string>& warned) {
  const std::string start = is_csv ? fmt::format("weft: {} bytes: ", size.count()) : "#   ";
  const auto remark = [&](const std::string& text) {
    (is_csv ? print_error_text : print)(start + text + "\n");
  };
  std::istringstream lines(scenarios::trouble_text(r));
  for (std::string line; std::getline(lines >> std::ws, line);) {
    remark(line);
  }
  for (const std::string& warning : r.warnings) {
    if (!warned.insert(warning).second) continue;
    remark("warning: " + escaped(warning));
  }
  std::fflush(stdout);
}

void print_unfinished(const scenarios::Results& r, Bytes size) {
  for (const std::string& sentence : r.explanation) complain(escaped(sentence));
  complain(fmt::format("the run of {} bytes did not finish", size.count()));
}

/// Errors of the algorithm belong to the option, where that is given, and not to the file.
void print_build_errors(const BenchArguments& a, std::size_t job, const Errors& errors,
                        const scenarios::LoadedScenario& loaded) {
  Errors others;
  for (const Error& e : errors) {
    if (!a.algorithm.empty() && e.where.key == fmt::format("jobs[{}].algorithm", job)) {
      complain("--algorithm: " + e.message);
    } else {
      others.push_back(e);
    }
  }
  if (!others.empty()) print_errors(loaded.located(others));
}

/// `--algorithm`, and NCCL's execution with NCCL's choice.
bool set_algorithm(const BenchArguments& a, const scenarios::JobSpec& job, std::uint32_t number,
                   CollectiveSpec& spec, std::vector<std::string>& remarks) {
  if (a.algorithm.empty()) return true;
  const auto algorithm = read_algorithm(a.algorithm);
  if (!algorithm) return false;
  spec.algorithm = *algorithm;
  const auto open = execution_preset(Execution::Preset::kAuto);
  if (*algorithm == Algorithm::kNccl && spec.execution.preset != Execution::Preset::kNccl &&
      spec.execution != open) {
    remarks.push_back(fmt::format(
        "--algorithm nccl runs in NCCL's execution, not in that of job `{}`, which `--set "
        "jobs[{}].algorithm=nccl` keeps",
        job.name, number));
    spec.execution = open;
  }
  return true;
}

/// What the bench runs instead of the job, in the job's words as far as they are about it: its
/// algorithm, if that can do the operation, and its execution. Says what it takes otherwise.
bool fill(const BenchArguments& a, const scenarios::JobSpec& job, std::uint32_t number,
          CollectiveSpec& spec, std::vector<std::string>& remarks) {
  const auto operation = a.operation.empty() ? spec.operation : read_operation(a.operation);
  if (!operation) return false;
  if (*operation == Operation::kAllToAllV || *operation == Operation::kBarrier) {
    complain(fmt::format("--op: {} has no size to go through", name_of(*operation)));
    return false;
  }
  if (spec.operation != *operation) {
    spec.operation = *operation;
    spec.blocks.clear();
    spec.routing.reset();
    if (collectives::candidates(spec).empty() && a.algorithm.empty()) {
      remarks.push_back(
          fmt::format("job `{}` runs by `{}`, which does no {}: `algorithm: auto` does", job.name,
                      name_of(spec.algorithm), name_of(*operation)));
      spec.algorithm = Algorithm::kAuto;
    }
  }
  spec.iterations = 1;
  if (spec.root >= job.ranks.size()) spec.root = 0;
  if (!set_algorithm(a, job, number, spec, remarks)) return false;
  // As nccl-tests has them, which queues its calls.
  if (!spec.execution.calls) spec.execution.calls = collectives::Execution::Calls::kBackToBack;
  return true;
}

/// Of the sizes that were measured those that are asked for.
std::optional<std::vector<Bytes>> measured_sizes(const BenchArguments& a,
                                                 const std::vector<evidence::MeasuredRow>& rows) {
  std::vector<Bytes> sizes;
  for (const evidence::MeasuredRow& row : rows) sizes.emplace_back(row.size);
  if (!a.has_sizes) return sizes;
  const auto asked = read_sizes(a);
  if (!asked) return {};
  std::erase_if(sizes, [&asked](Bytes size) {
    if (asked->is_range) return size < asked->sizes[0] || asked->sizes[1] < size;
    return std::ranges::find(asked->sizes, size) == asked->sizes.end();
  });
  if (!sizes.empty()) return sizes;
  complain(fmt::format("--sizes: {} has no row of {}", a.against, a.sizes));
  return {};
}

/// What is said of the whole table: above it as a comment, or on standard error beside a CSV.
void print_remark(const std::string& remark, bool is_csv) {
  if (is_csv) {
    print_error_text("weft: " + escaped(remark) + "\n");
  } else {
    print("# " + escaped(remark) + "\n");
  }
}

/// Runs one size after the other.
class Bench {
 public:
  Bench(const BenchArguments& arguments, scenarios::LoadedScenario loaded, std::size_t job,
        const Measurement& measured)
      : a_(arguments),
        loaded_(std::move(loaded)),
        scenario_(loaded_.scenario),
        job_(job),
        measured_(measured),
        table_(arguments.is_csv),
        compared_(arguments.is_csv, measured.table.rows) {}

  [[nodiscard]] bool prepare() {
    const scenarios::JobSpec& job = scenario_.jobs[job_];
    for (const std::string& remark : measured_.remarks) warn_of_file(remark);
    std::vector<std::string> remarks;
    const bool is_filled = fill(a_, job, collectives::number_of(job, job_), spec(), remarks);
    for (const std::string& remark : remarks) print_remark(remark, a_.is_csv);
    if (is_filled) take_type();
    return is_filled;
  }

  int run(const std::vector<Bytes>& sizes) {
    Bytes last;
    for (const Bytes size : sizes) {
      spec().size = diagnose::job_size(spec().operation, size, scenario_.jobs[job_].ranks.size());
      // Sizes that are less than a byte for each rank are all that.
      if (std::exchange(last, spec().size) == spec().size) continue;
      if (const int code = run_size(size); code != kSuccess) return code;
    }
    compared_.conclude();
    return kSuccess;
  }

 private:
  CollectiveSpec& spec() { return std::get<CollectiveSpec>(scenario_.jobs[job_].kind); }

  /// What was measured says its type, which decides whether NVSwitches could reduce.
  void take_type() {
    if (measured_.table.rows.empty() || !collectives::reduces(spec().operation)) return;
    const auto type = collectives::data_type_of_nccl_tests(measured_.table.rows.front().type);
    if (!type || *type == spec().data_type) return;
    spec().data_type = *type;
    print_remark(fmt::format("elements are {}, as in {}", name_of(*type), a_.against), a_.is_csv);
  }

  void warn_of_file(const std::string& remark) const {
    print_remark("warning: " + a_.against + ": " + remark, a_.is_csv);
  }

  void compare_machines(const scenarios::Experiment& experiment) {
    if (std::exchange(has_compared_machines_, true)) return;
    const auto& program = static_cast<const collectives::CollectiveProgram&>(
        *experiment.workload.jobs()[job_].program);
    for (const std::string& remark : {remark_on_gpus(measured_, program.spec().generation),
                                      remark_on_hosts(measured_, experiment.scenario.jobs[job_])}) {
      if (!remark.empty()) warn_of_file(remark);
    }
  }

  /// What NCCL's execution is at this size, unless it is as at the one before.
  void print_execution(const scenarios::Experiment& experiment) {
    const auto& program = static_cast<const collectives::CollectiveProgram&>(
        *experiment.workload.jobs()[job_].program);
    if (a_.is_csv || program.spec().execution.preset != Execution::Preset::kNccl) return;
    std::string text = execution_text(program.spec());
    if (text != execution_) print("#   " + text + "\n");
    execution_ = std::move(text);
    std::fflush(stdout);
  }

  int run_size(Bytes size) {
    const auto experiment = scenarios::build_experiment(scenario_);
    if (!experiment) {
      print_build_errors(a_, job_, experiment.errors(), loaded_);
      return kBadInput;
    }
    compare_machines(experiment.value());
    ProgressLine progress(true, "packet-hops");
    const scenarios::Results results =
        scenarios::simulate(experiment.value(), [&](const scenarios::Progress& now) {
          progress.update(now);
          return !is_interrupted();
        });
    const bool is_finished = results.outcome == scenarios::Outcome::kFinished;
    if (const auto row = row_of(results, job_, spec()); is_finished && row) {
      if (a_.against.empty()) {
        table_.add(*row);
      } else {
        compared_.add(size.count(), *row);
      }
    }
    if (is_finished) print_execution(experiment.value());
    print_remarks(results, size, a_.is_csv, warned_);
    if (is_finished) return kSuccess;
    print_unfinished(results, size);
    return kUnfinished;
  }

  const BenchArguments& a_;
  scenarios::LoadedScenario loaded_;
  scenarios::Scenario scenario_;
  std::size_t job_;
  const Measurement& measured_;
  BenchTable table_;
  ComparedTable compared_;
  bool has_compared_machines_ = false;
  std::string execution_;  ///< that was said last
  std::set<std::string> warned_;
};

}  // namespace

int bench_collective(const BenchArguments& arguments) {
  BenchArguments a = arguments;
  auto loaded = scenarios::load_scenario(a.scenario, a.overrides);
  if (!loaded) {
    print_errors(loaded.errors());
    return kBadInput;
  }
  const auto job = find_collective(loaded.value().scenario, a.job);
  if (!job) return kBadInput;
  std::optional<Measurement> measured = Measurement{};
  if (!a.against.empty()) measured = read_measurement(a, loaded.value().scenario.jobs[*job]);
  if (!measured) return kBadInput;
  if (!a.against.empty()) a.operation = measured->operation;
  const auto sizes = a.against.empty() ? sizes_of(a) : measured_sizes(a, measured->table.rows);
  if (!sizes) return kBadInput;
  Bench bench(a, std::move(loaded).value(), *job, *measured);
  if (!bench.prepare()) return kBadInput;
  stop_on_interrupt();
  return bench.run(*sizes);
}

}  // namespace weft::cli
