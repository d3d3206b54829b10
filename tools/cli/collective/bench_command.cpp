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
#include "collectives/jobs/job.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/yaml/source_text.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/collective/collective_options.hpp"
#include "tools/cli/collective/load_for_collective.hpp"
#include "tools/cli/collective/measured.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/progress.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using collectives::CollectiveSpec;
using collectives::Operation;

/// Output of a measurement is no longer.
constexpr std::size_t kMostMeasured = std::size_t{16} << 20U;
/// nccl-tests counts elements, floats unless told otherwise.
constexpr std::int64_t kElement = 4;

std::optional<std::vector<Bytes>> read_sizes(const BenchArguments& a) {
  std::vector<Bytes> sizes;
  if (const std::size_t dots = a.sizes.find(".."); dots != std::string::npos) {
    const auto first = read_bytes("--sizes", a.sizes.substr(0, dots));
    const auto last = read_bytes("--sizes", a.sizes.substr(dots + 2));
    if (!first || !last) return {};
    if (*first < 1_B || *last < *first) {
      complain(fmt::format("--sizes: `{}` is no range of sizes", a.sizes));
      return {};
    }
    for (Bytes size = *first; size <= *last; size = size * a.factor) sizes.push_back(size);
    return sizes;
  }
  for (std::size_t begin = 0; begin <= a.sizes.size();) {
    const std::size_t end = std::min(a.sizes.find(',', begin), a.sizes.size());
    const auto size = read_bytes("--sizes", a.sizes.substr(begin, end - begin));
    if (!size) return {};
    if (*size < 1_B) {
      std::fprintf(stderr, "weft: --sizes: sizes are at least 1B\n");
      return {};
    }
    sizes.push_back(*size);
    begin = end + 1;
  }
  return sizes;
}

/// The size of a job whose size nccl-tests would call `size`.
Bytes job_size(Operation operation, Bytes size, std::size_t ranks) {
  if (operation != Operation::kAllToAll) return size;
  return std::max(1_B, size / static_cast<std::int64_t>(ranks));
}

struct BenchRow {
  std::int64_t size = 0;
  std::string redop;
  std::string root;
  double time_us = 0;
  double algorithm_bandwidth = 0;  ///< GB/s
  double bus_bandwidth = 0;
  std::string algorithm;
  std::string protocol;

  [[nodiscard]] std::string how() const {
    return protocol == "none" ? algorithm : algorithm + "/" + protocol;
  }
};

std::optional<BenchRow> row_of(const scenarios::Results& r, std::size_t job,
                               const CollectiveSpec& spec) {
  const scenarios::CollectiveResult* last = nullptr;
  for (const scenarios::CollectiveResult& c : r.collectives) {
    if (c.job == job) last = &c;
  }
  if (last == nullptr) return std::nullopt;
  const bool reduces = spec.operation == Operation::kAllReduce ||
                       spec.operation == Operation::kReduce ||
                       spec.operation == Operation::kReduceScatter;
  const bool has_root =
      spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce ||
      spec.operation == Operation::kGather || spec.operation == Operation::kScatter;
  return BenchRow{.size = last->size.count(),
                  .redop = reduces ? "sum" : "none",
                  .root = has_root ? std::to_string(spec.root) : "-1",
                  .time_us = to_seconds(last->end - last->start) * 1e6,
                  .algorithm_bandwidth = last->algorithm_bandwidth.value_or(0) * 1e-9,
                  .bus_bandwidth = last->bus_bandwidth.value_or(0) * 1e-9,
                  .algorithm = r.jobs[job].algorithm,
                  .protocol = r.jobs[job].protocol};
}

void say(const std::string& line) {
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

/// The table of nccl-tests.
class Table {
 public:
  explicit Table(bool is_csv) : is_csv_(is_csv) {}

  void add(const BenchRow& row) {
    if (!std::exchange(has_header_, true)) header();
    const std::int64_t count = row.size / kElement;
    say(is_csv_ ? fmt::format("{},{},float,{},{},{:.3f},{:.4f},{:.4f},{},{}\n", row.size, count,
                              row.redop, row.root, row.time_us, row.algorithm_bandwidth,
                              row.bus_bandwidth, row.algorithm, row.protocol)
                : fmt::format("{:>12}  {:>12}     float  {:>6}  {:>6}  {:>7.4g}  {:>6.2f}  "
                              "{:>6.2f}  {}\n",
                              row.size, count, row.redop, row.root, row.time_us,
                              row.algorithm_bandwidth, row.bus_bandwidth, row.how()));
  }

 private:
  void header() const {
    say(is_csv_
            ? "size,count,type,redop,root,time_us,algbw_GBps,busbw_GBps,algorithm,protocol\n"
            : "#       size         count      type   redop    root     time   algbw   busbw  "
              "algorithm\n"
              "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n");
  }

  bool is_csv_;
  bool has_header_ = false;
};

/// Beside what was measured.
class ComparedTable {
 public:
  ComparedTable(bool is_csv, const std::vector<MeasuredRow>& measured)
      : is_csv_(is_csv), measured_(measured) {}

  void add(std::int64_t asked, const BenchRow& row) {
    const auto found = std::ranges::find(measured_, asked, &MeasuredRow::size);
    if (found == measured_.end()) return;
    if (errors_.empty()) header();
    const double error = 100 * (row.time_us / found->time_us - 1);
    errors_.push_back(std::abs(error));
    say(is_csv_
            ? fmt::format("{},{:.3f},{:.3f},{:.2f},{:.4f},{:.4f},{}\n", asked, found->time_us,
                          row.time_us, error, found->bus_bandwidth, row.bus_bandwidth, row.how())
            : fmt::format("{:>12}  {:>9.4g}  {:>9.4g}  {:>+7.1f}  {:>8.2f}  {:>8.2f}  {}\n", asked,
                          found->time_us, row.time_us, error, found->bus_bandwidth,
                          row.bus_bandwidth, row.how()));
  }

  /// Of all sizes: what is meant by the error of a table.
  void conclude() const {
    if (errors_.empty()) return;
    double sum = 0;
    for (const double error : errors_) sum += error;
    const std::string text =
        fmt::format("{} sizes: mean error {:.1f} %, largest {:.1f} % (of the time, either way)\n",
                    errors_.size(), sum / static_cast<double>(errors_.size()),
                    *std::ranges::max_element(errors_));
    if (is_csv_) {
      print_error_text("weft: " + text);
    } else {
      say("# " + text);
    }
  }

 private:
  void header() const {
    say(is_csv_
            ? "size,measured_us,time_us,error_percent,measured_busbw_GBps,busbw_GBps,algorithm\n"
            : "#       size   measured  simulated    error  measured     busbw  algorithm\n"
              "#        (B)       (us)       (us)      (%)    (GB/s)    (GB/s)\n");
  }

  bool is_csv_;
  const std::vector<MeasuredRow>& measured_;
  std::vector<double> errors_;
};

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

/// What the bench runs instead of the job.
bool fill(const BenchArguments& a, std::size_t ranks, CollectiveSpec& spec) {
  const auto operation = read_operation(a.operation);
  if (!operation) return false;
  if (*operation == Operation::kAllToAllV || *operation == Operation::kBarrier) {
    std::fprintf(stderr, "weft: --op: %s has no size to go through\n", name_of(*operation));
    return false;
  }
  if (spec.operation != *operation) spec.algorithm = collectives::algorithms_for(*operation)[0];
  spec.operation = *operation;
  spec.iterations = 1;
  // nccl-tests queues its calls, so that launches overlap with the calls before.
  if (!spec.execution.launch) spec.execution.launch = Picoseconds(0);
  if (spec.root >= ranks) spec.root = 0;
  if (a.algorithm.empty()) return true;
  const auto algorithm = read_algorithm(a.algorithm);
  if (algorithm) spec.algorithm = *algorithm;
  return algorithm.has_value();
}

/// What was measured, if the command line names a file; says what is wrong with it.
std::optional<Measured> read_measured(const BenchArguments& a) {
  if (a.against.empty()) return Measured{};
  const auto text = scenarios::language::read_text_file(a.against, kMostMeasured);
  if (!text.ok()) {
    print_errors(text.errors());
    return std::nullopt;
  }
  auto measured = parse_nccl_tests(text.value(), a.against);
  if (measured.ok()) return std::move(measured).value();
  print_errors(measured.errors());
  return std::nullopt;
}

/// The operation of the measurement, unless one is asked for.
std::string operation_of(const BenchArguments& a, const Measured& measured) {
  if (measured.operation.empty() || a.has_operation) return a.operation;
  return measured.operation;
}

std::optional<std::vector<Bytes>> sizes_of(const BenchArguments& a, const Measured& measured) {
  if (a.against.empty()) return read_sizes(a);
  std::vector<Bytes> sizes;
  for (const MeasuredRow& row : measured.rows) sizes.emplace_back(row.size);
  return sizes;
}

/// Runs one size after the other.
class Bench {
 public:
  Bench(const BenchArguments& arguments, scenarios::LoadedScenario loaded, std::size_t job,
        const Measured& measured)
      : a_(arguments),
        loaded_(std::move(loaded)),
        scenario_(loaded_.scenario),
        job_(job),
        table_(arguments.is_csv),
        compared_(arguments.is_csv, measured.rows) {}

  [[nodiscard]] bool prepare() { return fill(a_, scenario_.jobs[job_].ranks.size(), spec()); }

  int run(const std::vector<Bytes>& sizes) {
    Bytes last;
    for (const Bytes size : sizes) {
      spec().size = job_size(spec().operation, size, scenario_.jobs[job_].ranks.size());
      // Sizes that are less than a byte for each rank are all that.
      if (std::exchange(last, spec().size) == spec().size) continue;
      if (const int code = run_size(size); code != kSuccess) return code;
    }
    compared_.conclude();
    return kSuccess;
  }

 private:
  CollectiveSpec& spec() { return std::get<CollectiveSpec>(scenario_.jobs[job_].kind); }

  int run_size(Bytes size) {
    const auto experiment = scenarios::build_experiment(scenario_);
    if (!experiment) {
      print_build_errors(a_, job_, experiment.errors(), loaded_);
      return kBadInput;
    }
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
    print_remarks(results, size, a_.is_csv, warned_);
    if (is_finished) return kSuccess;
    print_unfinished(results, size);
    return kUnfinished;
  }

  const BenchArguments& a_;
  scenarios::LoadedScenario loaded_;
  scenarios::Scenario scenario_;
  std::size_t job_;
  Table table_;
  ComparedTable compared_;
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
  const auto measured = read_measured(a);
  if (!job || !measured) return kBadInput;
  a.operation = operation_of(a, *measured);
  const auto sizes = sizes_of(a, *measured);
  if (!sizes) return kBadInput;
  Bench bench(a, std::move(loaded).value(), *job, *measured);
  if (!bench.prepare()) return kBadInput;
  stop_on_interrupt();
  return bench.run(*sizes);
}

}  // namespace weft::cli
