#include "scenarios/blame/explain/slow_links.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "scenarios/blame/explain/counterfactual.hpp"
#include "scenarios/build/resolve_faults.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

/// What a port's link has with its faults, at worst.
struct Slowness {
  BitsPerSecond rate;
  Picoseconds latency;
};

std::vector<Slowness> slowness_of(const Fabric& fabric, const Scenario& scenario) {
  std::vector<Slowness> all;
  all.reserve(fabric.ports.size());
  for (const Port& port : fabric.ports) all.push_back({port.rate, port.wire_latency});
  const auto faults = resolve_faults(scenario, fabric);
  if (!faults) return all;
  for (const protocols::Fault& fault : faults.value()) {
    Slowness& port = all[fault.port.value()];
    if (fault.kind == protocols::Fault::Kind::kLinkRate)
      port.rate = std::min(port.rate, fault.rate);
    if (fault.kind == protocols::Fault::Kind::kLinkLatency) port.latency += fault.latency;
  }
  return all;
}

/// The ends of a connection, as `rank 4 -> rank 5 (h4 -> h5)` names their hosts.
std::pair<std::string_view, std::string_view> ends_of(std::string_view connection) {
  constexpr std::string_view kArrow = " -> ";
  const std::size_t begin = connection.rfind('(');
  const std::size_t end = connection.rfind(')');
  if (begin == connection.npos || end == connection.npos || end < begin) return {};
  const std::string_view hosts = connection.substr(begin + 1, end - begin - 1);
  const std::size_t arrow = hosts.find(kArrow);
  if (arrow == hosts.npos) return {};
  return {hosts.substr(0, arrow), hosts.substr(arrow + kArrow.size())};
}

}  // namespace

std::string SlowLink::text() const {
  std::string slower;
  if (rate < usual_rate) {
    slower = fmt::format("{} instead of {}", format_rate(static_cast<double>(rate.count())),
                         format_rate(static_cast<double>(usual_rate.count())));
  }
  if (added > Picoseconds(0)) {
    slower += fmt::format("{}{} longer", slower.empty() ? "" : ", ", format_time(added));
  }
  return fmt::format("{} ({})", escaped(port), slower);
}

std::vector<SlowLink> slow_links(const LoadedScenario& scenario) {
  const auto overrides = overrides_without("slow-links", scenario);
  if (!overrides) return {};
  const auto usual =
      load_scenario_text(scenario.canonical_yaml(), scenario.scenario.name, overrides.value());
  if (!usual) return {};
  const auto fabric = build_scenario_fabric(scenario.scenario);
  const auto usual_fabric = build_scenario_fabric(usual.value().scenario);
  if (!fabric || !usual_fabric) return {};
  const std::vector<Slowness> now = slowness_of(fabric.value(), scenario.scenario);
  const std::vector<Slowness> then = slowness_of(usual_fabric.value(), usual.value().scenario);
  std::vector<SlowLink> links;
  for (std::uint32_t p = 0; p < std::min(now.size(), then.size()); ++p) {
    const bool is_slower = now[p].rate < then[p].rate || then[p].latency < now[p].latency;
    if (!is_slower) continue;
    const Fabric& f = fabric.value();
    links.push_back({.port = f.port_name(PortId(p)),
                     .node = f.node(f.port(PortId(p)).node).name,
                     .peer = f.node(f.peer_node(PortId(p))).name,
                     .rate = now[p].rate,
                     .usual_rate = then[p].rate,
                     .added = std::max(Picoseconds(0), now[p].latency - then[p].latency)});
  }
  return links;
}

const SlowLink* slow_link_of(const std::vector<SlowLink>& links, const BlameEntry& blame) {
  const bool is_of_sender = blame.cause == "congestion control" || blame.cause == "window";
  const auto [from, to] = is_of_sender ? ends_of(blame.culprit) : decltype(ends_of("")){};
  for (const SlowLink& link : links) {
    if (link.port == blame.port || link.port == blame.culprit) return &link;
    if (!from.empty() && (link.node == from || link.peer == to)) return &link;
  }
  return nullptr;
}

}  // namespace weft::scenarios
