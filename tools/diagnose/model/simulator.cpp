#include "tools/diagnose/model/simulator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/jobs/job.hpp"
#include "collectives/nccl/nccl_channels.hpp"
#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/odd/odd_ones.hpp"
#include "scenarios/language/yaml/scalar_text.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::diagnose {
namespace {

using collectives::CollectiveSpec;
using collectives::Operation;

/// What makes links worse than they are meant to be; ranks are those of the calls.
constexpr std::array<const char*, 4> kLinkFaults{"slow-links", "link-failures", "bit-errors",
                                                 "nic-pauses"};

double microseconds(Picoseconds time) { return to_seconds(time) * 1e6; }

/// Of the job whose collectives are to be expected: what its messages are sent with.
std::string keys_of(const scenarios::Scenario& scenario) {
  const scenarios::JobSpec* job = nullptr;
  for (const scenarios::JobSpec& candidate : scenario.jobs) {
    if (std::holds_alternative<CollectiveSpec>(candidate.kind)) {
      job = &candidate;
      break;
    }
  }
  if (job == nullptr) return {};
  std::string keys;
  const auto& classes = scenario.switches.classes;
  if (job->traffic_class.value() < classes.size() && !classes[job->traffic_class].name.empty()) {
    keys += ", class: " + scenarios::language::yaml_text(classes[job->traffic_class].name);
  }
  if (job->queue_pairs > 0) keys += fmt::format(", queue_pairs: {}", job->queue_pairs);
  return keys;
}

std::vector<double> busy_of(const scenarios::Results& results, const Places& places) {
  std::vector<double> busy(places.resources.size());
  for (std::size_t p = 0; p < results.ports.size(); ++p) {
    const auto& resource = places.of_port()[p];
    if (!resource || results.ports[p].rate.count() == 0) continue;
    const double us = static_cast<double>(results.ports[p].counters.bytes.count()) * 8e6 /
                      static_cast<double>(results.ports[p].rate.count());
    busy[*resource] = std::max(busy[*resource], us);
  }
  return busy;
}

/// Of a call of this size: NCCL counts what one rank gives to an all-gather or gets of a
/// reduce-scatter.
std::uint32_t channels_of_call(const collectives::CollectiveSpec& spec, std::size_t ranks) {
  using collectives::Operation;
  const bool is_of_one_rank =
      spec.operation == Operation::kAllGather || spec.operation == Operation::kReduceScatter;
  const auto count = static_cast<std::uint32_t>(ranks);
  return collectives::nccl_channels_of_call(spec.operation, spec.algorithm, spec.execution.protocol,
                                            is_of_one_rank ? spec.size / count : spec.size, count,
                                            spec.execution.channels);
}

Run run_of(const scenarios::Experiment& experiment, const scenarios::Results& results,
           const Places& places) {
  const scenarios::CollectiveResult& call = results.collectives.back();
  const auto& program = static_cast<const collectives::CollectiveProgram&>(
      *experiment.workload.jobs().front().program);
  return {.time_us = microseconds(call.end - call.start),
          .algorithm_bandwidth = call.algorithm_bandwidth.value_or(0) * 1e-9,
          .bus_bandwidth = call.bus_bandwidth.value_or(0) * 1e-9,
          .algorithm = results.jobs.front().algorithm,
          .protocol = results.jobs.front().protocol,
          .channels = program.spec().execution.channels,
          .call_channels =
              channels_of_call(program.spec(), experiment.scenario.jobs.front().ranks.size()),
          .is_extrapolated = false,
          .busy_us = busy_of(results, places),
          .path = call.path,
          .gpus = program.spec().generation,
          .drops = results.totals.buffer_drops,
          .pauses = results.totals.pauses,
          .warnings = results.warnings};
}

/// Of a larger size than both: what more bytes took between them is added again, and no less than
/// the busiest part takes for them.
Run extrapolated(const Run& half, const Run& whole, double half_size, double size_simulated,
                 double size) {
  Run run = whole;
  const double per_byte = std::max((whole.time_us - half.time_us) / (size_simulated - half_size),
                                   whole.bottleneck_us() / size_simulated);
  run.time_us = whole.time_us + per_byte * (size - size_simulated);
  const double growth = size / size_simulated;
  for (double& busy : run.busy_us) busy *= growth;
  const double faster = growth * whole.time_us / run.time_us;
  run.algorithm_bandwidth *= faster;
  run.bus_bandwidth *= faster;
  run.is_extrapolated = true;
  return run;
}

/// Of cables that run below their rate: the nodes that the faults name.
std::vector<std::string> slow_ends(const scenarios::Scenario& scenario) {
  std::vector<std::string> ends;
  for (const scenarios::FaultSpec& fault : scenario.faults) {
    if (const auto* slow = std::get_if<scenarios::LinkRate>(&fault.what)) {
      ends.push_back(slow->links.from);
    }
  }
  return ends;
}

std::vector<OddPart> odd_parts_of(const scenarios::LoadedScenario& loaded, const Fabric& fabric) {
  std::vector<OddPart> all;
  for (const scenarios::OddOne& odd : scenarios::find_odd_ones(loaded, fabric)) {
    OddPart part{.text = scenarios::odd_one_text(odd)};
    for (const NodeId node : odd.nodes) part.nodes.push_back(fabric.node(node).name);
    all.push_back(std::move(part));
  }
  return all;
}

}  // namespace

std::uint32_t Run::bottleneck() const {
  return static_cast<std::uint32_t>(std::ranges::max_element(busy_us) - busy_us.begin());
}

double Run::bottleneck_us() const {
  return busy_us.empty() ? 0 : *std::ranges::max_element(busy_us);
}

std::string Run::limit(const Places& places) const {
  const double highest = bottleneck_us();
  if (highest >= 0.6 * time_us) {
    const Resource& busiest = places.resources[bottleneck()];
    std::uint32_t alike = 0;
    for (std::size_t r = 0; r < busy_us.size(); ++r) {
      alike += places.resources[r].kind == busiest.kind && busy_us[r] >= 0.97 * highest ? 1 : 0;
    }
    const char* kind = busiest.kind == ResourceKind::kNic       ? "NIC"
                       : busiest.kind == ResourceKind::kUplinks ? "uplinks of"
                                                                : "NVLink of";
    const std::string share = fmt::format("{:.0f} % busy", 100 * std::min(1.0, highest / time_us));
    if (alike > 1) {
      const char* all = busiest.kind == ResourceKind::kNic       ? "NICs"
                        : busiest.kind == ResourceKind::kUplinks ? "uplinks of leaves"
                                                                 : "NVLink";
      return fmt::format("{} ({})", all, share);
    }
    return fmt::format("{} {} ({})", kind, busiest.name, share);
  }
  const std::array<std::pair<Picoseconds, const char*>, 6> parts{
      {{path.launch, "launch"},
       {path.wire, "latency and bytes of the longest chain of messages"},
       {path.queueing + path.paused, "queues"},
       {path.protocol, "per-step latency"},
       {path.reducing + path.copying, "adding and copying in GPUs"},
       {path.window, "window of messages in flight"}}};
  return std::ranges::max_element(parts, {}, &std::pair<Picoseconds, const char*>::first)->second;
}

Bytes job_size(Operation operation, Bytes size, std::size_t ranks) {
  if (operation != Operation::kAllToAll) return size;
  return std::max(1_B, size / static_cast<std::int64_t>(ranks));
}

Result<Simulator> Simulator::open(const std::string& file,
                                  const std::vector<std::string>& overrides, Twin twin) {
  // Read as a file, so that what is said of it is what `weft run` says.
  const auto loaded = scenarios::load_scenario(file, overrides);
  if (!loaded) return loaded.errors();
  auto simulator = of_text(loaded.value().canonical_yaml(), file, {}, twin);
  if (!simulator) return simulator;
  Simulator& made = simulator.value();
  const auto text = import::InputFile::read(file);
  if (text) made.written_ = written_in(text.value().text(), overrides);
  made.cables_ = Cables(loaded.value(), made.fabric(), made.places());
  made.odd_parts_ = odd_parts_of(loaded.value(), made.fabric());
  return simulator;
}

Result<Simulator> Simulator::of_text(std::string_view text, const std::string& file,
                                     const std::vector<std::string>& overrides, Twin twin) {
  auto parsed = scenarios::ScenarioTemplate::parse(text, file);
  if (!parsed) return parsed.errors();
  auto simulator = of(std::move(parsed).value(), overrides, twin);
  if (simulator) simulator.value().written_ = written_in(text, overrides);
  return simulator;
}

Result<Simulator> Simulator::of(scenarios::ScenarioTemplate text,
                                std::vector<std::string> overrides, Twin twin) {
  Simulator simulator;
  simulator.text_ = std::make_shared<scenarios::ScenarioTemplate>(std::move(text));
  simulator.overrides_ = std::move(overrides);
  auto loaded = simulator.text_->load(simulator.overrides_);
  if (!loaded) return loaded.errors();
  const auto as_written = loaded;
  if (twin == Twin::kHealthy) {
    simulator.faulty_ = slow_ends(loaded.value().scenario);
    for (const char* what : kLinkFaults) {
      if (!scenarios::has_removable(what, loaded.value())) continue;
      const auto without = scenarios::overrides_without(what, loaded.value());
      if (!without) return without.errors();
      for (const std::string& part : scenarios::removable_parts(what, loaded.value())) {
        simulator.left_out_.push_back(fmt::format("{}: {}", what, part));
      }
      simulator.overrides_.insert(simulator.overrides_.end(), without.value().begin(),
                                  without.value().end());
      loaded = simulator.text_->load(simulator.overrides_);
      if (!loaded) return loaded.errors();
    }
  }
  auto fabric = scenarios::build_scenario_fabric(loaded.value().scenario);
  if (!fabric) return loaded.value().located(fabric.errors());
  simulator.job_keys_ = keys_of(loaded.value().scenario);
  simulator.fabric_ = std::make_shared<Fabric>(std::move(fabric).value());
  simulator.places_ = std::make_shared<Places>(simulator.fabric());
  simulator.cables_ = Cables(as_written.value(), simulator.fabric(), simulator.places());
  simulator.odd_parts_ = odd_parts_of(as_written.value(), simulator.fabric());
  simulator.scenario_ = std::make_shared<scenarios::Scenario>(std::move(loaded).value().scenario);
  return simulator;
}

Bytes Simulator::largest(std::size_t ranks) {
  constexpr std::int64_t kAllRanks = std::int64_t{2} << 30U;
  const std::int64_t highest =
      kAllRanks / static_cast<std::int64_t>(std::max<std::size_t>(ranks, 1));
  std::int64_t size = 16 << 20U;
  while (size * 2 <= highest) size *= 2;
  return Bytes(size);
}

bool Simulator::hashes_flows() const {
  for (const scenarios::JobSpec& job : scenario_->jobs) {
    if (std::holds_alternative<CollectiveSpec>(job.kind)) {
      return scenario_->keeps_path(job.traffic_class, job.transport);
    }
  }
  return scenario_->keeps_path(ClassId(0), 0);
}

std::vector<std::string> Simulator::overrides_of(const Call& call) const {
  std::vector<std::string> all = overrides_;
  std::string keys = job_keys_;
  for (const std::string& key : call.keys) keys += ", " + key;
  std::string execution = "preset: nccl";
  for (const std::string& key : call.execution) execution += ", " + key;
  const Bytes size = job_size(call.operation, call.size, call.hosts.size());
  // Calls queue up, as nccl-tests has them.
  all.push_back(fmt::format(
      "jobs=[{{name: measured, type: {}, algorithm: {}, size: {}B, execution: {{{}, calls: "
      "back-to-back}}, ranks: {{hosts: [{}]}}{}}}]",
      name_of(call.operation), call.algorithm, size.count(), execution, fmt::join(call.hosts, ", "),
      keys));
  all.insert(all.end(), call.changes.begin(), call.changes.end());
  return all;
}

Result<Run> Simulator::simulate(const Call& call) {
  const std::vector<std::string> overrides = overrides_of(call);
  const std::string key = fmt::format("{}", fmt::join(overrides, "\n"));
  if (const auto known = done_.find(key); known != done_.end()) return known->second;
  auto loaded = text_->load(overrides);
  if (!loaded) return loaded.errors();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment) return loaded.value().located(experiment.errors());
  const scenarios::Results results = scenarios::simulate(experiment.value());
  if (results.outcome != scenarios::Outcome::kFinished || results.collectives.empty()) {
    return Error{fmt::format("{} of {} bytes did not finish: {}", name_of(call.operation),
                             call.size.count(), scenarios::outcome_name(results.outcome))};
  }
  return done_.emplace(key, run_of(experiment.value(), results, *places_)).first->second;
}

Result<Run> Simulator::choice(const Call& call) const {
  auto loaded = text_->load(overrides_of(call));
  if (!loaded) return loaded.errors();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment) return loaded.value().located(experiment.errors());
  const collectives::CollectiveSpec& spec = static_cast<const collectives::CollectiveProgram&>(
                                                *experiment.value().workload.jobs().front().program)
                                                .spec();
  Run run;
  run.algorithm = name_of(spec.algorithm);
  run.protocol = name_of(spec.execution.protocol);
  run.channels = spec.execution.channels;
  run.call_channels = channels_of_call(spec, call.hosts.size());
  run.gpus = spec.generation;
  return run;
}

Result<Run> Simulator::run(const Call& call) {
  const Bytes highest = largest(call.hosts.size());
  if (call.size <= highest) return simulate(call);
  // NCCL chooses by the size of the call, and not by those that stand for it.
  const auto chosen = choice(call);
  if (!chosen) return chosen.errors();
  Call part = call;
  part.size = highest;
  part.algorithm = chosen.value().algorithm;
  // A type decides what may be chosen, which it has.
  if (!part.algorithm.starts_with("nvls")) {
    std::erase_if(part.keys, [](const std::string& key) { return key.starts_with("data_type:"); });
  }
  const auto is_protocol = [](const std::string& key) { return key.starts_with("protocol:"); };
  if (std::ranges::none_of(part.execution, is_protocol)) {
    part.execution.push_back("protocol: " + chosen.value().protocol);
  }
  const auto whole = simulate(part);
  if (!whole) return whole.errors();
  part.size = highest / 2;
  const auto half = simulate(part);
  if (!half) return half.errors();
  Run run =
      extrapolated(half.value(), whole.value(), static_cast<double>(part.size.count()),
                   static_cast<double>(highest.count()), static_cast<double>(call.size.count()));
  run.call_channels = chosen.value().call_channels;
  return run;
}

}  // namespace weft::diagnose
