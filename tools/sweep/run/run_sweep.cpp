#include "tools/sweep/run/run_sweep.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"
#include "tools/io/result_name.hpp"
#include "tools/io/terminal.hpp"
#include "tools/live/display.hpp"
#include "tools/sweep/language/load_sweep.hpp"
#include "tools/sweep/plan/points.hpp"
#include "tools/sweep/report/choice_report.hpp"
#include "tools/sweep/report/point_warnings.hpp"
#include "tools/sweep/report/table.hpp"
#include "tools/sweep/run/coordinator.hpp"
#include "tools/sweep/run/dry_run.hpp"
#include "tools/sweep/run/mpi_link.hpp"
#include "tools/sweep/run/mpi_runner.hpp"
#include "tools/sweep/run/next_step.hpp"
#include "tools/sweep/run/progress_line.hpp"
#include "tools/sweep/run/sweep_view.hpp"
#include "tools/sweep/store/store.hpp"

namespace weft::sweep {
namespace {

using scenarios::format_count;

// The exit codes of the program.
constexpr int kSuccess = 0;
constexpr int kUnfinished = 1;
constexpr int kBadInput = 2;

constexpr std::size_t kMaxListed = 5;

/// Sentences that stand below each other, after each other.
std::string in_one_line(const std::string& sentences) {
  std::string line;
  for (const char c : sentences) line += c == '\n' ? std::string("; ") : std::string(1, c);
  return line;
}

int fail(const Errors& errors, int code) {
  print_errors(errors);
  return code;
}

std::size_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max<std::size_t>(static_cast<std::size_t>(CPU_COUNT(&set)), 1);
}

/// The sweep as one process, or rank 0, sees it.
class Session {
 public:
  Session(const RunArguments& arguments, const Sweep& sweep, MessageLink* link)
      : arguments_(arguments), sweep_(sweep), link_(link) {
    folder_ = arguments.out;
    if (folder_.empty()) {
      const std::string& name = arguments.name;
      folder_ = std::filesystem::path("results") /
                (name.empty() ? overridden_name(sweep.name, arguments.overrides) : name);
    }
    processes_ = arguments.processes == 0 ? usable_cores() : arguments.processes;
    if (link != nullptr) processes_ = static_cast<std::size_t>(link->size()) - 1;
  }

  int run() {
    // First, so that MPI workers are told to end on every way out.
    const std::unique_ptr<TaskRunner> runner = make_runner();
    Result<Plan> plan = make_plan(sweep_);
    if (!plan.ok()) return fail(plan.errors(), kBadInput);
    if (arguments_.is_dry_run) {
      dry_run(sweep_, plan.value(), processes_, arguments_.is_interrupted);
      return kSuccess;
    }
    Result<std::unique_ptr<Store>> store = Store::open(folder_, sweep_, plan.value(),
                                                       {.must_be_new = arguments_.must_be_new,
                                                        .must_exist = arguments_.must_exist,
                                                        .retry_failed = arguments_.retry_failed});
    if (!store.ok()) return fail(store.errors(), kBadInput);
    Coordinator coordinator(sweep_, plan.value(), *store.value(), *runner);
    const Errors errors = follow(coordinator);
    runner->stop();
    const std::filesystem::path database = store.value()->path();
    const bool is_resumed = store.value()->is_resumed();
    store.value().reset();
    if (!errors.empty()) return fail(errors, kUnfinished);
    return conclude(coordinator, plan.value(), database, is_resumed);
  }

 private:
  std::unique_ptr<TaskRunner> make_runner() const {
    if (link_ != nullptr) return std::make_unique<MpiRunner>(*link_);
    return std::make_unique<ProcessPool>(processes_, arguments_.limits, PointRunner(sweep_));
  }

  Errors follow(Coordinator& coordinator) const {
    if (arguments_.is_live) return follow_live(coordinator);
    SweepProgressLine line(!arguments_.is_quiet);
    return coordinator.run([&](const Progress& progress) {
      line.update(progress);
      return !arguments_.is_interrupted();
    });
  }

  Errors follow_live(Coordinator& coordinator) const {
    live::Display display;
    SweepView view(sweep_);
    return coordinator.run([&](const Progress& progress) {
      view.show(display, progress);
      return !arguments_.is_interrupted();
    });
  }

  int conclude(const Coordinator& coordinator, const Plan& plan,
               const std::filesystem::path& database, bool is_resumed) const {
    const Progress& p = coordinator.progress();
    const bool is_complete = coordinator.is_complete();
    const Result<Table> table = read_table(database);
    if (!table.ok()) return fail(table.errors(), kUnfinished);
    std::size_t unfinished = 0;
    for (const Table::Row& row : table.value().rows) {
      if (row.is_done() && !row.is_success()) ++unfinished;
    }
    list_failures(table.value());
    if (!arguments_.is_quiet) {
      list_warnings(table.value());
      print(choice_text(table.value(), kMaxChoicePoints));
      print_summary(p, plan, table.value(), unfinished, is_resumed);
      print(fmt::format("  results in {}\n", database.string()));
      if (is_complete) print(next_step(table.value(), folder_));
    }
    if (!is_complete) {
      complain(fmt::format("interrupted: {} of {} points are recorded; the same command continues",
                           p.recorded, p.total));
    }
    return is_complete && p.failed == 0 && unfinished == 0 ? kSuccess : kUnfinished;
  }

  void list_failures(const Table& table) const {
    std::size_t listed = 0;
    std::size_t failed = 0;
    for (const Table::Row& row : table.rows) {
      if (!row.has_failed()) continue;
      if (++failed > kMaxListed) continue;
      ++listed;
      complain(fmt::format("point {} ({}): {}: {}", row.id,
                           description(table.parameters, row.values), row.status,
                           in_one_line(row.message)));
    }
    if (failed > listed) {
      complain(fmt::format("and {} more; `weft export` has all messages", failed - listed));
    }
  }

  static void list_warnings(const Table& table) {
    for (const std::string& line : warning_lines(table, warnings_of(table), kMaxListed)) {
      complain("warning: " + escaped(line));
    }
  }

  void print_summary(const Progress& p, const Plan& plan, const Table& table,
                     std::size_t unfinished, bool is_resumed) const {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    std::string text =
        sweep_.choice
            ? fmt::format("{}: {} points{}", sweep_.name, plan.size(), choice_counts_text(table))
            : fmt::format("{}: {} of {} points", sweep_.name, p.recorded, p.total);
    if (is_resumed && !sweep_.choice) {
      text += fmt::format(", {} of them from before", p.recorded - p.ran);
    }
    text += fmt::format(", {} failed", p.failed);
    if (unfinished > 0) text += fmt::format(", {} whose jobs did not finish", unfinished);
    if (const std::size_t warned = warnings_of(table).points; warned > 0) {
      text += fmt::format(", {} with warnings", warned);
    }
    if (plan.dropped > 0) text += fmt::format(", {} dropped by constraints", plan.dropped);
    text += fmt::format("\n  {} with {} process{}\n", scenarios::format_time(seconds), processes_,
                        processes_ == 1 ? "" : "es");
    text += "  results sha256 " + table.digest() + "\n";
    print(text);
  }

  const RunArguments& arguments_;
  const Sweep& sweep_;
  MessageLink* link_;
  std::filesystem::path folder_;
  std::size_t processes_ = 1;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// A rank that runs points. Errors in the files are the coordinator's to report, unless it alone
/// can read them.
int work(const RunArguments& arguments, MessageLink& link, const Result<Sweep>& sweep) {
  if (sweep.ok()) {
    ProcessPool pool(1, arguments.limits, PointRunner(sweep.value()));
    serve(link, pool);
    return kSuccess;
  }
  for (;;) {
    if (const auto message = link.receive()) {
      if (message->second.empty()) return kBadInput;
      char host[256] = "";
      ::gethostname(host, sizeof host - 1);
      complain(fmt::format("on {} the sweep cannot be read:", host));
      print_errors(sweep.errors());
      link.abort();
    }
    ::usleep(10'000);
  }
}

}  // namespace

int run_sweep(const RunArguments& arguments) {
  std::unique_ptr<MessageLink> link;
  if (is_mpi_job()) {
    Result<std::unique_ptr<MessageLink>> opened = open_mpi();
    if (!opened.ok()) return fail(opened.errors(), kBadInput);
    link = std::move(opened).value();
  }
  const Result<Sweep> sweep = load_sweep(arguments.file, arguments.overrides);
  if (link && link->rank() > 0) return work(arguments, *link, sweep);
  if (!sweep.ok()) {
    if (link) dismiss(*link);
    return fail(sweep.errors(), kBadInput);
  }
  return Session(arguments, sweep.value(), link.get()).run();
}

}  // namespace weft::sweep
