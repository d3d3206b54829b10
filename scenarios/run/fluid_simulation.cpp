#include "scenarios/run/fluid_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/message_outcomes.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/results/measure/collect_tables.hpp"
#include "scenarios/results/measure/iteration_collector.hpp"
#include "scenarios/results/measure/message_collector.hpp"
#include "scenarios/results/measure/tables/collect_jobs.hpp"
#include "scenarios/run/blame_run.hpp"
#include "scenarios/run/fluid_model.hpp"
#include "scenarios/run/observe.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/timeline/timeline.hpp"
#include "simcore/fluid/fluid_network.hpp"

namespace weft::scenarios {
namespace {

/// Whether jobs differ in the class of their messages.
bool has_classes(const Scenario& scenario) {
  return std::ranges::any_of(scenario.jobs, [&scenario](const auto& job) {
    return job.traffic_class != scenario.jobs.front().traffic_class;
  });
}

/// The keys of the scenario that a fluid knows nothing of, as far as they are in use.
std::vector<std::string> keys_without_effect(const Experiment& e) {
  const Scenario& scenario = e.scenario;
  std::vector<std::string> keys;
  const auto add_if = [&keys](bool is_used, const char* key) {
    if (is_used) keys.emplace_back(key);
  };
  const auto& classes = scenario.switches.classes;
  add_if(std::ranges::any_of(classes, &protocols::TrafficClass::is_lossless),
         "fabric.flow_control");
  add_if(std::ranges::any_of(classes, [](const auto& c) { return c.ecn.enabled; }), "fabric.ecn");
  add_if(drops_early(scenario.switches), "WRED and PFC watchdogs");
  add_if(!scenario.settings_changes.empty(), "fabric.changes");
  add_if(has_classes(scenario), "fabric.classes");
  add_if(std::ranges::any_of(classes,
                             [&scenario](const auto& c) {
                               return scenario.switches.balancing(c).type ==
                                      protocols::LoadBalancing::kFlowlet;
                             }),
         "flowlets");
  const std::vector<protocols::TransportConfig> transports = scenario.transports();
  add_if(std::ranges::any_of(transports,
                             [](const protocols::TransportConfig& transport) {
                               return !protocols::traits_of(transport).planes.weights.empty();
                             }),
         "transport.plane_weights");
  add_if(std::ranges::any_of(
             transports,
             [](const protocols::TransportConfig& transport) {
               const auto control = protocols::traits_of(transport).congestion_control;
               return !std::holds_alternative<protocols::congestion::NoControlConfig>(control);
             }),
         "transport.congestion_control");
  add_if(std::ranges::any_of(
             scenario.faults,
             [](const FaultSpec& f) { return f.kind() == protocols::Fault::Kind::kNicPause; }),
         "faults of NICs that pause");
  add_if(std::ranges::any_of(
             scenario.faults,
             [](const FaultSpec& f) { return f.kind() == protocols::Fault::Kind::kLinkLatency; }),
         "faults that add latency");
  add_if(std::ranges::any_of(e.fabric.ports, [](const Port& port) { return port.errors.any(); }),
         "errors of links");
  add_if(std::ranges::any_of(
             scenario.faults,
             [](const FaultSpec& f) { return f.kind() == protocols::Fault::Kind::kLinkErrors; }),
         "faults that corrupt frames");
  add_if(scenario.switches.link_retry.enabled, "fabric.link_retry");
  const ObserveSpec& observe = scenario.observe;
  add_if(observe.pauses || observe.credits || observe.queues || observe.marks || observe.rates ||
             observe.packets,
         "observe");
  return keys;
}

void warn_about_packets(const Experiment& e, Results& results) {
  const std::vector<std::string> keys = keys_without_effect(e);
  if (keys.empty()) return;
  std::string list = keys.front();
  for (std::size_t i = 1; i < keys.size(); ++i) {
    list += (i + 1 == keys.size() ? " and " : ", ") + keys[i];
  }
  results.warnings.push_back(
      "the fluid engine shares links fairly at once and knows no queues, marks, pauses or drops: " +
      list + (keys.size() == 1 ? " has" : " have") + " no effect");
}

Outcome outcome_of(FluidNetwork::Status status, bool is_limited, bool all_finished) {
  switch (status) {
    case FluidNetwork::Status::kInterrupted:
      return Outcome::kInterrupted;
    case FluidNetwork::Status::kQuiescent:
      return all_finished ? Outcome::kFinished : Outcome::kStuck;
    case FluidNetwork::Status::kTimeLimit:
      if (all_finished) return Outcome::kFinished;
      return is_limited ? Outcome::kHorizon : Outcome::kStalled;
  }
  return Outcome::kStuck;
}

/// By the time when they were over, and then the others, as the packet engine has them.
std::vector<protocols::MessageOutcome> outcomes_of(const Experiment& e, const FluidModel& model,
                                                   const FluidNetwork& network) {
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  std::vector<protocols::MessageOutcome> outcomes;
  protocols::JoinedParts parts;
  const bool splits = e.scenario.splits_messages();
  outcomes.reserve(network.messages().size());
  for (const FluidMessage& m : network.messages()) {
    const protocols::MessageOutcome outcome{.connection = m.connection,
                                            .queue_pair = protocols::QueuePairId(m.queue_pair),
                                            .entropy = model.entropy_of(m.connection, m.queue_pair),
                                            .bytes = m.bytes,
                                            .posted = m.posted,
                                            .delivered = m.delivered,
                                            .acknowledged = m.acknowledged};
    if (!splits || !transports.of(m.connection).is_split) {
      outcomes.push_back(outcome);
      continue;
    }
    const std::uint32_t queue_pairs = transports.queue_pairs_of(m.connection);
    const auto whole = parts.add(outcome, queue_pairs, m.queue_pair);
    if (whole) outcomes.push_back(*whole);
  }
  std::ranges::stable_sort(outcomes, {}, [](const protocols::MessageOutcome& m) {
    const bool is_pending = !m.delivered;
    return std::tuple(is_pending, std::max(m.delivered, m.acknowledged), m.connection);
  });
  return outcomes;
}

std::vector<double> bytes_by_port(const Experiment& e, const FluidModel& model,
                                  const FluidNetwork& network, std::uint32_t queue_pairs) {
  const std::size_t connections = e.workload.connections().size();
  std::vector<double> acks(connections * queue_pairs);
  for (const FluidMessage& m : network.messages()) {
    if (m.delivered < std::max(e.scenario.run.warmup, Picoseconds(0))) continue;
    acks[std::size_t{m.connection.value()} * queue_pairs + m.queue_pair] +=
        static_cast<double>(model.ack_bytes(m.connection, m.bytes));
  }
  std::vector<double> by_port(e.fabric.ports.size());
  for (std::size_t i = 0; i < acks.size(); ++i) {
    const ConnectionId connection(i / queue_pairs);
    const auto queue_pair = static_cast<std::uint32_t>(i % queue_pairs);
    const double data = network.carried(connection, queue_pair);
    if (data > 0 || acks[i] > 0) {
      model.add_port_bytes(connection, queue_pair, data, acks[i], by_port);
    }
  }
  return by_port;
}

/// Bytes are all that the engine knows of ports.
std::vector<protocols::PortCounters> fluid_counters(const std::vector<double>& bytes) {
  std::vector<protocols::PortCounters> counters(bytes.size());
  for (std::size_t p = 0; p < bytes.size(); ++p) counters[p].bytes = Bytes(std::llround(bytes[p]));
  return counters;
}

/// What is left of the timeline when the run is over.
void show_fluid(std::span<const protocols::MessageOutcome> outcomes,
                collectives::Executor& executor, Picoseconds now, Timeline& timeline) {
  executor.end_watch(now);
  timeline.take_activities();
  const auto pending = std::ranges::find_if(
      outcomes, [](const protocols::MessageOutcome& m) { return !m.delivered; });
  const auto ended = static_cast<std::size_t>(pending - outcomes.begin());
  timeline.add(outcomes.first(ended));
  timeline.add_pending(outcomes.subspan(ended), now);
}

}  // namespace

Errors check_fluid(const Experiment& e) {
  const auto sprays = [&e](const Connection& connection) {
    return e.scenario.sprays(connection.traffic_class, connection.transport);
  };
  const auto& connections = e.workload.connections();
  Errors errors;
  if (std::ranges::any_of(connections, sprays) && !std::ranges::all_of(connections, sprays)) {
    errors.push_back({"sprays some jobs' packets and not others'; the fluid engine does either",
                      {.key = "fabric.classes"}});
  }
  if (!e.workload.groups().empty()) {
    errors.push_back(
        {"has a collective by `nvls` or `nvls-tree`, which switches add up packet by packet; the "
         "fluid engine has no packets, so choose another algorithm",
         {.key = "jobs"}});
  }
  if (e.scenario.run.reuse.periods == Periods::kApproximate) {
    errors.push_back({"is `approximate`; the fluid engine has no rounds to leave out",
                      {.key = "run.reuse.periods"}});
  }
  const bool selects_planes =
      std::ranges::any_of(e.scenario.transports(), [](const auto& transport) {
        return protocols::traits_of(transport).planes.choice !=
               protocols::PlaneConfig::Choice::kBalanced;
      });
  const bool loses_links = std::ranges::any_of(e.faults, [](const protocols::Fault& fault) {
    return fault.kind == protocols::Fault::Kind::kLinkDown;
  });
  if (selects_planes && loses_links) {
    errors.push_back(
        {"moves packets to other planes when links fail, which the fluid engine cannot",
         {.key = "transport.plane_choice"}});
  }
  if (!e.route_changes.changes.empty()) {
    errors.push_back(
        {"moves flows to other paths during the run, which the fluid engine cannot; "
         "with `never` they wait until the link is back",
         {.key = "fabric.convergence"}});
  }
  StaticFindings routes;
  check_routes(e, Loops::kRefused, routes);
  errors.insert(errors.end(), routes.errors.begin(), routes.errors.end());
  return errors;
}

double fluid_seconds(const Experiment& e, double messages) {
  constexpr double kSecondsPerMessage = 3e-6;
  constexpr double kSecondsPerFlow = 0.5e-6;
  constexpr double kStart = 0.05;
  double flows = 0;
  double drawn = 0;
  for (std::uint32_t j = 0; j < e.workload.jobs().size(); ++j) {
    const collectives::JobPlan& plan = e.workload.jobs()[j];
    double of_job = 0;
    double in_service = 0;
    for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
      const auto sends = plan.program->drawn_sends(rank);
      if (!sends) break;
      of_job += sends->messages;
      in_service += std::sqrt(sends->messages);
    }
    if (of_job == 0) continue;
    const double load = offered_load(e, j);
    const double left = load > 1 ? of_job * (1 - 1 / load) / 2 : 0;
    drawn += of_job;
    flows += std::max(in_service, left);
  }
  return kStart + messages * kSecondsPerMessage + drawn * flows * kSecondsPerFlow;
}

Results simulate_fluid(const Experiment& e, const ProgressObserver& observer,
                       const MessageSink& sink, Timeline* timeline, const RunMode& mode) {
  const auto begin = std::chrono::steady_clock::now();
  ZeroLoadTimes ideals(e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload);
  FluidModel model(e, mode, ideals);
  FluidNetwork::Plan plan = model.plan();
  const std::uint32_t queue_pairs =
      std::max(plan.queue_pairs, max_queue_pairs(e.workload.connections()));
  const FluidNetwork::Plan sharing = plan;
  FluidNetwork network(e.workload.process_hosts().size(), e.workload.connections(),
                       std::move(plan));
  using Spans = collectives::Executor::Spans;
  const bool blames = e.scenario.observe.blame && !mode.lone_job;
  collectives::Executor executor(e.workload, blames ? Spans::kOfAll : Spans::kKept, mode.lone_job);
  std::optional<PathFinder> paths;
  if (blames) paths.emplace(e, executor);
  if (timeline != nullptr) executor.watch(timeline->activities());
  const FluidNetwork::Status status = network.run(
      executor, e.scenario.run.until, e.scenario.run.warmup,
      [&observer, timeline](Picoseconds now, std::uint64_t messages) {
        if (timeline != nullptr) timeline->take_activities();
        return !observer || observer({.now = now, .count = messages, .done = {}, .stall = {}});
      });

  Results results;
  results.engine = "fluid";
  results.has_packets = false;
  results.scenario = e.scenario.name;
  results.seed = e.scenario.seed;
  StaticFindings routes;
  check_routes(e, Loops::kRefused, routes);
  results.warnings = std::move(routes.warnings);
  warn_about_packets(e, results);
  const bool has_named_end =
      e.scenario.run.until && *e.scenario.run.until <= FluidNetwork::kLongestRun;
  results.outcome = outcome_of(status, has_named_end, executor.all_finished());
  if (results.outcome == Outcome::kStalled) {
    results.explanation.push_back(
        fmt::format("the run came to {}, where every run ends at the latest; `run.until` names an "
                    "earlier end",
                    format_time(FluidNetwork::kLongestRun)));
  }
  results.simulated = network.now();
  results.measured_from = std::min(e.scenario.run.warmup, results.simulated);
  results.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  const auto continues = [&] { return enter_stage(observer, "ideal times of jobs"); };
  const EndedRun run{e, executor,
                     mode.lone_job ? std::vector<ZeroLoadTimes::Job>(e.workload.jobs().size())
                                   : ideal_jobs_of(e, ideals, continues),
                     fluid_counters(bytes_by_port(e, model, network, queue_pairs))};
  collect_jobs(run, results);
  const std::vector<protocols::MessageOutcome> outcomes = outcomes_of(e, model, network);
  if (timeline != nullptr) show_fluid(outcomes, executor, results.simulated, *timeline);
  MessageCollector messages(e, executor, ideals, sink);
  messages.add(outcomes);
  messages.finish(results);
  IterationCollector collectives(e, executor, ideals, paths ? &*paths : nullptr);
  if (paths) paths->add(outcomes);
  collectives.add(outcomes);
  collectives.finish([&e] { return BlockedTimes(e, {}, {}); }, results);
  if (paths) {
    const FluidSharers sharers(e, network.messages(), sharing.route_of, sharing.capacities);
    find_blame_by_ideal(e, paths->finish(), ideals, sharers, timeline, results);
  }
  if (timeline != nullptr) end_timeline(*timeline, results);
  collect_tables(run, results);
  if (!is_success(results.outcome)) explain_jobs(e, executor, results);
  return results;
}

}  // namespace weft::scenarios
