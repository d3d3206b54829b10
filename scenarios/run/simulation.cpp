#include "scenarios/run/simulation.hpp"

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

/// Nothing, where one of them was discarded; skips are then none of them any more, if it was they.
std::optional<Results> simulate_with(Shortcuts& shortcuts, const Experiment& e, Ideals& ideals,
                                     const ProgressObserver& progress, RunFiles* files,
                                     const protocols::Parallelism& parallelism,
                                     const MessageSink& sink) {
  RunReuse* const reuse = shortcuts.reuse;
  const auto begin = std::chrono::steady_clock::now();
  using Spans = collectives::Executor::Spans;
  const bool blames = e.scenario.observe.blame && !e.lone_job;
  collectives::Executor executor(e.workload, blames ? Spans::kOfAll : Spans::kKept, e.lone_job);
  std::optional<PathFinder> paths;
  if (blames) paths.emplace(e, executor);
  Timeline* timeline = timeline_of(files);
  if (timeline != nullptr) executor.watch(timeline->activities());
  RunRecorder recorder(e, executor, ideals.times, sink, paths ? &*paths : nullptr, timeline);
  const bool memoises = reuse != nullptr && e.scenario.run.reuse.mode == Reuse::kOn;
  const bool may_skip = shortcuts.trial_of_skips.has_value();
  if (reuse != nullptr || may_skip) recorder.keep_rows();
  if (memoises) {
    executor.delegate_calls(*reuse);
    recorder.follow(*reuse);
    if (paths) paths->follow(*reuse);
  } else if (reuse != nullptr) {
    executor.set_observer(*reuse);
  }
  ApproximatePeriods periods(e, executor);
  PacketNetwork* running = nullptr;
  BetweenWindows between{.take = [&] { recorder.take(*running); },
                         .collect_memoised = {},
                         .is_one = reuse != nullptr && reuse->has_rails(),
                         .skips = may_skip};
  const bool has_own_cut = reuse != nullptr || between.skips;
  if (reuse != nullptr) {
    between.collect_memoised = [&] {
      if (memoises && reuse->is_full()) recorder.take_reused(*running, executor);
    };
  }
  PacketNetwork network = make_network(e, files, parallelism, std::move(between));
  running = &network;
  if (memoises) {
    network.set_external_deliveries([reuse](Picoseconds since, Picoseconds until) {
      return reuse->was_delivered(since, until);
    });
  }
  if (files != nullptr) name_flows(e, network, *files);
  RunMonitor monitor(e, network);
  monitor.follow(executor, recorder);
  if (memoises) monitor.follow(*reuse);
  // Of a step that is memoised in part, what has long messages, its gradients, comes last.
  bool is_on_trial = may_skip && !memoises;
  const auto observer = [&](Picoseconds now, std::uint64_t packet_hops) {
    if (files != nullptr && files->has_failed()) return false;
    if (reuse != nullptr && reuse->is_abandoned()) return false;
    if (is_on_trial && packet_hops >= *shortcuts.trial_of_skips) {
      is_on_trial = false;
      if (network.skips().packet_hops < packet_hops / 2) shortcuts.trial_of_skips.reset();
    }
    if (may_skip && !shortcuts.trial_of_skips) return false;
    return !progress || progress(monitor.look(now, packet_hops));
  };
  network.start(executor);

  Results results;
  results.scenario = e.scenario.name;
  results.seed = e.scenario.seed;
  results.warnings = e.warnings;
  results.threads = network.threads();
  // Where domains are kept whole, or all is one, that is no part of the model.
  const LpPlan plan = has_own_cut ? plan_of(e) : network.lp_plan();
  results.logical_processes = plan.lp_count;
  results.lookahead = plan.lookahead;
  const Picoseconds until = e.scenario.run.until.value_or(PacketNetwork::kLongestRun);
  PacketNetwork::Status status = PacketNetwork::Status::kTimeLimit;
  std::uint64_t hops_before = 0;
  if (e.scenario.run.warmup > Picoseconds(0)) {
    const Picoseconds end = std::min(e.scenario.run.warmup, until);
    status = network.run_until(end, observer);
    results.measured_from = network.now();
    if (memoises && !reuse->is_abandoned()) {
      results.measured_from = end_warmup(*reuse, network, status, end);
      recorder.take_reused(network, executor);
    }
    hops_before = network.packet_hops();
    network.reset_statistics();
    recorder.begin_measurement();
  }
  if (status == PacketNetwork::Status::kTimeLimit) {
    status = periods.run_until(network, until, observer);
  }

  if (progress) progress(monitor.last());
  enter_stage(progress, "collecting results");
  if (files != nullptr) files->finish_traces();
  if (memoises && has_stood_still(status, executor)) reuse->note_standstill();
  if (reuse != nullptr && reuse->is_abandoned()) return std::nullopt;
  if (may_skip && !shortcuts.trial_of_skips) return std::nullopt;

  require_invariants(network.violated_invariants(status == PacketNetwork::Status::kQuiescent));
  RunEnd end{status, network.last_event(), network.now()};
  if (reuse != nullptr) {
    close_epochs(*reuse, e.scenario.run.until, end);
    if (memoises) recorder.take_reused(network, executor);
    require_invariants(reuse->violations());
    results.reuse = reuse->report(*shortcuts.reusable);
    results.reuse.simulated_hops += hops_before + network.packet_hops() - reuse->hops_taken();
  } else {
    results.reuse.mode = e.scenario.run.reuse.mode;
    results.reuse.simulated_hops = hops_before + network.packet_hops();
  }
  results.reuse.skips += network.skips();
  results.reuse.simulated_hops -= network.skips().packet_hops;
  const bool is_quiescent = end.status == PacketNetwork::Status::kQuiescent;
  const bool has_named_end = is_named(e.scenario.run.until);
  results.outcome = outcome_of(end.status, executor.all_finished(), has_named_end);
  if (end.status == PacketNetwork::Status::kTimeLimit && !has_named_end &&
      results.outcome == Outcome::kStalled) {
    results.explanation.push_back(
        fmt::format("the run came to {}, where every run ends at the latest; `run.until` names an "
                    "earlier end",
                    format_time(PacketNetwork::kLongestRun)));
  }
  results.simulated = is_quiescent ? end.last_event : end.stopped;
  if (end.status == PacketNetwork::Status::kStalled && executor.all_finished()) {
    results.simulated = end_of_jobs(e, executor);
  }
  network.end_observation();
  results.totals = network.totals();
  results.has_link_errors = network.has_link_errors();
  results.packet_latency = network.packet_latency();
  results.packet_latency_by_size = network.packet_latencies();
  results.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  periods.tell(results.totals, results);
  const EndedRun run{e, executor, ideals.jobs, port_counters(e, network), &network};
  collect_jobs(run, results);
  recorder.finish(network, results);
  periods.add_iterations(results);
  if (timeline != nullptr) {
    executor.end_watch(results.simulated);
    timeline->take_activities();
    if (e.scenario.observe.pauses) timeline->add(network.pauses());
  }
  // What is collected has room where queue pairs had it; what failed they have to explain.
  if (is_quiescent && is_success(results.outcome)) network.forget_flows();
  collect_tables(run, results);
  collect_deadlock(network, results);
  explain(e, network, executor, results);
  warn_of_lossless_drops(e, results);
  warn_of_lateness(e, executor, results);
  for (std::string& warning : stall_warnings(e, network)) {
    results.warnings.push_back(std::move(warning));
  }
  if (paths) {
    find_blame(e, paths->finish(), ideals.times,
               {parallelism, progress, timeline, memoises ? shortcuts.reusable : nullptr}, results);
  }
  if (timeline != nullptr) end_timeline(*timeline, results);
  return results;
}

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
        simulate_with(shortcuts, e, ideals, progress, files, parallelism, sink);
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
