#include "scenarios/checks/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/traffic/expert_routing.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/memory/memory_use.hpp"
#include "collectives/training/model/completed.hpp"
#include "protocols/config/headroom.hpp"
#include "scenarios/checks/limits/distances.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "topologies/analysis/buffer_dependency.hpp"

namespace weft::scenarios {
namespace {

using protocols::TrafficClass;

std::string size_text(double bytes) { return format_bytes(bytes); }
std::string size_text(Bytes bytes) { return size_text(static_cast<double>(bytes.count())); }

void check_input_queues(const Experiment& e, StaticFindings& findings) {
  if (e.scenario.switches.queueing != protocols::SwitchConfig::Queueing::kInput) return;
  for (const NodeId id : e.fabric.switches) {
    const Node& node = e.fabric.node(id);
    if (node.port_count <= protocols::kMaxInputQueuedPorts) continue;
    findings.errors.push_back(
        {fmt::format("`input` works for switches of up to {} ports; {} has {}",
                     protocols::kMaxInputQueuedPorts, node.name, node.port_count),
         {.key = "fabric.queueing"}});
    return;
  }
}

void check_capacity(const Experiment& e, StaticFindings& findings) {
  const std::string example = overfull_switches(e.fabric);
  if (example.empty()) return;
  findings.warnings.push_back(
      fmt::format("{}; no such switch can be bought: use another part, or more switches", example));
}

/// None: the host has links into its domain only.
PortId first_nic_port(const Fabric& fabric, const Node& node) {
  for (std::uint32_t i = 0; i < node.port_count; ++i) {
    const PortId port(node.first_port.value() + i);
    if (fabric.network_of(port) == NetworkKind::kScaleOut) return port;
  }
  return PortId::none();
}

/// NICs that take in less than their links bring look like slow links.
void check_receivers(const Experiment& e, StaticFindings& findings) {
  const std::optional<BitsPerSecond> taken_in = e.scenario.nic.receive_rate;
  if (!taken_in) return;
  for (const NodeId id : e.fabric.hosts) {
    const PortId port = first_nic_port(e.fabric, e.fabric.node(id));
    if (port.is_none() || e.fabric.port(port).rate <= *taken_in) continue;
    findings.warnings.push_back(fmt::format(
        "the NIC of {} takes in {} of the {} that its link brings (`receive_rate`), as all do that "
        "are alike: they are as slow as links of that rate",
        e.fabric.node(id).name, format_rate(static_cast<double>(taken_in->count())),
        format_rate(static_cast<double>(e.fabric.port(port).rate.count()))));
    return;
  }
}

/// A NIC that takes in less than its link brings pauses the switch; what still comes must fit.
void check_nics(const Experiment& e, StaticFindings& findings) {
  const protocols::NicConfig& nic = e.scenario.nic;
  if (!nic.receive_rate) return;
  for (const TrafficClass& c : e.scenario.switches.classes) {
    if (!c.is_pfc()) continue;
    for (const NodeId id : e.fabric.hosts) {
      const PortId port = first_nic_port(e.fabric, e.fabric.node(id));
      if (port.is_none() || e.fabric.port(port).rate <= *nic.receive_rate) continue;
      protocols::HeadroomTerms terms = protocols::headroom_terms(
          e.fabric, port, e.scenario.switches, c, e.scenario.transports());
      terms.cell = 1_B;
      const Bytes needed = nic.xoff + protocols::exact_headroom(terms);
      if (needed <= nic.receive_buffer) continue;
      findings.warnings.push_back(fmt::format(
          "the NIC of {} can drop although class {} has PFC: its receive buffer is {}, and with "
          "xoff {} up to {} can be there; lower the NIC's xoff or give it more receive_buffer",
          e.fabric.node(id).name, c.name, size_text(nic.receive_buffer), size_text(nic.xoff),
          size_text(needed)));
      return;  // the NICs are alike
    }
  }
}

/// Steps that were published for much slower links: what they take back after a cut takes longer by
/// as much.
void check_steps(const Experiment& e, const protocols::congestion::ControlConfig& control,
                 StaticFindings& findings) {
  constexpr std::int64_t kTooFast = 4;
  const BitsPerSecond published = protocols::congestion::published_rate(control);
  if (published == BitsPerSecond()) return;
  BitsPerSecond fastest;
  for (const NodeId host : e.fabric.hosts) {
    const Node& node = e.fabric.node(host);
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      const PortId port(node.first_port.value() + i);
      if (e.fabric.network_of(port) != NetworkKind::kScaleOut) continue;
      fastest = std::max(fastest, e.fabric.port(port).rate);
    }
  }
  if (fastest < published * kTooFast) return;
  const char* title = protocols::congestion::title_of(control);
  const bool is_dcqcn = std::holds_alternative<protocols::congestion::DcqcnConfig>(control);
  findings.warnings.push_back(fmt::format(
      "the steps of {} are those published for {}, and hosts send at {}: after a cut it takes {} "
      "times as long to be back; {}",
      title, format_rate(static_cast<double>(published.count())),
      format_rate(static_cast<double>(fastest.count())), fastest.count() / published.count(),
      is_dcqcn ? "take the preset `scaled`, or set at_rate or additive_increase"
               : "set additive_increase to what suits this rate"));
}

void check_steps(const Experiment& e, StaticFindings& findings) {
  std::vector<protocols::congestion::ControlConfig> controls;  // each once
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    const auto control = protocols::traits_of(transport).congestion_control;
    if (std::ranges::find(controls, control) == controls.end()) controls.push_back(control);
  }
  for (const auto& control : controls) check_steps(e, control, findings);
}

/// The control of each transport that lives on what switches say in packets, or null.
std::vector<const char*> telemetry_users(const Experiment& e) {
  std::vector<const char*> titles;
  titles.reserve(e.scenario.transports().size());
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    const auto control = protocols::traits_of(transport).congestion_control;
    const bool is_user = protocols::congestion::requirements_of(control).telemetry;
    titles.push_back(is_user ? protocols::congestion::title_of(control) : nullptr);
  }
  return titles;
}

/// Telemetry that a control needs and does not get.
void check_telemetry(const Experiment& e, StaticFindings& findings) {
  const std::vector<const char*> users = telemetry_users(e);
  const auto user = std::ranges::find_if(users, [](const char* title) { return title != nullptr; });
  if (user == users.end()) return;
  using protocols::SwitchConfig;
  if (e.scenario.switches.telemetry == SwitchConfig::Telemetry::kNone) {
    findings.errors.push_back(
        {fmt::format("`none` takes away the telemetry of switches, which {} needs; set it to "
                     "`auto`, or take a congestion control that needs none",
                     *user),
         {.key = "fabric.telemetry"}});
  }
  if (e.scenario.switches.queueing == SwitchConfig::Queueing::kInput) {
    findings.errors.push_back(
        {fmt::format("`input` leaves no queue at an output for the telemetry to tell of, which {} "
                     "needs; set it to `output`, or take a congestion control that needs none",
                     *user),
         {.key = "fabric.queueing"}});
  }
  Distances distances(e.scenario.seed, e.fabric, e.routes);
  for (const Connection& connection : e.workload.connections()) {
    if (users[connection.transport] == nullptr) continue;
    const HostId from = e.workload.process_hosts()[connection.source.value()];
    const HostId to = e.workload.process_hosts()[connection.destination.value()];
    if (from == to || e.fabric.network_between(from, to) != NetworkKind::kScaleOut) continue;
    const std::size_t links = distances.links(from, to);
    if (links <= protocols::kTelemetryHops + 1) continue;
    findings.errors.push_back(
        {fmt::format("{} to {} crosses {}, and telemetry has room for {}, which {} needs; "
                     "take a congestion control that needs none",
                     e.fabric.host(from).name, e.fabric.host(to).name,
                     counted(static_cast<std::int64_t>(links) - 1, "switch", "switches"),
                     protocols::kTelemetryHops, users[connection.transport]),
         {.key = "fabric.telemetry"}});
    return;
  }
}

std::string cycle_text(const Fabric& fabric, const topologies::BufferCycle& cycle) {
  constexpr std::size_t kMaxShown = 12;
  std::string sentence;
  for (std::size_t i = 0; i < std::min(cycle.ports.size(), kMaxShown); ++i) {
    sentence += fmt::format("{} (for {}), ", fabric.port_name(cycle.ports[i]),
                            fabric.host(cycle.destinations[i]).name);
  }
  if (cycle.ports.size() > kMaxShown) {
    sentence += fmt::format("{} more, ", cycle.ports.size() - kMaxShown);
  }
  return sentence + "and again " + fabric.port_name(cycle.ports.front());
}

void check_dependencies(const Experiment& e, StaticFindings& findings) {
  const auto& classes = e.scenario.switches.classes;
  if (std::ranges::none_of(classes, &TrafficClass::is_lossless)) return;
  constexpr std::size_t kMaxShown = 4;
  const topologies::BufferDependencies found = topologies::find_buffer_cycles(e.fabric, e.routes);
  for (std::size_t i = 0; i < std::min(found.cycles.size(), kMaxShown); ++i) {
    const topologies::BufferCycle& cycle = found.cycles[i];
    findings.warnings.push_back(fmt::format(
        "lossless traffic can deadlock: the routes make {} link directions wait for each other in "
        "a circle: {}; change the routes so that no circle closes",
        cycle.entangled, cycle_text(e.fabric, cycle)));
  }
  if (found.cycles.size() > kMaxShown) {
    findings.warnings.push_back(fmt::format("the routes have {} more such circles apart from these",
                                            found.cycles.size() - kMaxShown));
  }
  if (!found.is_complete) {
    findings.warnings.emplace_back(
        "the routes are too many to follow all of them; there may be more circles of waiting "
        "buffers than were found");
  }
}

/// What cannot come to its end within the longest run that is simulated.
void check_length(const Experiment& e, StaticFindings& findings) {
  const double longest = to_seconds(protocols::PacketNetwork::kLongestRun);
  const std::string limit = fmt::format("a run ends at {} at the latest", format_time(longest));
  if (e.scenario.run.until && to_seconds(*e.scenario.run.until) > longest) {
    findings.warnings.push_back(fmt::format("run.until is {}, and {}",
                                            format_time(to_seconds(*e.scenario.run.until)), limit));
  }
  for (const JobSpec& job : e.scenario.jobs) {
    const auto* spec = std::get_if<collectives::CollectiveSpec>(&job.kind);
    if (spec == nullptr) continue;
    const double min = to_seconds(job.start) + to_seconds(spec->compute) * spec->iterations;
    if (min <= longest) continue;
    findings.warnings.push_back(
        fmt::format("job {} computes until {} at least, and {}: it cannot finish", job.name,
                    format_time(min), limit));
  }
}

/// Warns where a job has more tokens than are drawn one by one.
void check_routing(const Experiment& e, StaticFindings& findings) {
  for (const JobSpec& job : e.scenario.jobs) {
    const auto* spec = std::get_if<collectives::CollectiveSpec>(&job.kind);
    if (spec == nullptr || !spec->routing) continue;
    const auto ranks = static_cast<std::uint32_t>(job.ranks.size());
    const std::uint32_t alike = collectives::tokens_alike(*spec->routing, ranks);
    if (alike <= 1) continue;
    findings.warnings.push_back(fmt::format(
        "job {} routes {} tokens per rank, more than are drawn one by one: {} that follow one "
        "another choose alike, so that loads spread about their means as with {} tokens per rank",
        job.name, spec->routing->tokens, alike, spec->routing->tokens / alike));
  }
}

/// Jobs that go by NCCL's constants of H100s for want of those of their own GPUs.
void check_generations(const Experiment& e, StaticFindings& findings) {
  for (std::size_t j = 0; j < e.scenario.jobs.size(); ++j) {
    const JobSpec& job = e.scenario.jobs[j];
    const auto* spec = std::get_if<collectives::CollectiveSpec>(&job.kind);
    if (spec == nullptr || spec->generation || job.layout.gpus) continue;
    const bool is_nccl = spec->algorithm == collectives::Algorithm::kNccl ||
                         spec->execution.preset == collectives::Execution::Preset::kNccl;
    const bool has_gpus = std::ranges::any_of(
        job.ranks, [&e](HostId host) { return e.fabric.host(host).domain >= 0; });
    if (!is_nccl || !has_gpus) continue;
    findings.warnings.push_back(fmt::format(
        "job {} runs as NCCL does on H100s: constants of its GPUs are not known (V100, A100, H100, "
        "H200, B200 and GB200 are); `jobs[{}].generation` says which to take",
        job.name, collectives::number_of(job, j)));
  }
}

/// Training jobs that need more memory than their GPUs have.
void check_gpu_memory(const Experiment& e, StaticFindings& findings) {
  for (const JobSpec& job : e.scenario.jobs) {
    const auto* given = std::get_if<collectives::TrainingSpec>(&job.kind);
    if (given == nullptr) continue;
    collectives::TrainingSpec spec = *given;
    spec.model = collectives::completed(spec.model);
    const collectives::FullestRank fullest = collectives::fullest_rank(spec);
    const Bytes available = collectives::find_gpu(spec.compute.gpu)->memory;
    if (fullest.use.total() <= available) continue;
    findings.warnings.push_back(fmt::format(
        "job {} does not fit: a GPU of pipeline rank {} needs {}, and a {} has {}; it is simulated "
        "as if it did",
        job.name, fullest.pipeline_rank,
        format_bytes(static_cast<double>(fullest.use.total().count())), spec.compute.gpu,
        format_bytes(static_cast<double>(available.count()))));
  }
}

/// Adding and copying that take no time take none if they are slow.
void check_stragglers(const Experiment& e, StaticFindings& findings) {
  using collectives::Operation;
  for (std::size_t place = 0; place < e.scenario.jobs.size(); ++place) {
    const auto* program =
        dynamic_cast<const collectives::CollectiveProgram*>(e.workload.jobs()[place].program.get());
    if (program == nullptr) continue;
    const collectives::CollectiveSpec& spec = program->spec();
    const bool adds = spec.operation == Operation::kAllReduce ||
                      spec.operation == Operation::kReduce ||
                      spec.operation == Operation::kReduceScatter;
    if ((adds && spec.execution.reduce_rate > BitsPerSecond(0)) ||
        spec.execution.copy_rate > BitsPerSecond(0)) {
      continue;
    }
    for (std::size_t i = 0; i < spec.stragglers.size(); ++i) {
      if (spec.stragglers[i].reduce_factor == 1) continue;
      findings.errors.push_back(
          {"slows adding and copying, which take no time in this job: say "
           "`execution.reduce_rate`, or delay ranks by `late`",
           {.key = fmt::format("jobs[{}].stragglers[{}].reduce",
                               collectives::number_of(e.scenario.jobs[place], place), i)}});
    }
  }
}

/// Known by the formats that its matrix units have.
GpuGeneration generation_of(const collectives::Gpu& gpu) {
  using collectives::NumberFormat;
  if (!collectives::peak_flops(gpu, NumberFormat::kFp8)) return GpuGeneration::kAmpere;
  return collectives::peak_flops(gpu, NumberFormat::kFp4) ? GpuGeneration::kBlackwell
                                                          : GpuGeneration::kHopper;
}

const char* name_of(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::kVolta:
      return "Volta";
    case GpuGeneration::kAmpere:
      return "Ampere";
    case GpuGeneration::kHopper:
      return "Hopper";
    case GpuGeneration::kBlackwell:
      break;
  }
  return "Blackwell";
}

/// Training on other GPUs than those of the servers.
void check_gpus(const Experiment& e, StaticFindings& findings) {
  if (e.scenario.scale_up.empty()) return;
  const std::vector<std::uint8_t> kinds = scale_up_kinds(e.scenario, e.fabric);
  for (const JobSpec& job : e.scenario.jobs) {
    const auto* spec = std::get_if<collectives::TrainingSpec>(&job.kind);
    if (spec == nullptr || spec->compute.layer) continue;
    const collectives::Gpu* computes = collectives::find_gpu(spec->compute.gpu);
    for (const HostId rank : job.ranks) {
      const std::int32_t domain = e.fabric.host(rank).domain;
      if (domain < 0) continue;
      const auto& there = e.scenario.scale_up[kinds[static_cast<std::size_t>(domain)]].gpus;
      // No GPU that computes here is a Volta.
      if (!there || *there == GpuGeneration::kVolta || *there == generation_of(*computes)) continue;
      findings.warnings.push_back(
          fmt::format("job {} computes as on a {}, and {} is attached to the scale-up domain of {} "
                      "GPUs; "
                      "set compute.gpu to what the servers have",
                      job.name, spec->compute.gpu, e.fabric.host(rank).name, name_of(*there)));
      break;
    }
  }
}

}  // namespace

std::string overfull_switches(const Fabric& fabric) {
  std::size_t count = 0;
  std::string example;
  for (const NodeId id : fabric.switches) {
    const Node& node = fabric.node(id);
    if (node.capacity == BitsPerSecond()) continue;
    std::int64_t rate = 0;
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      rate += fabric.port(PortId(node.first_port.value() + i)).rate.count();
    }
    if (rate <= node.capacity.count()) continue;
    if (count++ > 0) continue;
    example = fmt::format("{} has {} of {} in all, and such a switch forwards {}", node.name,
                          counted(node.port_count, "port"), format_rate(static_cast<double>(rate)),
                          format_rate(static_cast<double>(node.capacity.count())));
  }
  if (count > 1) example += fmt::format(" (and {} more like it)", count - 1);
  return example;
}

StaticFindings check_statically(const Experiment& experiment) {
  StaticFindings findings;
  check_input_queues(experiment, findings);
  check_telemetry(experiment, findings);
  check_capacity(experiment, findings);
  check_buffers(experiment, findings);
  check_receivers(experiment, findings);
  check_mtus(experiment, findings);
  check_nics(experiment, findings);
  check_marking(experiment, findings);
  check_steps(experiment, findings);
  check_transports(experiment, findings);
  check_round_trips(experiment, findings);
  check_gpus(experiment, findings);
  check_stragglers(experiment, findings);
  check_routing(experiment, findings);
  check_generations(experiment, findings);
  check_length(experiment, findings);
  check_gpu_memory(experiment, findings);
  // Following routes takes seconds in the largest fabrics: not for one that is refused anyway.
  if (!findings.errors.empty()) return findings;
  check_routes(experiment, Loops::kWarnedOf, findings);
  if (!findings.errors.empty()) return findings;
  check_loads(experiment, findings);
  check_faults(experiment, findings);
  check_polarisation(experiment, findings);
  check_dependencies(experiment, findings);
  return findings;
}

}  // namespace weft::scenarios
