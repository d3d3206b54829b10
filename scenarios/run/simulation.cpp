#include "scenarios/run/simulation.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/memo/obstacles.hpp"
#include "scenarios/memo/run_reuse.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/measure/collect_switching.hpp"
#include "scenarios/results/measure/collect_tables.hpp"
#include "scenarios/results/measure/run_recorder.hpp"
#include "scenarios/results/measure/tables/collect_jobs.hpp"
#include "scenarios/run/approximate_periods.hpp"
#include "scenarios/run/blame_run.hpp"
#include "scenarios/run/network_options.hpp"
#include "scenarios/run/observe.hpp"
#include "scenarios/run/run_monitor.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {
namespace {

using protocols::PacketNetwork;

Timeline* timeline_of(RunFiles* files) { return files == nullptr ? nullptr : files->timeline(); }

/// What happens between windows: `take` what is over; with reuse `collect_memoised` what has
/// gathered.
struct BetweenWindows {
  std::function<void()> take;
  std::function<void()> collect_memoised;  ///< empty: nothing is reused
  bool is_one = false;                     ///< all processes are on one thread
  bool skips = false;                      ///< over what recurs inside long messages, if that is so
};

PacketNetwork make_network(const Experiment& e, RunFiles* files,
                           const protocols::Parallelism& parallelism, BetweenWindows between) {
  PacketNetwork::Options options = network_options(e);
  options.parallelism = parallelism;
  options.on_many_messages = std::move(between.take);
  options.keeps_domains_whole = static_cast<bool>(between.collect_memoised);
  options.on_period = std::move(between.collect_memoised);
  if (between.is_one || between.skips) options.cut = LpPlan::Cut::kOne;
  options.skips = between.skips;
  if (files != nullptr) observe(e, *files, options);
  if (Timeline* timeline = timeline_of(files)) {
    options.on_period = [timeline] { timeline->take_activities(); };
  }
  return {
      e.fabric,           e.routes, options, e.workload.process_hosts(), e.workload.connections(),
      e.workload.groups()};
}

/// Whether a run that came to `until` ended where its scenario says.
bool is_named(const std::optional<Picoseconds>& until) {
  return until && *until <= PacketNetwork::kLongestRun;
}

Outcome outcome_of(PacketNetwork::Status status, bool all_finished, bool has_named_end) {
  switch (status) {
    case PacketNetwork::Status::kInterrupted:
      return Outcome::kInterrupted;
    case PacketNetwork::Status::kDeadlocked:
      return Outcome::kDeadlocked;
    case PacketNetwork::Status::kStalled:
      // A NIC that pauses forever keeps time going when all is done.
      return all_finished ? Outcome::kFinished : Outcome::kStalled;
    case PacketNetwork::Status::kQuiescent:
      return all_finished ? Outcome::kFinished : Outcome::kStuck;
    case PacketNetwork::Status::kTimeLimit:
      if (all_finished) return Outcome::kFinished;
      return has_named_end ? Outcome::kHorizon : Outcome::kStalled;
  }
  return Outcome::kStuck;
}

std::vector<protocols::PortCounters> port_counters(const Experiment& e,
                                                   const PacketNetwork& network) {
  std::vector<protocols::PortCounters> counters;
  counters.reserve(e.fabric.ports.size());
  for (std::uint32_t p = 0; p < e.fabric.ports.size(); ++p) {
    counters.push_back(network.port_counters(PortId(p)));
  }
  return counters;
}

Picoseconds end_of_jobs(const Experiment& e, const collectives::Executor& executor) {
  Picoseconds end;
  for (std::uint32_t j = 0; j < e.scenario.jobs.size(); ++j) {
    end = std::max(end, executor.outcome(j).end);
  }
  return end;
}

void warn_of_lossless_drops(const Experiment& e, Results& results) {
  const std::size_t classes = e.scenario.switches.classes.size();
  for (const ClassId c : e.scenario.switches.all_classes()) {
    const protocols::TrafficClass& traffic_class = e.scenario.switches.classes[c];
    if (!traffic_class.is_lossless()) continue;
    std::int64_t drops = 0;
    for (std::size_t i = c.value(); i < results.classes.size(); i += classes) {
      drops += results.classes[i].buffer_drops;
    }
    if (drops == 0) continue;
    results.warnings.push_back(fmt::format(
        "{} packets of class {} were dropped by full buffers although the class is lossless",
        format_count(drops), traffic_class.name));
  }
}

/// What was to happen, or to be counted, when all was over.
void warn_of_lateness(const Experiment& e, const collectives::Executor& executor,
                      Results& results) {
  if (!executor.all_finished() || e.lone_job) return;
  const Picoseconds end = end_of_jobs(e, executor);
  const Picoseconds warmup = e.scenario.run.warmup;
  if (warmup > Picoseconds(0) && warmup >= end) {
    results.warnings.push_back(fmt::format(
        "the warm-up of {} is no shorter than the run: all jobs were over at {}, and nothing was "
        "counted; shorten run.warmup",
        format_time(warmup), format_time(end)));
  }
  warn_of_late_faults(e, end, results.warnings);
}

void explain(const Experiment& e, const PacketNetwork& network,
             const collectives::Executor& executor, Results& results) {
  if (is_success(results.outcome)) return;
  for (const ConnectionId failed : network.failed_connections()) {
    const Connection& c = e.workload.connections()[failed.value()];
    const auto host = [&e](ProcessId p) {
      return e.fabric.host(e.workload.process_hosts()[p.value()]).name;
    };
    results.explanation.push_back("a queue pair from " + host(c.source) + " to " +
                                  host(c.destination) + " gave up after its retries");
    if (results.explanation.size() == 10) break;
  }
  explain_jobs(e, executor, results);
}

/// How a run came to its end.
struct RunEnd {
  PacketNetwork::Status status;
  Picoseconds last_event;  ///< when the last thing happened
  Picoseconds stopped;     ///< when it was over
};

/// Epochs that were taken may last longer than all else, and to the limit of the run.
void close_epochs(RunReuse& reuse, std::optional<Picoseconds> until, RunEnd& end) {
  const bool has_ended = end.status == PacketNetwork::Status::kQuiescent;
  const bool was_cut = reuse.close(has_ended ? until : end.stopped);
  if (has_ended && was_cut) {
    end.status = PacketNetwork::Status::kTimeLimit;
    end.stopped = *until;
  }
  end.last_event = std::max(end.last_event, reuse.last_event());
}

/// Statistics begin again at `end`, or where the run quiesced before: returns when that is.
Picoseconds end_warmup(RunReuse& reuse, const PacketNetwork& network, PacketNetwork::Status status,
                       Picoseconds end) {
  // Epochs that are memoised may continue where all else is at rest.
  const bool is_quiescent = status == PacketNetwork::Status::kQuiescent;
  const bool continues = reuse.begin_measurement(is_quiescent ? end : network.now());
  if (!is_quiescent) return network.now();
  return continues ? end : std::max(network.last_event(), reuse.last_event());
}

/// The run came to an end of its own, but its jobs did not.
bool has_stood_still(PacketNetwork::Status status, const collectives::Executor& executor) {
  switch (status) {
    case PacketNetwork::Status::kStalled:
    case PacketNetwork::Status::kDeadlocked:
      return true;
    case PacketNetwork::Status::kQuiescent:
      return !executor.all_finished();
    default:
      return false;
  }
}

void require_invariants(const std::vector<std::string>& violations) {
  if (violations.empty()) return;
  for (const std::string& sentence : violations) {
    std::fprintf(stderr, "weft: broken invariant: %s\n", sentence.c_str());
  }
  std::abort();
}

}  // namespace

bool enter_stage(const ProgressObserver& progress, const char* stage) {
  if (!progress) return true;
  Progress now;
  now.stage = stage;
  now.state = [](std::size_t /*ports*/) { return RunState{}; };
  return progress(now);
}

namespace {

/// What need not be simulated.
struct Shortcuts {
  RunReuse* reuse = nullptr;  ///< takes calls over, or watches them; null: nobody does
  const Reusable* reusable = nullptr;
  /// Whole periods inside long messages are skipped; where nothing is memoised besides, if half
  /// of these packet-hops is: the first.
  std::optional<std::uint64_t> trial_of_skips;
};

/// What a run is measured by.
struct Ideals {
  ZeroLoadTimes times;
  std::vector<ZeroLoadTimes::Job> jobs;
};

/// One run of the packet engine, from its set-up to its results.
class PacketRun {
 public:
  /// All must outlive it; `files` may be null.
  PacketRun(const Experiment& experiment, Shortcuts& shortcuts, Ideals& ideals,
            const ProgressObserver& progress, RunFiles* files,
            const protocols::Parallelism& parallelism, const MessageSink& sink)
      : e_(experiment),
        shortcuts_(shortcuts),
        reuse_(shortcuts.reuse),
        memoises_(reuse_ != nullptr && experiment.scenario.run.reuse.mode == Reuse::kOn),
        may_skip_(shortcuts.trial_of_skips.has_value()),
        is_on_trial_(may_skip_ && !memoises_),
        ideals_(ideals),
        progress_(progress),
        files_(files),
        parallelism_(parallelism),
        blames_(experiment.scenario.observe.blame && !experiment.lone_job),
        timeline_(timeline_of(files)),
        executor_(
            experiment.workload,
            blames_ ? collectives::Executor::Spans::kOfAll : collectives::Executor::Spans::kKept,
            experiment.lone_job),
        paths_(blames_ ? std::make_unique<PathFinder>(experiment, executor_) : nullptr),
        recorder_(experiment, executor_, ideals.times, sink, paths_.get(), timeline_),
        periods_(experiment, executor_),
        network_(make_network(experiment, files, parallelism, between_windows())),
        monitor_(experiment, network_) {
    if (timeline_ != nullptr) executor_.watch(timeline_->activities());
    connect_shortcuts();
    if (files != nullptr) name_flows(e_, network_, *files);
    monitor_.follow(executor_, recorder_);
  }
  PacketRun(const PacketRun&) = delete;
  PacketRun& operator=(const PacketRun&) = delete;

  /// Nothing, where a shortcut was abandoned; skips are then none of them any more, if it was they.
  std::optional<Results> run() {
    const PacketNetwork::Status status = simulate_all();
    if (progress_) progress_(monitor_.last());
    enter_stage(progress_, "collecting results");
    if (files_ != nullptr) files_->finish_traces();
    if (memoises_ && has_stood_still(status, executor_)) reuse_->note_standstill();
    if (is_abandoned()) return std::nullopt;
    require_invariants(network_.violated_invariants(status == PacketNetwork::Status::kQuiescent));
    RunEnd end{status, network_.last_event(), network_.now()};
    close_shortcuts(end);
    note_end(end);
    collect(end);
    return std::move(results_);
  }

 private:
  [[nodiscard]] BetweenWindows between_windows() {
    BetweenWindows between{.take = [this] { recorder_.take(network_); },
                           .collect_memoised = {},
                           .is_one = reuse_ != nullptr && reuse_->has_rails(),
                           .skips = may_skip_};
    if (reuse_ != nullptr) {
      between.collect_memoised = [this] {
        if (memoises_ && reuse_->is_full()) recorder_.take_reused(network_, executor_);
      };
    }
    return between;
  }

  void connect_shortcuts() {
    if (reuse_ != nullptr || may_skip_) recorder_.keep_rows();
    if (memoises_) {
      executor_.delegate_calls(*reuse_);
      recorder_.follow(*reuse_);
      if (paths_) paths_->follow(*reuse_);
      monitor_.follow(*reuse_);
      network_.set_external_deliveries([this](Picoseconds since, Picoseconds until) {
        return reuse_->was_delivered(since, until);
      });
    } else if (reuse_ != nullptr) {
      executor_.set_observer(*reuse_);
    }
  }

  /// Whether a shortcut turned out to cost more than it spares, or cannot be taken.
  [[nodiscard]] bool is_abandoned() const {
    return (reuse_ != nullptr && reuse_->is_abandoned()) ||
           (may_skip_ && !shortcuts_.trial_of_skips);
  }

  /// Whether the run continues; asked now and then.
  bool observe(Picoseconds now, std::uint64_t packet_hops) {
    if (files_ != nullptr && files_->has_failed()) return false;
    // Of a step that is memoised in part, what has long messages, its gradients, comes last.
    if (is_on_trial_ && packet_hops >= *shortcuts_.trial_of_skips) {
      is_on_trial_ = false;
      if (network_.skips().packet_hops < packet_hops / 2) shortcuts_.trial_of_skips.reset();
    }
    if (is_abandoned()) return false;
    return !progress_ || progress_(monitor_.look(now, packet_hops));
  }

  PacketNetwork::Status simulate_all() {
    const auto observer = [this](Picoseconds now, std::uint64_t hops) {
      return observe(now, hops);
    };
    network_.start(executor_);
    const Picoseconds until = e_.scenario.run.until.value_or(PacketNetwork::kLongestRun);
    PacketNetwork::Status status = PacketNetwork::Status::kTimeLimit;
    if (e_.scenario.run.warmup > Picoseconds(0)) {
      const Picoseconds end = std::min(e_.scenario.run.warmup, until);
      status = network_.run_until(end, observer);
      begin_measurement(status, end);
    }
    if (status == PacketNetwork::Status::kTimeLimit) {
      status = periods_.run_until(network_, until, observer);
    }
    return status;
  }

  /// The warm-up, which was to last until `end`, is over.
  void begin_measurement(PacketNetwork::Status status, Picoseconds end) {
    results_.measured_from = network_.now();
    if (memoises_ && !reuse_->is_abandoned()) {
      results_.measured_from = end_warmup(*reuse_, network_, status, end);
      recorder_.take_reused(network_, executor_);
    }
    hops_before_ = network_.packet_hops();
    network_.reset_statistics();
    recorder_.begin_measurement();
  }

  /// What was memoised and skipped counts as if it had been simulated.
  void close_shortcuts(RunEnd& end) {
    if (reuse_ != nullptr) {
      close_epochs(*reuse_, e_.scenario.run.until, end);
      if (memoises_) recorder_.take_reused(network_, executor_);
      require_invariants(reuse_->violations());
      results_.reuse = reuse_->report(*shortcuts_.reusable);
      results_.reuse.simulated_hops += hops_before_ + network_.packet_hops() - reuse_->hops_taken();
    } else {
      results_.reuse.mode = e_.scenario.run.reuse.mode;
      results_.reuse.simulated_hops = hops_before_ + network_.packet_hops();
    }
    results_.reuse.skips += network_.skips();
    results_.reuse.simulated_hops -= network_.skips().packet_hops;
  }

  /// What the run was, and how it ended.
  void note_end(const RunEnd& end) {
    results_.scenario = e_.scenario.name;
    results_.seed = e_.scenario.seed;
    results_.warnings = e_.warnings;
    results_.threads = network_.threads();
    // Where domains are kept whole, or all is one, that is no part of the model.
    const LpPlan plan = reuse_ != nullptr || may_skip_ ? plan_of(e_) : network_.lp_plan();
    results_.logical_processes = plan.lp_count;
    results_.lookahead = plan.lookahead;
    const bool has_named_end = is_named(e_.scenario.run.until);
    results_.outcome = outcome_of(end.status, executor_.all_finished(), has_named_end);
    if (end.status == PacketNetwork::Status::kTimeLimit && !has_named_end &&
        results_.outcome == Outcome::kStalled) {
      results_.explanation.push_back(
          fmt::format("the run came to {}, where every run ends at the latest; `run.until` names "
                      "an earlier end",
                      format_time(PacketNetwork::kLongestRun)));
    }
    const bool is_quiescent = end.status == PacketNetwork::Status::kQuiescent;
    results_.simulated = is_quiescent ? end.last_event : end.stopped;
    if (end.status == PacketNetwork::Status::kStalled && executor_.all_finished()) {
      results_.simulated = end_of_jobs(e_, executor_);
    }
  }

  void collect(const RunEnd& end) {
    network_.end_observation();
    results_.totals = network_.totals();
    results_.has_link_errors = network_.has_link_errors();
    results_.packet_latency = network_.packet_latency();
    results_.packet_latency_by_size = network_.packet_latencies();
    results_.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();

    periods_.tell(results_.totals, results_);
    const EndedRun run{e_, executor_, ideals_.jobs, port_counters(e_, network_), &network_};
    collect_jobs(run, results_);
    recorder_.finish(network_, results_);
    periods_.add_iterations(results_);
    if (timeline_ != nullptr) {
      executor_.end_watch(results_.simulated);
      timeline_->take_activities();
      if (e_.scenario.observe.pauses) timeline_->add(network_.pauses());
    }
    // What is collected has room where queue pairs had it; what failed they have to explain.
    const bool is_quiescent = end.status == PacketNetwork::Status::kQuiescent;
    if (is_quiescent && is_success(results_.outcome)) network_.forget_flows();
    collect_tables(run, results_);
    collect_deadlock(network_, results_);
    explain(e_, network_, executor_, results_);
    warn();
    if (paths_) {
      find_blame(e_, paths_->finish(), ideals_.times,
                 {parallelism_, progress_, timeline_, memoises_ ? shortcuts_.reusable : nullptr},
                 results_);
    }
    if (timeline_ != nullptr) end_timeline(*timeline_, results_);
  }

  void warn() {
    warn_of_lossless_drops(e_, results_);
    warn_of_lateness(e_, executor_, results_);
    for (std::string& warning : stall_warnings(e_, network_)) {
      results_.warnings.push_back(std::move(warning));
    }
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Experiment& e_;
  Shortcuts& shortcuts_;
  RunReuse* const reuse_;  ///< null: nothing is memoised or verified
  const bool memoises_;
  const bool may_skip_;
  bool is_on_trial_;  ///< skips are, and have not yet shown what they spare
  Ideals& ideals_;
  const ProgressObserver& progress_;
  RunFiles* const files_;
  const protocols::Parallelism& parallelism_;
  const bool blames_;
  Timeline* const timeline_;
  collectives::Executor executor_;
  std::unique_ptr<PathFinder> paths_;  ///< null: nobody asks whose fault it is
  RunRecorder recorder_;
  ApproximatePeriods periods_;
  PacketNetwork network_;
  RunMonitor monitor_;
  std::uint64_t hops_before_ = 0;  ///< the measurement began
  Results results_;
};

}  // namespace

Results simulate(const Experiment& e, const ProgressObserver& progress, RunFiles* files,
                 const protocols::Parallelism& parallelism, const MessageSink& sink) {
  const Reuse mode = e.scenario.run.reuse.mode;
  // Before a network exists: what it takes to find them is then free again.
  Ideals ideals{{e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload}, {}};
  ideals.jobs =
      ideal_jobs_of(e, ideals.times, [&] { return enter_stage(progress, "ideal times of jobs"); });
  Shortcuts shortcuts;
  // Periods are of the whole network, so that it has to be on one thread.
  if (mode == Reuse::kOn && parallelism.threads <= 1) shortcuts.trial_of_skips = trial_of_skips(e);
  Reusable reusable;
  std::string obstacle;
  if (mode != Reuse::kOff && has_calls(e.workload)) {
    obstacle = obstacle_to_reuse(e);
    if (obstacle.empty()) reusable = find_reusable(e);
  }
  for (;;) {
    std::optional<RunReuse> reuse;
    if (!reusable.is_empty()) reuse.emplace(e, network_options(e), reusable, mode);
    shortcuts.reuse = reuse ? &*reuse : nullptr;
    shortcuts.reusable = &reusable;
    std::optional<Results> results =
        PacketRun(e, shortcuts, ideals, progress, files, parallelism, sink).run();
    if (results) {
      if (!reuse) results->reuse.refusals = reusable.refusals();
      if (!obstacle.empty()) results->reuse.refusals = {"nothing is reused: " + obstacle};
      return std::move(*results);
    }
    if (reuse) reuse->exclude(reusable);
    if (files != nullptr) files->start_over();
  }
}

}  // namespace weft::scenarios
