#include "scenarios/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "collectives/executor.hpp"
#include "scenarios/collect.hpp"
#include "scenarios/format.hpp"
#include "scenarios/ideal_times.hpp"
#include "scenarios/limits.hpp"
#include "scenarios/load_scenario.hpp"
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
    const char* operator()(const collectives::AllReduceSpec&) const { return "all-reduce"; }
    const char* operator()(const collectives::AllToAllSpec&) const { return "all-to-all"; }
    const char* operator()(const collectives::MessagesSpec&) const { return "messages"; }
    const char* operator()(const collectives::OpenLoopSpec&) const { return "open-loop"; }
  };
  return std::visit(Name{}, kind);
}

PacketNetwork::Options network_options(const Scenario& scenario) {
  return {.switches = scenario.switches,
          .transport = scenario.transport,
          .seed = scenario.seed,
          .control_latency = scenario.run.control_latency,
          .cut = scenario.run.cells};
}

PacketNetwork make_network(const Experiment& e) {
  return {e.fabric, e.routes, network_options(e.scenario), e.workload.process_hosts(),
          e.workload.connections()};
}

/// Bytes that can arrive at a port between crossing XOFF and the pause taking effect: the pause
/// waits behind a packet, travels, is obeyed after the response, and a packet that has just begun
/// and what is on the wire still come.
Bytes pause_loop_bytes(const Experiment& e, PortId port, Bytes packet) {
  const protocols::PfcConfig& pfc = e.scenario.switches.pfc;
  const Port& p = e.fabric.port(port);
  const Picoseconds response =
      pfc.response < Picoseconds(0) ? protocols::standard_pause_response(p.rate) : pfc.response;
  const Picoseconds loop = 2 * p.wire_latency + response + e.fabric.node(p.node).pipeline +
                           transmission_time(pfc.frame + pfc.frame_overhead, p.rate);
  return bytes_in(loop, p.rate) + 2 * packet;
}

void warn_if_lossless_can_drop(Experiment& e) {
  const protocols::SwitchConfig& config = e.scenario.switches;
  if (!config.pfc.enabled) return;
  const Bytes packet = std::visit([](const auto& t) { return t.format.payload + t.format.header; },
                                  e.scenario.transport);
  for (const NodeId id : e.fabric.switches) {
    const Node& node = e.fabric.node(id);
    Bytes needed;
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      needed += config.pfc.xoff + pause_loop_bytes(e, PortId(node.first_port.value() + p), packet);
    }
    if (needed <= config.buffer) continue;
    e.warnings.push_back(fmt::format(
        "{} can drop although PFC is on: its {} ports may hold XOFF plus headroom, {} together, "
        "and the buffer is {}; lower fabric.flow_control.xoff or give the switch more buffer",
        node.name, node.port_count, format_bytes(static_cast<double>(needed.count())),
        format_bytes(static_cast<double>(config.buffer.count()))));
    return;  // one switch of a kind says it for all
  }
}

Outcome outcome_of(PacketNetwork::Status status, bool all_finished) {
  switch (status) {
    case PacketNetwork::Status::kInterrupted:
      return Outcome::kInterrupted;
    case PacketNetwork::Status::kStalled:
      return Outcome::kStalled;
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
    const auto bus = collectives::bus_bytes({spec.name, spec.start, spec.ranks, spec.kind});
    if (bus && job.is_finished && job.jct > Picoseconds(0)) {
      job.bus_bandwidth = static_cast<double>(bus->count()) / to_seconds(job.jct);
    }
    results.jobs.push_back(std::move(job));
  }
}

void collect_messages(const Experiment& e, const std::vector<protocols::MessageOutcome>& messages,
                      IdealTimes& ideals, Results& results) {
  const bool reliable = is_reliable(e.scenario);
  for (const protocols::MessageOutcome& m : messages) {
    if (m.posted < e.scenario.run.warmup.count()) continue;
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

Result<Experiment> build_experiment(Scenario scenario) {
  auto fabric = build_scenario_fabric(scenario);
  if (!fabric) return fabric.errors();
  auto routes = topologies::build_routes(fabric.value(), scenario.topology);
  if (!routes) return routes.errors();

  std::vector<BitsPerSecond> access_rates;
  for (const NodeId host : fabric.value().hosts) {
    access_rates.push_back(fabric.value().port(fabric.value().node(host).first_port).rate);
  }
  if (Errors errors = check_limits(scenario, access_rates); !errors.empty()) return errors;
  std::vector<collectives::JobDescription> jobs;
  for (const JobSpec& job : scenario.jobs)
    jobs.push_back({job.name, job.start, job.ranks, job.kind});
  auto workload = collectives::build_workload(jobs, {.seed = scenario.seed,
                                                     .has_acknowledgements = is_reliable(scenario),
                                                     .access_rates = access_rates});
  if (!workload) return workload.errors();
  Experiment experiment{std::move(scenario),
                        std::move(fabric).value(),
                        std::move(routes).value(),
                        std::move(workload).value(),
                        {}};
  warn_if_lossless_can_drop(experiment);
  return experiment;
}

CellPlan plan_of(const Experiment& experiment) { return make_network(experiment).cells(); }

Results simulate(const Experiment& e, const ProgressObserver& observer) {
  const auto begin = std::chrono::steady_clock::now();
  PacketNetwork network = make_network(e);
  collectives::Executor executor(e.workload);
  network.start(executor);

  Results results;
  results.scenario = e.scenario.name;
  results.seed = e.scenario.seed;
  results.warnings = e.warnings;
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

  const bool is_at_rest = status == PacketNetwork::Status::kQuiescent;
  require_invariants(network, is_at_rest);
  results.outcome = outcome_of(status, executor.all_finished());
  results.simulated = is_at_rest ? network.last_event() : network.now();
  results.totals = network.totals();
  results.packet_latency = network.packet_latency();
  results.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  IdealTimes ideals(e.scenario, e.fabric, e.routes, e.workload);
  collect_jobs(e, executor, ideals, results);
  collect_messages(e, network.messages(), ideals, results);
  require_slowdowns(results);
  collect_ports(e, network, results);
  explain(e, network, executor, results);
  if (e.scenario.switches.pfc.enabled && results.totals.buffer_drops > 0) {
    results.warnings.push_back(
        fmt::format("{} packets were dropped by full buffers although PFC is on",
                    format_count(results.totals.buffer_drops)));
  }
  return results;
}

}  // namespace weft::scenarios
