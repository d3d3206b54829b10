#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/job.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/collective/collective_options.hpp"
#include "tools/cli/collective/load_for_collective.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/progress.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using collectives::CollectiveSpec;
using collectives::Operation;

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

void print_header(bool is_csv) {
  if (is_csv) {
    std::fputs("size,count,type,redop,root,time_us,algbw_GBps,busbw_GBps,algorithm,protocol\n",
               stdout);
    return;
  }
  std::fputs(
      "#       size         count      type   redop    root     time   algbw   busbw  algorithm\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n",
      stdout);
}

void print_row(const scenarios::Results& r, std::size_t job, const CollectiveSpec& spec,
               bool is_csv) {
  const scenarios::CollectiveResult* last = nullptr;
  for (const scenarios::CollectiveResult& c : r.collectives) {
    if (c.job == job) last = &c;
  }
  if (last == nullptr) return;
  const std::int64_t size = last->size.count();
  const bool reduces = spec.operation == Operation::kAllReduce ||
                       spec.operation == Operation::kReduce ||
                       spec.operation == Operation::kReduceScatter;
  const bool has_root =
      spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce ||
      spec.operation == Operation::kGather || spec.operation == Operation::kScatter;
  const std::string root = has_root ? std::to_string(spec.root) : "-1";
  const char* redop = reduces ? "sum" : "none";
  const double time = to_seconds(last->end - last->start) * 1e6;
  const double algorithm = last->algorithm_bandwidth.value_or(0) * 1e-9;
  const double bus = last->bus_bandwidth.value_or(0) * 1e-9;
  const scenarios::JobResult& result = r.jobs[job];
  if (is_csv) {
    std::fputs(fmt::format("{},{},float,{},{},{:.3f},{:.4f},{:.4f},{},{}\n", size, size / kElement,
                           redop, root, time, algorithm, bus, result.algorithm, result.protocol)
                   .c_str(),
               stdout);
  } else {
    const std::string protocol = result.protocol == "none" ? "" : "/" + result.protocol;
    std::fputs(fmt::format("{:>12}  {:>12}     float  {:>6}  {:>6}  {:>7.4g}  {:>6.2f}  {:>6.2f}  "
                           "{}{}\n",
                           size, size / kElement, redop, root, time, algorithm, bus,
                           result.algorithm, protocol)
                   .c_str(),
               stdout);
  }
  std::fflush(stdout);
}

/// What `weft run` would say besides of the run of a size: below its row as comments of nccl-tests,
/// or on standard error beside a CSV. Warnings that an earlier size had are not repeated.
void print_remarks(const scenarios::Results& r, Bytes size, bool is_csv,
                   std::set<std::string>& warned) {
  const std::string start = is_csv ? fmt::format("weft: {} bytes: ", size.count()) : "#   ";
  const auto say = [&](const std::string& text) {
    (is_csv ? print_error_text : print)(start + text + "\n");
  };
  std::istringstream lines(scenarios::trouble_text(r));
  for (std::string line; std::getline(lines >> std::ws, line);) {
    say(line);
  }
  for (const std::string& warning : r.warnings) {
    if (!warned.insert(warning).second) continue;
    say("warning: " + escaped(warning));
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
  if (spec.root >= ranks) spec.root = 0;
  if (a.algorithm.empty()) return true;
  const auto algorithm = read_algorithm(a.algorithm);
  if (algorithm) spec.algorithm = *algorithm;
  return algorithm.has_value();
}

}  // namespace

int bench_collective(const BenchArguments& a) {
  auto loaded = scenarios::load_scenario(a.scenario, a.overrides);
  if (!loaded) {
    print_errors(loaded.errors());
    return kBadInput;
  }
  scenarios::Scenario scenario = loaded.value().scenario;
  const auto job = find_collective(scenario, a.job);
  const auto sizes = read_sizes(a);
  if (!job || !sizes) return kBadInput;
  auto& spec = std::get<CollectiveSpec>(scenario.jobs[*job].kind);
  if (!fill(a, scenario.jobs[*job].ranks.size(), spec)) return kBadInput;
  stop_on_interrupt();
  bool has_header = false;
  std::set<std::string> warned;
  Bytes last;
  for (const Bytes size : *sizes) {
    spec.size = job_size(spec.operation, size, scenario.jobs[*job].ranks.size());
    // Sizes that are less than a byte for each rank are all that.
    if (std::exchange(last, spec.size) == spec.size) continue;
    const auto experiment = scenarios::build_experiment(scenario);
    if (!experiment) {
      print_build_errors(a, *job, experiment.errors(), loaded.value());
      return kBadInput;
    }
    if (!has_header) print_header(a.is_csv);
    has_header = true;
    ProgressLine progress(true, "packet-hops");
    const scenarios::Results results =
        scenarios::simulate(experiment.value(), [&](const scenarios::Progress& now) {
          progress.update(now);
          return !is_interrupted();
        });
    const bool is_finished = results.outcome == scenarios::Outcome::kFinished;
    if (is_finished) print_row(results, *job, spec, a.is_csv);
    print_remarks(results, size, a.is_csv, warned);
    if (!is_finished) {
      print_unfinished(results, size);
      return kUnfinished;
    }
  }
  return kSuccess;
}

}  // namespace weft::cli
