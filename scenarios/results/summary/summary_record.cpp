#include "scenarios/results/summary/summary_record.hpp"
#include "scenarios/results/memo/reuse_record.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "scenarios/results/summary/network_record.hpp"
#include "scenarios/results/summary/pause_records.hpp"

namespace weft::scenarios {
namespace {

/// The double that is nearest, for JSON.
double in_seconds(Picoseconds t) { return static_cast<double>(t.count()) / 1e12; }

using nlohmann::ordered_json;

// The files have all.
constexpr std::size_t kCollectivesInJson = 1000;
constexpr std::size_t kStarvedInJson = 100;
constexpr std::size_t kPathStatesInJson = 100;

/// What only an engine of packets knows.
template <class T>
const T* if_packets(const Results& r, const T& known) {
  return r.has_packets ? &known : nullptr;
}
ordered_json thread_seconds_of(const protocols::ThreadTimes& times) {
  const auto count = static_cast<double>(times.busy_seconds.size());
  if (count < 2) return absent();
  const double sum = std::accumulate(times.busy_seconds.begin(), times.busy_seconds.end(), 0.0);
  const double max = std::ranges::max(times.busy_seconds);
  return {{"busy", times.busy_seconds},
          {"idle", times.idle_seconds},
          {"imbalance", sum > 0 ? max * count / sum : 1.0}};
}
template <class T>
ordered_json json_if(bool is_there, const T& value) {
  return is_there ? ordered_json(value) : absent();
}

const Record<JobResult>& job_record() {
  static const Record<JobResult> record = [] {
    Record<JobResult> job{fields_of(JobsTable::declaration())};
    const auto add = [&job](Field<JobResult> field) { job.fields.push_back(std::move(field)); };
    add({"messages", "posted since the measurement began",
         [](const JobResult& r) { return r.messages.count(); }});
    add({"completed_messages", "of these",
         [](const JobResult& r) { return r.messages.completed(); }});
    for (const char* quantity : {"fct_seconds/", "slowdown/"}) {
      add({std::string(quantity) + kCutOff,
           "of which messages these are, if the run was cut off before all were completed",
           [](const JobResult& r) {
             return cut_off_json(r.message_seconds ? cut_off_text(coverage_of(r)) : std::nullopt);
           }});
    }
    add({"bound_seconds", "what any algorithm takes at least; collectives only",
         [](const JobResult& r) {
           return json_if(r.bound.has_value(), in_seconds(r.bound.value_or(Picoseconds(0))));
         }});
    add({"bound_set_by", "what the bound is made of; collectives only",
         [](const JobResult& r) { return json_if(r.bound.has_value(), r.bound_set_by); }});
    add({"nominal_ideal_seconds",
         "the ideal time with all links at their nominal rates, where some are slower and it is "
         "shorter",
         [](const JobResult& r) {
           return json_if(r.nominal_ideal.has_value(),
                          in_seconds(r.nominal_ideal.value_or(Picoseconds(0))));
         }});
    add({"algorithm", "collectives only",
         [](const JobResult& r) { return json_if(!r.algorithm.empty(), r.algorithm); }});
    add({"protocol", "of NCCL; none: plain messages; collectives only",
         [](const JobResult& r) { return json_if(!r.algorithm.empty(), r.protocol); }});
    add({"choice", "why this algorithm, if it was not named",
         [](const JobResult& r) { return json_if(!r.choice.empty(), r.choice); }});
    return job;
  }();
  return record;
}

const Record<CollectiveRow>& collective_record() {
  static const Record<CollectiveRow> record = [] {
    Record<CollectiveRow> collective{fields_of(CollectivesTable::declaration())};
    collective.fields.emplace_back("critical_path_seconds/skipped",
                                   "stands for rounds that were skipped, if any were",
                                   [](const CollectiveRow& r) {
                                     const Picoseconds time = r.collective.path.not_simulated;
                                     return json_if(time > Picoseconds(0), in_seconds(time));
                                   });
    collective.fields.emplace_back(
        "estimated", "true, if it was skipped and repeats the one before",
        [](const CollectiveRow& r) { return json_if(r.collective.is_estimated, true); });
    return collective;
  }();
  return record;
}

const Record<IterationRow>& iteration_record() {
  static const Record<IterationRow> record = [] {
    Record<IterationRow> iteration{fields_of(IterationsTable::declaration())};
    iteration.fields.emplace_back(
        "estimated", "true, if it was skipped and repeats the one before",
        [](const IterationRow& r) { return json_if(r.iteration.is_estimated, true); });
    return iteration;
  }();
  return record;
}

std::optional<std::vector<CollectiveRow>> listed_collectives(const Results& r) {
  if (r.collectives.empty()) return {};
  std::vector<CollectiveRow> rows;
  rows.reserve(std::min(r.collectives.size(), kCollectivesInJson));
  for (const CollectiveResult& collective : at_most(r.collectives, kCollectivesInJson)) {
    rows.push_back({r.jobs[collective.job], collective});
  }
  return rows;
}

std::optional<std::vector<IterationRow>> listed_iterations(const Results& r) {
  if (r.iterations.empty()) return {};
  std::vector<IterationRow> rows;
  rows.reserve(std::min(r.iterations.size(), kCollectivesInJson));
  for (const IterationResult& iteration : at_most(r.iterations, kCollectivesInJson)) {
    rows.push_back({r.jobs[iteration.job], iteration});
  }
  return rows;
}

const Record<IncidentResult>& incident_record() {
  static const Record<IncidentResult> record{fields_of(IncidentsTable::declaration())};
  return record;
}

std::optional<std::span<const IncidentResult>> listed_incidents(const Results& r) {
  if (r.incidents.empty()) return {};
  return at_most(r.incidents, kCollectivesInJson);
}

const Record<ReactionRow>& reaction_record() {
  static const Record<ReactionRow> record{fields_of(ReactionsTable::declaration())};
  return record;
}

std::optional<std::vector<ReactionRow>> listed_reactions(const Results& r) {
  if (r.reactions.empty()) return {};
  std::vector<ReactionRow> rows;
  for (const ReactionResult& one : at_most(r.reactions, kCollectivesInJson)) {
    rows.push_back({r, r.jobs[one.job], one});
  }
  return rows;
}

/// Of a plane: columns of hosts that all have, summed up.
const Record<PathStateResult>& path_plane_record() {
  static const Record<PathStateResult> record = [] {
    Record<PathStateResult> plane{fields_of(PathStatesTable::declaration())};
    std::erase_if(plane.fields, [](const auto& field) { return field.name == "host"; });
    plane.fields.emplace_back("hosts", "that send by it",
                              [](const PathStateResult& r) { return r.hosts; });
    return plane;
  }();
  return record;
}

const Record<PathStateResult>& path_state_record() {
  static const Record<PathStateResult> record{fields_of(PathStatesTable::declaration())};
  return record;
}

const Record<PathChangeResult>& path_change_record() {
  static const Record<PathChangeResult> record{fields_of(PathChangesTable::declaration())};
  return record;
}

std::optional<std::vector<PathStateResult>> listed_path_planes(const Results& r) {
  if (r.path_states.empty()) return {};
  return sums_by_plane(r.path_states);
}

std::optional<std::vector<PathStateResult>> listed_path_states(const Results& r) {
  std::vector<PathStateResult> worst;
  for (const PathStateResult& one : r.path_states) {
    if (one.changes.failures > 0 || one.states.assumed_bad > 0) worst.push_back(one);
  }
  if (worst.empty()) return {};
  std::ranges::stable_sort(worst, [](const PathStateResult& a, const PathStateResult& b) {
    return a.changes.failures > b.changes.failures;
  });
  worst.resize(std::min(worst.size(), kPathStatesInJson));
  return worst;
}

std::optional<std::span<const PathChangeResult>> listed_path_changes(const Results& r) {
  if (r.path_changes.empty()) return {};
  return r.path_changes;
}

const Record<TrainingRow>& training_record() {
  static const Record<TrainingRow> record = [] {
    Record<TrainingRow> training{fields_of(TrainingTable::declaration())};
    training.fields.emplace_back(
        std::string("step_seconds/") + kCutOff,
        "of which iterations these are, if the run was cut off before all were ended",
        [](const TrainingRow& r) { return cut_off_json(cut_off_text(coverage_of(r))); });
    return training;
  }();
  return record;
}

std::optional<std::vector<TrainingRow>> listed_training(const Results& r) {
  if (r.training.empty()) return {};
  std::vector<TrainingRow> rows;
  rows.reserve(r.training.size());
  for (const TrainingResult& training : r.training) {
    rows.push_back({r.jobs[training.job], training});
  }
  return rows;
}

const Record<IsolatedRow>& isolated_record() {
  static const Record<IsolatedRow> record = [] {
    Record<IsolatedRow> isolated{fields_of(IsolatedTable::declaration())};
    isolated.fields.emplace_back(
        std::string("fct_p99_seconds/") + kCutOff,
        "of which messages `shared` is, if the run was cut off before all were completed",
        [](const IsolatedRow& r) {
          const bool is_there = r.isolated.shared.message_p99_seconds.has_value();
          return cut_off_json(is_there ? cut_off_text(coverage_of(r.job)) : std::nullopt);
        });
    return isolated;
  }();
  return record;
}

std::optional<std::vector<IsolatedRow>> listed_isolated(const Results& r) {
  if (r.isolated.empty()) return {};
  std::vector<IsolatedRow> rows;
  rows.reserve(r.isolated.size());
  for (const IsolatedResult& isolated : r.isolated) {
    rows.push_back({r.jobs[isolated.job], isolated});
  }
  return rows;
}

/// Sweeps call a class by its job and number.
const Record<SizeRow>& size_record() {
  static const Record<SizeRow> record = [] {
    Record<SizeRow> size;
    size.fields.emplace_back(
        "name", "of the job, and the number of the class",
        [](const SizeRow& r) { return r.job.name + "." + std::to_string(r.size.number); });
    for (Field<SizeRow>& field : fields_of(SizesTable::declaration())) {
      size.fields.push_back(std::move(field));
    }
    for (const char* quantity : {"fct_seconds/", "slowdown/"}) {
      size.fields.emplace_back(
          std::string(quantity) + kCutOff,
          "of which messages these are, if the run was cut off before all were completed",
          [](const SizeRow& r) {
            return cut_off_json(r.size.slowdown ? cut_off_text(coverage_of(r)) : std::nullopt);
          });
    }
    return size;
  }();
  return record;
}

std::optional<std::vector<SizeRow>> listed_sizes(const Results& r) {
  if (r.sizes.empty()) return {};
  std::vector<SizeRow> rows;
  rows.reserve(r.sizes.size());
  for (const SizeResult& size : r.sizes) rows.push_back({r.jobs[size.job], size});
  return rows;
}

/// Absent from results without packets.
std::optional<CoveredPercentiles> packet_latencies(const Results& r) {
  if (!r.has_packets) return {};
  const Coverage coverage = coverage_of(r);
  if (r.packet_latency.count() == 0) return CoveredPercentiles{{}, coverage};
  const auto seconds = [&r](double p) {
    return in_seconds(Picoseconds(r.packet_latency.quantile(p)));
  };
  return CoveredPercentiles{Percentiles{seconds(0.5), seconds(0.95), seconds(0.99), seconds(0.999),
                                        in_seconds(Picoseconds(r.packet_latency.max()))},
                            coverage};
}

std::optional<std::vector<StarvedQueue>> listed_starved(const Results& r) {
  if (!r.has_packets) return {};
  std::vector<StarvedQueue> starved = starved_queues(r);
  starved.resize(std::min(starved.size(), kStarvedInJson));
  return starved;
}

std::optional<std::vector<BlockedRow>> blocked_ports(const Results& r) {
  if (!r.has_packets) return {};
  std::vector<BlockedRow> rows;
  rows.reserve(r.deadlock.size());
  for (const protocols::BlockedPort& blocked : r.deadlock) rows.push_back({r, blocked});
  return rows;
}

std::vector<Field<Results>> identity_fields() {
  return {{"scenario", "its name", [](const Results& r) { return r.scenario; }},
          {summary_keys::kEngine, "packet or fluid", [](const Results& r) { return r.engine; }},
          {"version", "of weft", [](const Results& r) { return r.version; }},
          {summary_keys::kCommandLine, "that asked for the run, as a shell takes it",
           [](const Results& r) {
             const std::string& line = r.invocation.command_line;
             return json_if(!line.empty(), line);
           }},
          {summary_keys::kScenarioFile, "with its path",
           [](const Results& r) {
             const std::string& file = r.invocation.scenario_file;
             return json_if(!file.empty(), file);
           }},
          {summary_keys::kOverrides, "what `--set` and `--seed` changed, a list, if there are any",
           [](const Results& r) {
             const auto& overrides = r.invocation.overrides;
             return json_if(!overrides.empty(), overrides);
           }},
          {summary_keys::kWithout, "what `--without` took out, if anything",
           [](const Results& r) {
             const std::string& without = r.invocation.without;
             return json_if(!without.empty(), without);
           }},
          {summary_keys::kSeed, "", [](const Results& r) { return ordered_json(r.seed); }},
          {summary_keys::kScenario, "of the scenario with all its defaults",
           [](const Results& r) { return r.scenario_sha256; }},
          {summary_keys::kOutcome, "finished, horizon, stuck, deadlocked, stalled or interrupted",
           [](const Results& r) { return outcome_name(r.outcome); }},
          {"explanation", "who waits for whom, a list of sentences; if not finished",
           [](const Results& r) { return json_if(!r.explanation.empty(), r.explanation); }},
          {"warnings", "a list of sentences, if there are any",
           [](const Results& r) { return json_if(!r.warnings.empty(), r.warnings); }}};
}

/// Something was memoised or might have been.
/// Nobody asked for approximate periods: nothing.
const PeriodsReport* periods_of(const Results& r) { return r.periods ? &*r.periods : nullptr; }

const Record<PeriodsReport>& periods_record() {
  using Row = PeriodsReport;
  static const Record<Row> record{{
      {"tolerance", "as the scenario says", [](const Row& r) { return ratio(r.tolerance); }},
      {"spread", "of the periods that it goes by: (longest - shortest) / shortest",
       [](const Row& r) { return ordered_json(r.skipped.spread); }},
      {"rounds", "whole ones of calls, per rank and channel",
       [](const Row& r) { return r.skipped.rounds; }},
      {"rounds_skipped", "of these", [](const Row& r) { return r.skipped.rounds_skipped; }},
      {"iterations", "of the job", [](const Row& r) { return r.skipped.iterations; }},
      {"iterations_skipped", "of these", [](const Row& r) { return r.skipped.iterations_skipped; }},
      {"skipped_seconds",
       "that all of it stands for; times of jobs and iterations include it, messages, packets, "
       "ports, classes and percentiles do not",
       [](const Row& r) { return r.skipped.time; }},
      {"certainty", "bounded: its relative error is no larger than the spread; or estimate",
       [](const Row& r) { return r.estimate_because.empty() ? "bounded" : "estimate"; }},
      {"estimate_because", "why there is no bound, if there is none",
       [](const Row& r) { return json_if(!r.estimate_because.empty(), r.estimate_because); }},
      {"closest", "of periods that were not alike, the least spread; if there were some",
       [](const Row& r) {
         const std::optional<double>& closest = r.skipped.closest;
         return json_if(closest.has_value(), closest.value_or(0));
       }},
  }};
  return record;
}

std::vector<Field<Results>> cost_fields() {
  return {
      {"simulated_seconds", "time of the last event, or of the limit",
       [](const Results& r) { return r.simulated; }},
      {"measured_from_seconds", "end of the warm-up",
       [](const Results& r) { return r.measured_from; }},
      {"wall_seconds", "that the run took", [](const Results& r) { return ratio(r.wall_seconds); }},
      {"events", "since the measurement began; how many credits take depends on the partition",
       [](const Results& r) { return json_if(r.has_packets, r.totals.events); }},
      {"packet_hops", "transmissions of any packet on a link since then",
       [](const Results& r) { return json_if(r.has_packets, r.totals.packet_hops); }},
      {"threads", "that shared the work",
       [](const Results& r) { return json_if(r.has_packets, r.threads); }},
      {"thread_seconds",
       "of wall time, by thread: busy, idle (waiting for the end of a window, or for one that is "
       "worth sharing), and imbalance, the busiest thread's time over the mean; of several threads",
       [](const Results& r) { return thread_seconds_of(r.thread_times); }},
      {"logical_processes", "that the fabric was cut into",
       [](const Results& r) { return json_if(r.has_packets, r.logical_processes); }},
      {"lookahead_seconds", "of the logical processes",
       [](const Results& r) { return json_if(r.has_packets, in_seconds(r.lookahead)); }},
      {"reuse",
       "what was simulated once and replayed, as `run.reuse` says: gpu_sets (connected GPUs whose "
       "calls were replayed), gpus in them, calls of their ranks, epochs of communication, "
       "epochs_simulated (of an audit those that began as none before), epochs_ended_otherwise "
       "(of an audit), the same of rails (switches between servers), epoch_packet_hops and "
       "rail_packet_hops of both with those that were simulated, packet_hops_simulated of all "
       "packet_hops, skips inside long messages of what was simulated, with periods_skipped and "
       "packet_hops_skipped, and refusals, a list of sentences",
       [](const Results& r) { return json_of(r.reuse); }},
      object<Results>("periods", "what was skipped, where `run.reuse.periods` is approximate",
                      periods_record(), periods_of)};
}

std::vector<Field<Results>> result_fields() {
  return {
      list<Results>(summary_keys::kJobs, "a job", job_record(),
                    [](const Results& r) { return std::optional(std::span(r.jobs)); }),
      list<Results>("collectives", "an iteration of a collective that all ranks ended",
                    collective_record(), listed_collectives),
      list<Results>("iterations", "an iteration of a job that computes and communicates by itself",
                    iteration_record(), listed_iterations),
      list<Results>("training", "a training job that ended an iteration", training_record(),
                    listed_training),
      list<Results>("isolated", "a job beside the others and alone (`weft run --isolated`)",
                    isolated_record(), listed_isolated),
      list<Results>("sizes", "messages of a job whose sizes are in one class", size_record(),
                    listed_sizes),
      list<Results>("incidents", "a failure, by its begin", incident_record(), listed_incidents),
      list<Results>("reactions",
                    "a queue that congestion control reacted to when it held a job back",
                    reaction_record(), listed_reactions),
      list<Results>("path_planes",
                    "entropy values of all hosts that lead by one plane "
                    "(path_selection: ev-states)",
                    path_plane_record(), listed_path_planes),
      list<Results>("path_states", "those of a host, if some failed; most failures first",
                    path_state_record(), listed_path_states),
      list<Results>("path_changes", "an interval in which they changed, by plane",
                    path_change_record(), listed_path_changes),
      object<Results>("messages", "all of the run", messages_record(),
                      [](const Results& r) { return &r; }),
      object<Results>("packet_latency_seconds", "from a NIC to another", percentiles_record(),
                      packet_latencies),
      object<Results>("network", "since the measurement began", network_record(),
                      [](const Results& r) { return if_packets(r, r.totals); }),
      object<Results>("pause_storms", "pauses by their root", storms_record(),
                      [](const Results& r) { return if_packets(r, r); }),
      object<Results>("victims", "flows that a pause held though its root is off their path",
                      victims_record(), [](const Results& r) { return if_packets(r, r); }),
      list<Results>("credit_starved", "a class of a port that waited for credits, longest first",
                    starved_record(), listed_starved),
      list<Results>("deadlock", "a port that waits for the next one, the last for the first",
                    deadlock_record(), blocked_ports),
      {"lists_messages", "whether messages.csv is there",
       [](const Results& r) { return r.lists_messages; }},
      {summary_keys::kResults, "equal for equal results",
       [](const Results& r) { return r.digest(); }}};
}

}  // namespace

const char* row_name_key(std::string_view list) {
  return list == "training" || list == "isolated" ? "job" : "name";
}

const Record<Results>& summary_record() {
  static const Record<Results> record = [] {
    Record<Results> summary;
    for (auto part : {identity_fields(), cost_fields(), result_fields()}) {
      std::ranges::move(part, std::back_inserter(summary.fields));
    }
    return summary;
  }();
  return record;
}

}  // namespace weft::scenarios
