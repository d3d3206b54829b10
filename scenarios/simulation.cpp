#include "scenarios/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "collectives/collective_program.hpp"
#include "collectives/executor.hpp"
#include "protocols/cell_cut.hpp"
#include "scenarios/collect.hpp"
#include "scenarios/collect_collectives.hpp"
#include "scenarios/collect_switching.hpp"
#include "scenarios/connection_transports.hpp"
#include "scenarios/format.hpp"
#include "scenarios/ideal_times.hpp"
#include "scenarios/limits.hpp"
#include "scenarios/load_scenario.hpp"
#include "scenarios/rail_forwarding.hpp"
#include "scenarios/rank_layouts.hpp"
#include "scenarios/resolve_faults.hpp"
#include "scenarios/resolve_observation.hpp"
#include "scenarios/run_monitor.hpp"
#include "scenarios/static_checks.hpp"
#include "scenarios/traffic.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

using protocols::PacketNetwork;

bool is_reliable(const Scenario& scenario) {
  return std::holds_alternative<protocols::RoceConfig>(scenario.transport);
}

/// As the `type` key of a job spells it.
const char* job_type_name(const collectives::JobKind& kind) {
  struct Name {
    const char* operator()(const collectives::IncastSpec&) const { return "incast"; }
    const char* operator()(const collectives::PermutationSpec&) const { return "permutation"; }
    const char* operator()(const collectives::CollectiveSpec& spec) const {
      return name_of(spec.operation);
    }
    const char* operator()(const collectives::MessagesSpec&) const { return "messages"; }
    const char* operator()(const collectives::OpenLoopSpec&) const { return "open-loop"; }
  };
  return std::visit(Name{}, kind);
}

PacketNetwork::Options network_options(const Experiment& e) {
  const Scenario& scenario = e.scenario;
  PacketNetwork::Options options;
  options.nic = scenario.nic;
  options.faults = e.faults;
  options.route_changes = e.route_changes.resolve(e.routes);
  options.switches = scenario.switches;
  options.transport = scenario.transport;
  options.scale_up = scenario.scale_up;
  options.scale_up_of_domain = scale_up_kinds(scenario, e.fabric);
  options.seed = scenario.seed;
  options.control_latency = scenario.run.control_latency;
  options.cut = scenario.run.cells;
  options.force_general_path = e.force_general_path;
  return options;
}

PacketNetwork make_network(const Experiment& e, TraceFiles* traces,
                           const protocols::Parallelism& parallelism) {
  PacketNetwork::Options options = network_options(e);
  options.parallelism = parallelism;
  if (traces != nullptr) observe(e, *traces, options);
  return {
      e.fabric,           e.routes, options, e.workload.process_hosts(), e.workload.connections(),
      e.workload.groups()};
}

Outcome outcome_of(PacketNetwork::Status status, bool all_finished) {
  switch (status) {
    case PacketNetwork::Status::kInterrupted:
      return Outcome::kInterrupted;
    case PacketNetwork::Status::kDeadlocked:
      return Outcome::kDeadlocked;
    case PacketNetwork::Status::kStalled:
      // A NIC that pauses for ever keeps time going when all is done.
      return all_finished ? Outcome::kFinished : Outcome::kStalled;
    case PacketNetwork::Status::kQuiescent:
      return all_finished ? Outcome::kFinished : Outcome::kStuck;
    case PacketNetwork::Status::kTimeLimit:
      return all_finished ? Outcome::kFinished : Outcome::kTimeLimit;
  }
  return Outcome::kStuck;
}

}  // namespace

void collect_jobs(const Experiment& e, const collectives::Executor& executor, IdealTimes& ideals,
                  Results& results) {
  const std::vector<IdealTimes::Job> ideal = ideals.jobs();
  for (std::uint32_t j = 0; j < e.scenario.jobs.size(); ++j) {
    const collectives::JobOutcome outcome = executor.outcome(j);
    const JobSpec& spec = e.scenario.jobs[j];
    JobResult job;
    job.name = spec.name;
    job.type = job_type_name(spec.kind);
    job.ranks = e.workload.jobs()[j].ranks;
    job.bytes = outcome.bytes;
    job.start = outcome.start;
    job.end = outcome.end;
    job.is_finished = outcome.is_finished;
    job.jct = outcome.end - outcome.start;
    job.ideal = ideal[j].time;
    job.ideal_set_by = ideal[j].set_by;
    if (const auto* program = dynamic_cast<const collectives::CollectiveProgram*>(
            e.workload.jobs()[j].program.get())) {
      JobSpec settled = spec;  // with the blocks that a routing made
      settled.kind = program->spec();
      const auto bus = collectives::bus_bytes(settled);
      if (bus && job.is_finished && job.jct > Picoseconds(0)) {
        job.bus_bandwidth = static_cast<double>(bus->count()) / to_seconds(job.jct);
      }
      job.algorithm = name_of(program->spec().algorithm);
      job.protocol = name_of(program->spec().execution.protocol);
      const auto& asked = std::get<collectives::CollectiveSpec>(spec.kind);
      const bool has_chosen = asked.algorithm == collectives::Algorithm::kBest ||
                              asked.algorithm == collectives::Algorithm::kNccl;
      if (has_chosen) job.choice = e.workload.jobs()[j].choice->reason;
    }
    results.jobs.push_back(std::move(job));
  }
}

void collect_messages(const Experiment& e, const std::vector<protocols::MessageOutcome>& messages,
                      IdealTimes& ideals, Results& results) {
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  for (const protocols::MessageOutcome& m : messages) {
    if (m.posted < e.scenario.run.warmup.count()) continue;
    const bool reliable = transports.of(m.connection).is_acknowledged;
    const Connection& connection = e.workload.connections()[m.connection.value()];
    const ZeroLoad ideal = ideals.message(m.connection, m.entropy, Bytes(m.bytes));
    MessageResult row;
    row.job = e.workload.job_of(connection.source);
    row.source_rank = e.workload.rank_of(connection.source);
    row.destination_rank = e.workload.rank_of(connection.destination);
    row.source = e.workload.process_hosts()[connection.source.value()];
    row.destination = e.workload.process_hosts()[connection.destination.value()];
    row.bytes = Bytes(m.bytes);
    row.start = Picoseconds(m.posted);
    row.delivered = Picoseconds(m.delivered);
    row.completed = Picoseconds(reliable ? m.acknowledged : m.delivered);
    row.ideal = reliable ? ideal.completed : ideal.delivered;
    results.messages.push_back(row);
  }
}

namespace {

void collect_ports(const Experiment& e, const PacketNetwork& network, Results& results) {
  const double seconds = to_seconds(results.simulated - results.measured_from);
  for (std::uint32_t p = 0; p < e.fabric.ports.size(); ++p) {
    const PortId id(p);
    PortResult port;
    port.port = id;
    port.name = e.fabric.port_name(id);
    port.node = e.fabric.node(e.fabric.port(id).node).name;
    port.peer_node = e.fabric.node(e.fabric.peer_node(id)).name;
    port.rate = e.fabric.port(id).rate;
    port.counters = network.port_counters(id);
    if (seconds > 0) {
      port.utilisation = static_cast<double>(port.counters.bytes) * 8 /
                         static_cast<double>(port.rate.count()) / seconds;
      port.mean_queue_bytes = static_cast<double>(port.counters.queue_integral) * 1e-12 / seconds;
    }
    results.ports.push_back(std::move(port));
  }
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
  for (std::size_t c = 0; c < classes; ++c) {
    const protocols::TrafficClass& traffic_class = e.scenario.switches.classes[c];
    if (!traffic_class.is_lossless()) continue;
    std::int64_t drops = 0;
    for (std::size_t i = c; i < results.classes.size(); i += classes) {
      drops += results.classes[i].buffer_drops;
    }
    if (drops == 0) continue;
    results.warnings.push_back(fmt::format(
        "{} packets of class {} were dropped by full buffers although the class is lossless",
        format_count(drops), traffic_class.name));
  }
}

void explain(const Experiment& e, const PacketNetwork& network,
             const collectives::Executor& executor, Results& results) {
  if (results.outcome == Outcome::kFinished) return;
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

void require_invariants(const PacketNetwork& network, bool is_at_rest) {
  const std::vector<std::string> violations = network.violated_invariants(is_at_rest);
  if (violations.empty()) return;
  for (const std::string& sentence : violations) {
    std::fprintf(stderr, "weft: broken invariant: %s\n", sentence.c_str());
  }
  std::abort();
}

}  // namespace

void explain_jobs(const Experiment& e, const collectives::Executor& executor, Results& results) {
  for (std::string& sentence :
       executor.describe_blocked([&e](HostId host) { return e.fabric.host(host).name; })) {
    results.explanation.push_back(std::move(sentence));
  }
}

void require_slowdowns(const Results& results) {
  for (const MessageResult& m : results.messages) {
    if (m.completed < Picoseconds(0) || m.completed - m.start >= m.ideal) continue;
    std::fprintf(stderr,
                 "weft: broken invariant: a message of %lld bytes from host %u to host %u took "
                 "%lld ps, less than its zero-load time of %lld ps\n",
                 static_cast<long long>(m.bytes.count()), m.source.value(), m.destination.value(),
                 static_cast<long long>((m.completed - m.start).count()),
                 static_cast<long long>(m.ideal.count()));
    std::abort();
  }
}

/// Of all of a host's NIC ports; of its links into its domain if it has no NIC.
BitsPerSecond access_rate(const Fabric& fabric, HostId host) {
  BitsPerSecond scale_out;
  BitsPerSecond scale_up;
  const NodeId node = fabric.hosts[host.value()];
  for (const Port& port : fabric.ports_of(node)) {
    const bool is_nic = fabric.network_of(fabric.port(port.peer).peer) == NetworkKind::kScaleOut;
    (is_nic ? scale_out : scale_up) += port.rate;
  }
  return scale_out > BitsPerSecond(0) ? scale_out : scale_up;
}

Result<Experiment> build_experiment(Scenario scenario) {
  auto fabric = build_scenario_fabric(scenario);
  if (!fabric) return fabric.errors();
  auto routes = topologies::build_routes(fabric.value(), scenario.topology);
  if (!routes) return routes.errors();

  std::vector<BitsPerSecond> access_rates;
  for (std::size_t host = 0; host < fabric.value().hosts.size(); ++host) {
    access_rates.push_back(access_rate(fabric.value(), HostId(host)));
  }
  fill_layouts(scenario, fabric.value(), routes.value());
  if (Errors errors = check_limits(scenario, access_rates); !errors.empty()) return errors;
  auto faults = resolve_faults(scenario, fabric.value());
  if (!faults) return faults.errors();
  auto route_changes = build_route_changes(scenario, fabric.value(), faults.value());
  if (!route_changes) return route_changes.errors();
  auto workload =
      collectives::build_workload(scenario.jobs, {.seed = scenario.seed,
                                                  .has_acknowledgements = is_reliable(scenario),
                                                  .access_rates = access_rates});
  if (!workload) return workload.errors();
  if (Errors errors = forward_by_rail(scenario, fabric.value(), workload.value());
      !errors.empty()) {
    return errors;
  }
  if (!are_packets_few(scenario, access_rates)) {
    const auto traffic = survey_traffic(scenario, fabric.value(), routes.value(), workload.value());
    if (!traffic) return traffic.errors();
  }
  auto observation = resolve_observation(scenario, fabric.value(), workload.value());
  if (!observation) return observation.errors();
  Experiment experiment{std::move(scenario),
                        std::move(fabric).value(),
                        std::move(routes).value(),
                        std::move(workload).value(),
                        std::move(faults).value(),
                        std::move(route_changes).value(),
                        std::move(observation).value(),
                        {}};
  StaticFindings findings = check_statically(experiment);
  if (!findings.errors.empty()) return std::move(findings.errors);
  experiment.warnings = std::move(findings.warnings);
  return experiment;
}

std::vector<std::string> class_names(const protocols::SwitchConfig& switches) {
  std::vector<std::string> names;
  for (const protocols::TrafficClass& traffic_class : switches.classes) {
    names.push_back(traffic_class.name.empty() ? std::to_string(names.size()) : traffic_class.name);
  }
  return names;
}

CellPlan plan_of(const Experiment& e) {
  return protocols::cut_fabric(e.fabric, e.scenario.switches, e.scenario.run.control_latency,
                               e.scenario.run.cells);
}

Results simulate(const Experiment& e, const ProgressObserver& progress, TraceFiles* traces,
                 const protocols::Parallelism& parallelism) {
  const auto begin = std::chrono::steady_clock::now();
  PacketNetwork network = make_network(e, traces, parallelism);
  if (traces != nullptr) name_flows(e, network, *traces);
  RunMonitor monitor(e, network);
  const auto observer = [&](Picoseconds now, std::uint64_t packet_hops) {
    if (traces != nullptr && traces->has_failed()) return false;
    return !progress || progress(monitor.look(now, packet_hops));
  };
  collectives::Executor executor(e.workload);
  network.start(executor);

  Results results;
  results.scenario = e.scenario.name;
  results.seed = e.scenario.seed;
  results.warnings = e.warnings;
  results.threads = network.threads();
  results.cells = network.cells().cell_count;
  results.lookahead = network.cells().lookahead;
  const Picoseconds until = e.scenario.run.until.value_or(network.longest_run());
  PacketNetwork::Status status = PacketNetwork::Status::kTimeLimit;
  if (e.scenario.run.warmup > Picoseconds(0)) {
    status = network.run_until(std::min(e.scenario.run.warmup, until), observer);
    network.reset_statistics();
    results.measured_from = network.now();
  }
  if (status == PacketNetwork::Status::kTimeLimit) status = network.run_until(until, observer);

  if (traces != nullptr) traces->finish();

  const bool is_at_rest = status == PacketNetwork::Status::kQuiescent;
  require_invariants(network, is_at_rest);
  results.outcome = outcome_of(status, executor.all_finished());
  results.simulated = is_at_rest ? network.last_event() : network.now();
  if (status == PacketNetwork::Status::kStalled && executor.all_finished()) {
    results.simulated = end_of_jobs(e, executor);
  }
  network.end_observation();
  results.totals = network.totals();
  results.packet_latency = network.packet_latency();
  results.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  IdealTimes ideals(e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload);
  collect_jobs(e, executor, ideals, results);
  const auto messages = network.messages();
  HeldTimes held(e, network.pauses(), network.credit_waits());
  collect_collectives(e, executor, messages, ideals, held, results);
  collect_messages(e, messages, ideals, results);
  require_slowdowns(results);
  collect_ports(e, network, results);
  collect_classes(e, network, results);
  collect_pauses(e, network, results);
  collect_deadlock(network, results);
  explain(e, network, executor, results);
  warn_of_lossless_drops(e, results);
  for (std::string& warning : stall_warnings(e, network)) {
    results.warnings.push_back(std::move(warning));
  }
  return results;
}

}  // namespace weft::scenarios
