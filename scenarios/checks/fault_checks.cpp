#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "scenarios/build/fabric_names.hpp"
#include "scenarios/build/resolve_faults.hpp"
#include "scenarios/checks/limits/spread_traffic.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

/// More of them take longer than a check may.
constexpr std::size_t kMaxFollowed = 500'000;

/// Links that packets may cross by any of the routes that a run has.
class UsedLinks {
 public:
  explicit UsedLinks(const Experiment& e) : e_(e), is_used_(e.fabric.ports.size()) {}

  /// False: they are too many to be followed.
  bool find() {
    if (e_.workload.connections().size() > kMaxFollowed) return false;
    std::unordered_set<std::uint32_t> destinations;
    for (const Connection& c : e_.workload.connections()) {
      destinations.insert(host(c.source).value());
      destinations.insert(host(c.destination).value());
    }
    const std::vector<const Routes*> tables = e_.route_changes.all(e_.routes);
    const double steps = spread_steps(e_.fabric, destinations.size());
    if (steps * static_cast<double>(tables.size()) > kMaxSpreadSteps) return false;
    for (const Routes* routes : tables) add(*routes);
    return true;
  }

  /// In either direction.
  [[nodiscard]] bool has(PortId port) const {
    return is_used_[port.value()] || is_used_[e_.fabric.port(port).peer.value()];
  }

 private:
  [[nodiscard]] HostId host(ProcessId process) const {
    return e_.workload.process_hosts()[process.value()];
  }

  void add(const Routes& routes) {
    SpreadTraffic traffic(e_.fabric, routes);
    for (const Connection& c : e_.workload.connections()) {
      const HostId from = host(c.source);
      const HostId to = host(c.destination);
      if (from != to && e_.fabric.network_between(from, to) == NetworkKind::kScaleUp) {
        mark_domain(from);
        mark_domain(to);
      }
      traffic.add(from, to, 1);
      traffic.add(to, from, 1);
    }
    const std::vector<double>& by_port = traffic.by_port();
    for (std::size_t p = 0; p < by_port.size(); ++p) {
      if (by_port[p] > 0) is_used_[p] = true;
    }
  }

  /// What a host sends inside of its domain it spreads over all of its links there.
  void mark_domain(HostId id) {
    const Node& node = e_.fabric.host(id);
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      const PortId port(node.first_port.value() + i);
      if (e_.fabric.network_of(port) == NetworkKind::kScaleUp) is_used_[port.value()] = true;
    }
  }

  const Experiment& e_;
  std::vector<bool> is_used_;
};

/// Such as `link-down of leaf0 to spine1`.
std::string name_of(const FaultSpec& fault) {
  struct Namer {
    static std::string links(const LinkSelection& l) {
      return l.from + (l.to.empty() ? "" : " to " + l.to);
    }
    std::string operator()(const NicPause& f) const { return "nic-pause of " + f.host; }
    std::string operator()(const LinkRate& f) const { return "link-rate of " + links(f.links); }
    std::string operator()(const LinkDown& f) const { return "link-down of " + links(f.links); }
    std::string operator()(const SwitchDown& f) const { return "switch-down of " + f.node; }
    std::string operator()(const LinkLatency& f) const {
      return "link-latency of " + links(f.links);
    }
    std::string operator()(const Flapping& f) const { return "flapping of " + links(f.links); }
    std::string operator()(const BitErrors& f) const { return "bit-errors of " + links(f.links); }
  };
  return std::visit(Namer(), fault.what);
}

/// When a fault first does something. Links that flap are up at first; nothing where they stay up.
std::optional<Picoseconds> first_effect(const Experiment& e, std::size_t number) {
  const FaultSpec& fault = e.scenario.faults[number];
  if (!std::holds_alternative<Flapping>(fault.what)) return fault.at;
  std::optional<Picoseconds> first;
  for (const protocols::Fault& outage : e.faults) {
    if (outage.incident == number) first = std::min(first.value_or(outage.at), outage.at);
  }
  return first;
}
std::string begin_of(const FaultSpec& fault, Picoseconds at) {
  const bool flaps = std::holds_alternative<Flapping>(fault.what);
  return (flaps ? "its first outage begins at " : "it begins at ") + format_time(at);
}

void check_times(const Experiment& e, StaticFindings& findings) {
  const auto& until = e.scenario.run.until;
  for (std::size_t i = 0; i < e.scenario.faults.size(); ++i) {
    const FaultSpec& fault = e.scenario.faults[i];
    const std::optional<Picoseconds> begin = first_effect(e, i);
    if (!begin) {
      findings.warnings.push_back(fmt::format(
          "faults[{}] ({}) has no effect: no outage begins before it ends at {}; let `up` be less",
          i, name_of(fault), format_time(*fault.until)));
    } else if (until && *begin >= *until) {
      findings.warnings.push_back(
          fmt::format("faults[{}] ({}) has no effect: {}, and the run "
                      "stops at {}",
                      i, name_of(fault), begin_of(fault, *begin), format_time(*until)));
    }
  }
}

}  // namespace

void check_faults(const Experiment& e, StaticFindings& findings) {
  check_times(e, findings);
  if (e.scenario.faults.empty() && e.scenario.link_changes.empty()) return;
  UsedLinks used(e);
  if (!used.find()) return;
  const FabricNames names(e.fabric);
  const auto is_idle = [&](const FaultSpec& fault) {
    Errors errors;
    const std::vector<PortId> ports = fault_ports(e.fabric, names, fault, "", errors);
    return !ports.empty() &&
           std::ranges::none_of(ports, [&](PortId port) { return used.has(port); });
  };
  for (std::size_t i = 0; i < e.scenario.faults.size(); ++i) {
    const FaultSpec& fault = e.scenario.faults[i];
    if (!is_idle(fault)) continue;
    findings.warnings.push_back(fmt::format(
        "faults[{}] ({}) has no effect: no message of any job comes there", i, name_of(fault)));
  }
  for (std::size_t i = 0; i < e.scenario.link_changes.size(); ++i) {
    FaultSpec change;
    change.what = LinkDown{e.scenario.link_changes[i].links};
    if (!is_idle(change)) continue;
    const LinkSelection& links = e.scenario.link_changes[i].links;
    findings.warnings.push_back(
        fmt::format("links.changes[{}] ({}{}) has no effect: no message of any job comes there", i,
                    links.from, links.to.empty() ? "" : " to " + links.to));
  }
}

void warn_of_late_faults(const Experiment& e, Picoseconds end, std::vector<std::string>& warnings) {
  const auto& until = e.scenario.run.until;
  for (std::size_t i = 0; i < e.scenario.faults.size(); ++i) {
    const FaultSpec& fault = e.scenario.faults[i];
    const std::optional<Picoseconds> begin = first_effect(e, i);
    if (!begin || *begin < end || (until && *begin >= *until)) continue;
    warnings.push_back(
        fmt::format("faults[{}] ({}) had no effect: {}, and all jobs were over at "
                    "{}",
                    i, name_of(fault), begin_of(fault, *begin), format_time(end)));
  }
}

}  // namespace weft::scenarios
