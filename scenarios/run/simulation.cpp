#include "scenarios/run/simulation.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/measure/collect_switching.hpp"
#include "scenarios/results/measure/collect_tables.hpp"
#include "scenarios/results/measure/run_recorder.hpp"
#include "scenarios/results/measure/tables/collect_incidents.hpp"
#include "scenarios/results/measure/tables/collect_jobs.hpp"
#include "scenarios/results/measure/tables/collect_paths.hpp"
#include "scenarios/results/measure/tables/lasting_incidents.hpp"
#include "scenarios/run/blame_run.hpp"
#include "scenarios/run/memo/approximate_periods.hpp"
#include "scenarios/run/memo/shortcuts.hpp"
#include "scenarios/run/network_options.hpp"
#include "scenarios/run/observe.hpp"
#include "scenarios/run/parts/invariants.hpp"
#include "scenarios/run/parts/run_part.hpp"
#include "scenarios/run/run_monitor.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {
namespace {

using protocols::PacketNetwork;

Timeline* timeline_of(RunFiles* files) { return files == nullptr ? nullptr : files->timeline(); }

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
    results.warnings.push_back(
        fmt::format("{} of class {} {} dropped by full buffers although the class is lossless",
                    counted(drops, "packet"), traffic_class.name, drops == 1 ? "was" : "were"));
  }
}

/// The ports at which PFC watchdogs found pauses that lasted.
void warn_of_storms(const Experiment& e, Results& results) {
  constexpr std::size_t kMaxNamed = 3;
  std::size_t ports = 0;
  for (const PortResult& port : results.ports) {
    if (port.counters.pause_storms == 0 || ++ports > kMaxNamed) continue;
    const Node& peer = e.fabric.node(e.fabric.peer_node(port.port));
    results.warnings.push_back(fmt::format(
        "{} held {} paused for longer than its PFC watchdog bears (storms: {}): {}", peer.name,
        port.name, format_count(port.counters.pause_storms),
        port.counters.watchdog_drops > 0
            ? counted(port.counters.watchdog_drops, "packet was", "packets were") + " dropped there"
            : "what waited was sent all the same"));
  }
  if (ports > kMaxNamed) {
    results.warnings.push_back("PFC watchdogs found storms at " +
                               counted(static_cast<std::int64_t>(ports - kMaxNamed), "more port"));
  }
}

/// The links whose retry gave up what it had sent.
void warn_of_flushes(Results& results) {
  constexpr std::size_t kMaxNamed = 3;
  std::size_t ports = 0;
  for (const PortResult& port : results.ports) {
    if (port.counters.retry_flushes == 0 || ++ports > kMaxNamed) continue;
    const std::string times = format_count(port.counters.retry_flushes);
    if (port.counters.retry_drops == 0) {
      results.warnings.push_back(fmt::format(
          "{} gave up what it had sent (times: {}) although all of it had come: ACKs of the link "
          "take longer; let fabric.link_retry.timeout and max_age be more",
          port.name, times));
      continue;
    }
    results.warnings.push_back(fmt::format(
        "{} got no answer to what it sent again until its link retry gave up (times: {}): {} "
        "lost there; mend the link, or let fabric.link_retry.replays be more",
        port.name, times, counted(port.counters.retry_drops, "packet was", "packets were")));
  }
  if (ports > kMaxNamed) {
    results.warnings.push_back(
        fmt::format("the retry of {} gave up",
                    counted(static_cast<std::int64_t>(ports - kMaxNamed), "more link")));
  }
}

/// The link that its retry held most, where nothing was corrupted and frames are so small that
/// their number is the limit: `weft check` knows of full packets only.
void warn_of_small_frames(const Experiment& e, Results& results) {
  constexpr double kMinShare = 0.1;
  const protocols::LinkRetryConfig& retry = e.scenario.switches.link_retry;
  if (!retry.enabled) return;
  const PortResult* worst = nullptr;
  for (const PortResult& port : results.ports) {
    const protocols::PortCounters& c = port.counters;
    const bool is_by_number =
        c.packets > 0 && c.bytes / c.packets * retry.frames < retry.outstanding;
    if (!is_by_number || c.replays > 0) continue;
    if (worst == nullptr || c.retry_held_time > worst->counters.retry_held_time) worst = &port;
  }
  if (worst == nullptr) return;
  const protocols::PortCounters& c = worst->counters;
  const double share = to_seconds(c.retry_held_time) / to_seconds(results.simulated);
  if (share < kMinShare) return;
  const Bytes mean = c.bytes / c.packets;
  results.warnings.push_back(fmt::format(
      "{} waited for ACKs of its link for {:.0f} % of the run: its frames have {} on average, and "
      "{} may be outstanding; let fabric.link_retry.frames be more",
      worst->name, 100 * share, format_bytes(static_cast<double>(mean.count())), retry.frames));
}

/// What was to happen, or to be counted, when all was over.
void warn_of_lateness(const Experiment& e, const collectives::Executor& executor,
                      Results& results) {
  if (!executor.all_finished()) return;
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
  const std::vector<ConnectionId> all_failed = network.failed_connections();
  if (results.outcome == Outcome::kStuck || results.outcome == Outcome::kStalled) {
    const auto causes = describe_lasting_incidents(e, all_failed, results);
    results.explanation.insert(results.explanation.begin(), causes.begin(), causes.end());
  }
  std::size_t said = 0;
  for (const ConnectionId failed : all_failed) {
    const Connection& c = e.workload.connections()[failed.value()];
    const auto host = [&e](ProcessId p) {
      return e.fabric.host(e.workload.process_hosts()[p.value()]).name;
    };
    results.explanation.push_back("a queue pair from " + host(c.source) + " to " +
                                  host(c.destination) + " gave up after its retries");
    if (++said == 10) break;
  }
  explain_jobs(e, executor, results);
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

}  // namespace

bool enter_stage(const ProgressObserver& progress, const char* stage) {
  if (!progress) return true;
  Progress now;
  now.stage = stage;
  now.state = [](std::size_t /*ports*/) { return RunState{}; };
  return progress(now);
}

namespace {

/// What a run is measured by.
struct Ideals {
  ZeroLoadTimes times;
  std::vector<ZeroLoadTimes::Job> jobs;
};

/// Who is to blame is asked of the run.
class BlamePart final : public RunPart {
 public:
  /// All must outlive it.
  BlamePart(const Experiment& experiment, PathFinder& paths, ZeroLoadTimes& ideals, BlameRun how)
      : e_(experiment), paths_(paths), ideals_(ideals), how_(std::move(how)) {}

  void conclude(Results& results) override {
    find_blame(e_, paths_.finish(), ideals_, how_, results);
  }

 private:
  const Experiment& e_;
  PathFinder& paths_;
  ZeroLoadTimes& ideals_;
  const BlameRun how_;
};

class TimelinePart final : public RunPart {
 public:
  /// Both must outlive it.
  TimelinePart(const Experiment& experiment, Timeline& timeline)
      : e_(experiment), line_(timeline) {}

  void configure(PacketNetwork::Options& options) override {
    add_on_period(options, [this] { line_.take_activities(); });
  }
  void start(PacketNetwork& network, collectives::Executor& executor) override {
    network_ = &network;
    executor_ = &executor;
    executor.watch(line_.activities());
  }
  void collect(Results& results) override {
    executor_->end_watch(results.simulated);
    line_.take_activities();
    if (e_.scenario.observe.pauses) line_.add(network_->pauses());
  }
  void conclude(Results& results) override { end_timeline(line_, results); }

 private:
  const Experiment& e_;
  Timeline& line_;
  PacketNetwork* network_ = nullptr;
  collectives::Executor* executor_ = nullptr;
};

/// One run of the packet engine, from its set-up to its results.
class PacketRun {
 public:
  /// All must outlive it; `files` may be null.
  PacketRun(const Experiment& experiment, const RunMode& mode, Shortcuts& shortcuts, Ideals& ideals,
            const ProgressObserver& progress, RunFiles* files,
            const protocols::Parallelism& parallelism, const MessageSink& sink)
      : e_(experiment),
        mode_(mode),
        ideals_(ideals),
        progress_(progress),
        files_(files),
        blames_(experiment.scenario.observe.blame && !mode.lone_job),
        executor_(
            experiment.workload,
            blames_ ? collectives::Executor::Spans::kOfAll : collectives::Executor::Spans::kKept,
            mode.lone_job),
        paths_(blames_ ? std::make_unique<PathFinder>(experiment, executor_) : nullptr),
        recorder_(experiment, executor_, ideals.times, sink, paths_.get(), timeline_of(files)),
        parts_(make_parts(shortcuts, parallelism)),
        network_(experiment.fabric, experiment.routes, make_options(parallelism),
                 experiment.workload.process_hosts(), experiment.workload.connections(),
                 experiment.workload.groups()),
        monitor_(experiment, mode, network_) {
    for (const auto& part : parts_) part->start(network_, executor_);
    for (const auto& part : parts_) monitor_.follow(*part);
    if (files != nullptr) name_flows(e_, network_, *files);
    monitor_.follow(executor_, recorder_);
    results_.warnings = e_.warnings;
  }
  PacketRun(const PacketRun&) = delete;
  PacketRun& operator=(const PacketRun&) = delete;

  /// Nothing, if a part abandoned it.
  std::optional<Results> run() {
    const PacketNetwork::Status status = simulate_all();
    if (progress_) progress_(monitor_.last());
    enter_stage(progress_, "collecting results");
    if (files_ != nullptr) files_->finish_traces();
    // What reuse has given up on tells no more ends: that is no standstill of the model.
    if (!is_abandoned() && has_stood_still(status, executor_)) {
      for (const auto& part : parts_) part->note_standstill();
    }
    if (is_abandoned()) return std::nullopt;
    require_invariants(network_.violated_invariants(status == PacketNetwork::Status::kQuiescent));
    RunEnd end{status, network_.last_event(), network_.now()};
    for (const auto& part : parts_) part->end(end, results_);
    note_end(end);
    collect(end);
    for (const auto& part : parts_) part->conclude(results_);
    return std::move(results_);
  }

 private:
  using RunParts = std::vector<std::unique_ptr<RunPart>>;

  [[nodiscard]] RunParts make_parts(Shortcuts& shortcuts,
                                    const protocols::Parallelism& parallelism) {
    Timeline* const timeline = timeline_of(files_);
    RunParts parts;
    parts.push_back(shortcuts.part(recorder_, paths_.get()));
    parts.push_back(std::make_unique<ApproximatePeriods>(e_, mode_, executor_));
    if (blames_) {
      parts.push_back(std::make_unique<BlamePart>(
          e_, *paths_, ideals_.times,
          BlameRun{mode_, parallelism, progress_, timeline,
                   [&shortcuts] { return shortcuts.part_of_second_run(); }}));
    }
    if (timeline != nullptr) parts.push_back(std::make_unique<TimelinePart>(e_, *timeline));
    return parts;
  }

  [[nodiscard]] PacketNetwork::Options make_options(const protocols::Parallelism& parallelism) {
    PacketNetwork::Options options = network_options(e_, mode_);
    options.parallelism = parallelism_ = parallelism;
    options.on_many_messages = [this] { recorder_.take(network_); };
    if (files_ != nullptr) observe(e_, *files_, options);
    for (const auto& part : parts_) part->configure(options);
    has_own_plan_ = options.cut == e_.scenario.run.partition && !options.keeps_domains_whole;
    return options;
  }

  [[nodiscard]] bool is_abandoned() const {
    return std::ranges::any_of(parts_, [](const auto& part) { return part->is_abandoned(); });
  }

  /// Whether the run continues; asked now and then.
  bool observe_windows(Picoseconds now, std::uint64_t packet_hops) {
    if (files_ != nullptr && files_->has_failed()) return false;
    for (const auto& part : parts_) part->note_progress(packet_hops);
    if (is_abandoned()) return false;
    return !progress_ || progress_(monitor_.poll(now, packet_hops));
  }

  PacketNetwork::Status simulate_all() {
    const auto observer = [this](Picoseconds now, std::uint64_t hops) {
      return observe_windows(now, hops);
    };
    network_.start(executor_);
    const Picoseconds until = e_.scenario.run.until.value_or(PacketNetwork::kLongestRun);
    PacketNetwork::Status status = PacketNetwork::Status::kTimeLimit;
    if (e_.scenario.run.warmup > Picoseconds(0)) {
      const Picoseconds end = std::min(e_.scenario.run.warmup, until);
      status = network_.run_until(end, observer);
      begin_measurement(status, end);
    }
    while (status == PacketNetwork::Status::kTimeLimit) {
      Picoseconds next = until;
      for (const auto& part : parts_) next = std::min(next, part->next_poll(network_.now()));
      status = network_.run_until(next, observer);
      if (next == until) break;
      if (status == PacketNetwork::Status::kTimeLimit) {
        for (const auto& part : parts_) part->poll(next);
      }
    }
    return status;
  }

  /// The warm-up, which was to last until `end`, is over.
  void begin_measurement(PacketNetwork::Status status, Picoseconds end) {
    MeasurementBegin begin{.status = status, .planned = end, .from = network_.now()};
    for (const auto& part : parts_) part->begin_measurement(begin);
    results_.measured_from = begin.from;
    network_.reset_statistics();
    recorder_.begin_measurement();
  }

  /// What the run was, and how it ended.
  void note_end(const RunEnd& end) {
    results_.scenario = e_.scenario.name;
    results_.seed = e_.scenario.seed;
    results_.threads = network_.threads();
    results_.thread_times = network_.thread_times();
    // Where parts have the network keep domains whole, or be one process, that is not the model's.
    const LpPlan plan = has_own_plan_ ? network_.lp_plan() : plan_of(e_, parallelism_);
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
    results_.has_trims = network_.trims();
    results_.has_retries = e_.scenario.switches.link_retry.enabled;
    results_.has_early_drops = drops_early(e_.scenario.switches);
    results_.packet_latency = network_.packet_latency();
    results_.packet_latency_by_size = network_.packet_latencies();
    results_.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();

    const EndedRun run{e_, executor_, ideals_.jobs, port_counters(e_, network_), &network_};
    collect_jobs(run, results_);
    recorder_.finish(network_, results_);
    for (const auto& part : parts_) part->collect(results_);
    collect_incidents(run, results_);
    collect_paths(run, results_);
    // What is collected has room where queue pairs had it; what failed they have to explain.
    const bool is_quiescent = end.status == PacketNetwork::Status::kQuiescent;
    if (is_quiescent && is_success(results_.outcome)) network_.forget_flows();
    collect_tables(run, results_);
    collect_deadlock(network_, results_);
    explain(e_, network_, executor_, results_);
    warn_of_lossless_drops(e_, results_);
    warn_of_storms(e_, results_);
    warn_of_flushes(results_);
    warn_of_small_frames(e_, results_);
    if (!mode_.lone_job) warn_of_lateness(e_, executor_, results_);
    for (std::string& warning : stall_warnings(e_, network_)) {
      results_.warnings.push_back(std::move(warning));
    }
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Experiment& e_;
  const RunMode& mode_;
  Ideals& ideals_;
  const ProgressObserver& progress_;
  RunFiles* const files_;
  const bool blames_;
  collectives::Executor executor_;
  std::unique_ptr<PathFinder> paths_;  ///< null: nobody asks whose fault it is
  RunRecorder recorder_;
  const RunParts parts_;
  protocols::Parallelism parallelism_;
  bool has_own_plan_ = true;  ///< no part has changed how the network is cut
  PacketNetwork network_;
  RunMonitor monitor_;
  Results results_;
};

}  // namespace

Results simulate(const Experiment& e, const ProgressObserver& progress, RunFiles* files,
                 const protocols::Parallelism& parallelism, const MessageSink& sink,
                 const RunMode& mode) {
  // Before a network exists: what it takes to find them is then free again.
  Ideals ideals{{e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload}, {}};
  const auto continues = [&] { return enter_stage(progress, "ideal times of jobs"); };
  ideals.jobs = mode.lone_job ? std::vector<ZeroLoadTimes::Job>(e.workload.jobs().size())
                              : ideal_jobs_of(e, ideals.times, continues);
  Shortcuts shortcuts(e, mode, parallelism);
  for (;;) {
    std::optional<Results> results =
        PacketRun(e, mode, shortcuts, ideals, progress, files, parallelism, sink).run();
    if (results) return std::move(*results);
    shortcuts.exclude();
    if (files != nullptr) files->start_over();
  }
}

}  // namespace weft::scenarios
