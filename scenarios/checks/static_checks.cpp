#include "scenarios/checks/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "collectives/jobs/collective/routing.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/memory/memory_use.hpp"
#include "collectives/training/model/completed.hpp"
#include "protocols/config/headroom.hpp"
#include "scenarios/limits/distances.hpp"
#include "scenarios/text/format.hpp"
#include "topologies/analysis/buffer_dependency.hpp"

namespace weft::scenarios {
namespace {

using protocols::PfcConfig;
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

/// A NIC that takes in less than its link brings pauses the switch; what still comes must fit.
void check_nics(const Experiment& e, StaticFindings& findings) {
  const protocols::NicConfig& nic = e.scenario.nic;
  if (!nic.receive_rate) return;
  for (const TrafficClass& c : e.scenario.switches.classes) {
    if (!c.is_pfc()) continue;
    for (const NodeId id : e.fabric.hosts) {
      const PortId port = e.fabric.node(id).first_port;
      if (e.fabric.port(port).rate <= *nic.receive_rate) continue;
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

/// The most that one ingress port holds before it is paused, if all of it waits for one egress.
double ingress_limit(const PfcConfig& pfc, Bytes buffer) {
  if (pfc.threshold == PfcConfig::Threshold::kStatic) return static_cast<double>(pfc.xoff.count());
  return static_cast<double>(pfc.reserved.count()) +
         static_cast<double>(buffer.count()) * pfc.alpha / (1 + pfc.alpha);
}

/// ECN must mark before PFC pauses, or congestion control learns of congestion when it is too late
/// (Zhu et al., SIGCOMM 2015, section 4).
void check_marking(const Experiment& e, const protocols::congestion::ControlConfig& control,
                   StaticFindings& findings) {
  if (!protocols::congestion::needs_of(control).marks) return;
  const auto is_marked = [](const TrafficClass& c) { return c.ecn.enabled; };
  // Without PFC a scenario that says DCQCN means it: over credits, switches do not mark by default.
  if (e.scenario.switches.data().is_credit() &&
      std::ranges::none_of(e.scenario.switches.classes, is_marked)) {
    findings.warnings.push_back(
        fmt::format("{} is on and no class is marked, so that nothing is ever slowed down; set "
                    "fabric.ecn, or transport.congestion_control to none",
                    protocols::congestion::title_of(control)));
    return;
  }
  BitsPerSecond fastest;
  for (const Port& port : e.fabric.ports) fastest = std::max(fastest, port.rate);
  for (const TrafficClass& c : e.scenario.switches.classes) {
    if (!c.is_pfc() || !c.ecn.enabled) continue;
    const double scale = c.ecn.at_rate ? static_cast<double>(fastest.count()) /
                                             static_cast<double>(c.ecn.at_rate->count())
                                       : 1.0;
    const double kmin = static_cast<double>(c.ecn.kmin.count()) * scale;
    const double limit = ingress_limit(c.pfc(), e.scenario.switches.buffer);
    if (kmin < limit) continue;
    findings.warnings.push_back(fmt::format(
        "class {} marks only after PFC has paused: one ingress port is paused at {}, and an egress "
        "queue is marked from {} on, so {} learns nothing while pauses spread; lower ecn.kmin "
        "or raise the threshold of PFC",
        c.name, size_text(limit), size_text(kmin), protocols::congestion::title_of(control)));
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

void check_marking(const Experiment& e, StaticFindings& findings) {
  std::vector<protocols::congestion::ControlConfig> controls;  // each once
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    const auto control = protocols::traits_of(transport).congestion_control;
    const auto is_same = [&](const auto& other) { return other.index() == control.index(); };
    if (std::ranges::none_of(controls, is_same)) controls.push_back(control);
  }
  for (const auto& control : controls) check_marking(e, control, findings);
}

/// The control of each transport that lives on what switches say in packets, or null.
std::vector<const char*> telemetry_users(const Experiment& e) {
  std::vector<const char*> titles;
  titles.reserve(e.scenario.transports().size());
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    const auto control = protocols::traits_of(transport).congestion_control;
    const bool is_user = protocols::congestion::needs_of(control).telemetry;
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
        {fmt::format("{} to {} crosses {} switches, and telemetry has room for {}, which {} needs; "
                     "take a congestion control that needs none",
                     e.fabric.host(from).name, e.fabric.host(to).name, links - 1,
                     protocols::kTelemetryHops, users[connection.transport]),
         {.key = "fabric.telemetry"}});
    return;
  }
}

std::string cycle_text(const Fabric& fabric, const topologies::BufferCycle& cycle) {
  constexpr std::size_t kMostShown = 12;
  std::string sentence;
  for (std::size_t i = 0; i < std::min(cycle.ports.size(), kMostShown); ++i) {
    sentence += fmt::format("{} (for {}), ", fabric.port_name(cycle.ports[i]),
                            fabric.host(cycle.destinations[i]).name);
  }
  if (cycle.ports.size() > kMostShown) {
    sentence += fmt::format("{} more, ", cycle.ports.size() - kMostShown);
  }
  return sentence + "and again " + fabric.port_name(cycle.ports.front());
}

void check_dependencies(const Experiment& e, StaticFindings& findings) {
  const auto& classes = e.scenario.switches.classes;
  if (std::ranges::none_of(classes, &TrafficClass::is_lossless)) return;
  constexpr std::size_t kMostShown = 4;
  const topologies::BufferDependencies found = topologies::find_buffer_cycles(e.fabric, e.routes);
  for (std::size_t i = 0; i < std::min(found.cycles.size(), kMostShown); ++i) {
    const topologies::BufferCycle& cycle = found.cycles[i];
    findings.warnings.push_back(fmt::format(
        "lossless traffic can deadlock: the routes make {} link directions wait for each other in "
        "a circle: {}; change the routes so that no circle closes",
        cycle.entangled, cycle_text(e.fabric, cycle)));
  }
  if (found.cycles.size() > kMostShown) {
    findings.warnings.push_back(fmt::format("the routes have {} more such circles apart from these",
                                            found.cycles.size() - kMostShown));
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
    const double least = to_seconds(job.start) + to_seconds(spec->compute) * spec->iterations;
    if (least <= longest) continue;
    findings.warnings.push_back(
        fmt::format("job {} computes until {} at least, and {}: it cannot finish", job.name,
                    format_time(least), limit));
  }
}

/// So many tokens that they are not drawn one by one.
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
    example = fmt::format("{} has {} ports of {} in all, and such a switch forwards {}", node.name,
                          node.port_count, format_rate(static_cast<double>(rate)),
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
  check_nics(experiment, findings);
  check_marking(experiment, findings);
  check_steps(experiment, findings);
  check_transports(experiment, findings);
  check_routing(experiment, findings);
  check_length(experiment, findings);
  check_gpu_memory(experiment, findings);
  // Following all routes takes seconds in the largest fabrics: not for one that is refused anyway.
  if (findings.errors.empty()) check_dependencies(experiment, findings);
  return findings;
}

}  // namespace weft::scenarios
