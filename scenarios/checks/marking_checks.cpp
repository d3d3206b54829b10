#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

using protocols::PfcConfig;
using protocols::TrafficClass;

double in_bytes(Bytes bytes) { return static_cast<double>(bytes.count()); }

/// The most that one ingress port holds before it is paused, if all of it waits for one egress.
double ingress_limit(const PfcConfig& pfc, Bytes buffer) {
  if (pfc.threshold == PfcConfig::Threshold::kStatic) return in_bytes(pfc.xoff);
  return in_bytes(pfc.reserved) + in_bytes(buffer) * pfc.alpha / (1 + pfc.alpha);
}

/// Who in a class slows down at marks, and the largest packet that is marked there.
struct MarkReader {
  std::optional<std::string> title;
  Bytes packet;
};

class MarkingChecks {
 public:
  MarkingChecks(const Experiment& e, StaticFindings& findings)
      : e_(e), findings_(findings), readers_(e.scenario.switches.classes.size()) {
    find_readers();
    for (const NodeId id : e.fabric.switches) {
      const Node& node = e.fabric.node(id);
      if (node.network != NetworkKind::kScaleOut || node.is_nic) continue;
      inputs_ = std::max(inputs_, std::int64_t{node.port_count} - 1);
      buffer_ = std::max(buffer_, e.scenario.switches.buffer_of(node));
      for (const Port& port : e.fabric.ports_of(id)) {
        slowest_ = std::min(slowest_, port.rate);
        fastest_ = std::max(fastest_, port.rate);
      }
    }
  }

  void run() {
    const auto& classes = e_.scenario.switches.classes;
    for (const ClassId c : e_.scenario.switches.all_classes()) {
      const MarkReader& reader = readers_[c.value()];
      if (!reader.title || inputs_ == 0) continue;
      if (!classes[c].ecn.enabled) {
        warn_unmarked(classes[c], *reader.title);
        continue;
      }
      if (is_never_reached(classes[c], *reader.title)) continue;
      if (classes[c].is_pfc()) check_pauses(classes[c], *reader.title);
      check_min(classes[c], reader);
    }
    check_settings();
  }

 private:
  void warn(std::string sentence) { findings_.warnings.push_back(std::move(sentence)); }

  /// Ports at which marks come later, or pauses earlier, than everywhere.
  void check_settings() {
    const protocols::SwitchConfig& switches = e_.scenario.switches;
    std::vector<bool> is_told(switches.by_port.others.size());
    for (std::size_t p = 0; p < switches.by_port.of_port.size(); ++p) {
      const protocols::PortSettings* own = switches.by_port.find(PortId(p));
      if (own == nullptr || is_told[switches.by_port.of_port[p] - 1U]) continue;
      is_told[switches.by_port.of_port[p] - 1U] = true;
      if (e_.fabric.node(e_.fabric.port(PortId(p)).node).kind == NodeKind::kHost) continue;
      for (const ClassId c : switches.all_classes()) {
        const TrafficClass& here = own->classes[c];
        if (!readers_[c.value()].title || !here.ecn.enabled || !here.is_pfc()) continue;
        check_pauses(here, *readers_[c.value()].title, " at " + e_.fabric.port_name(PortId(p)));
      }
    }
  }

  void find_readers() {
    std::vector<protocols::TransportTraits> traits;
    for (const protocols::TransportConfig& transport : e_.scenario.transports()) {
      traits.push_back(protocols::traits_of(transport));
    }
    for (const Connection& connection : e_.workload.connections()) {
      const auto& hosts = e_.workload.process_hosts();
      const HostId from = hosts[connection.source.value()];
      const HostId to = hosts[connection.destination.value()];
      if (from == to || e_.fabric.network_between(from, to) == NetworkKind::kScaleUp) continue;
      const protocols::TransportTraits& t = traits[connection.transport];
      MarkReader& reader = readers_[connection.traffic_class.value()];
      reader.packet = std::max(reader.packet, t.full_packet());
      if (reader.title) continue;
      if (t.receiver_control && t.receiver_control->adapts_to_marks) {
        reader.title = protocols::congestion::title_of(*t.receiver_control);
      }
      if (!protocols::congestion::requirements_of(t.congestion_control).marks) continue;
      reader.title = protocols::congestion::title_of(t.congestion_control);
    }
  }

  void warn_unmarked(const TrafficClass& c, const std::string& title) {
    const bool is_any_marked =
        std::ranges::any_of(e_.scenario.switches.classes, [](const TrafficClass& other) {
          return other.network == NetworkKind::kScaleOut && other.ecn.enabled;
        });
    warn(fmt::format(
        "{} is on and {} marked, so that nothing is ever slowed down; set {}, or "
        "transport.congestion_control to none",
        title, is_any_marked ? "class " + c.name + ", where it is, is not" : "no class is",
        is_any_marked ? "the class's `ecn`" : "fabric.ecn"));
  }

  [[nodiscard]] double scale(const TrafficClass& c, BitsPerSecond rate) const {
    if (!c.ecn.at_rate) return 1;
    return static_cast<double>(rate.count()) / static_cast<double>(c.ecn.at_rate->count());
  }

  /// The most that an egress queue can hold.
  [[nodiscard]] double egress_limit(const TrafficClass& c) const {
    double limit = in_bytes(buffer_);
    if (c.egress_alpha) limit *= *c.egress_alpha / (1 + *c.egress_alpha);
    limit += in_bytes(c.egress_reserved);
    if (c.is_credit()) {
      limit = std::min(limit, in_bytes(c.credit().buffer) * static_cast<double>(inputs_));
    }
    return limit;
  }

  bool is_never_reached(const TrafficClass& c, const std::string& title) {
    const double kmin = in_bytes(c.ecn.kmin) * scale(c, slowest_);
    const double limit = egress_limit(c);
    if (kmin < limit) return false;
    warn(fmt::format(
        "class {} is never marked: an egress queue is marked from {} on, and holds {} at most, so "
        "that {} learns nothing; lower ecn.kmin",
        c.name, format_bytes(kmin), format_bytes(limit), title));
    return true;
  }

  /// ECN must mark before PFC pauses, or congestion control learns of congestion when it is too
  /// late (Zhu et al., SIGCOMM 2015, section 4).
  void check_pauses(const TrafficClass& c, const std::string& title,
                    const std::string& where = {}) {
    const double kmin = in_bytes(c.ecn.kmin) * scale(c, fastest_);
    const double limit = ingress_limit(c.pfc(), e_.scenario.switches.buffer);
    if (kmin < limit) return;
    warn(fmt::format(
        "class {} marks{} only after PFC has paused: one ingress port is paused at {}, and an "
        "egress "
        "queue is marked from {} on, so {} learns nothing while pauses spread; lower ecn.kmin "
        "or raise the threshold of PFC",
        c.name, where, format_bytes(limit), format_bytes(kmin), title));
  }

  /// Two packets that happen to meet are no congestion.
  void check_min(const TrafficClass& c, const MarkReader& reader) {
    const bool is_step = c.ecn.curve == protocols::EcnConfig::Curve::kStep;
    const double all = in_bytes(is_step ? c.ecn.kmin : c.ecn.kmax) * scale(c, fastest_);
    if (all >= 2 * in_bytes(reader.packet)) return;
    warn(fmt::format(
        "class {} marks every packet from a queue of {} on, less than two packets of {}: {} slows "
        "down wherever two packets meet; if KB are meant, ecn.{} says bytes",
        c.name, format_bytes(all), format_bytes(in_bytes(reader.packet)), *reader.title,
        is_step ? "kmin" : "kmax"));
  }

  const Experiment& e_;
  StaticFindings& findings_;
  std::vector<MarkReader> readers_;  ///< by class
  std::int64_t inputs_ = 0;          ///< of the widest switch, but for one
  Bytes buffer_;                     ///< the largest
  BitsPerSecond slowest_ = BitsPerSecond::max();
  BitsPerSecond fastest_;
};

}  // namespace

void check_marking(const Experiment& experiment, StaticFindings& findings) {
  MarkingChecks(experiment, findings).run();
}

}  // namespace weft::scenarios
