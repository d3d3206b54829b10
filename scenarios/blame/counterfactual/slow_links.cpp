#include "scenarios/blame/counterfactual/slow_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/build/fabric_names.hpp"
#include "scenarios/build/resolve_faults.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

/// What a port's link has with its faults, at worst.
struct Slowness {
  BitsPerSecond rate;
  Picoseconds latency;
  const protocols::Fault* fault = nullptr;  ///< the worst of those that slow it down
};

using Faults = std::vector<protocols::Fault>;

/// The faults must outlive it.
std::vector<Slowness> slowness_of(const Fabric& fabric, const Faults& faults) {
  std::vector<Slowness> all;
  all.reserve(fabric.ports.size());
  for (const Port& port : fabric.ports) all.push_back({port.rate, port.wire_latency});
  for (const protocols::Fault& fault : faults) {
    Slowness& port = all[fault.port.value()];
    if (fault.kind == protocols::Fault::Kind::kLinkRate && fault.rate < port.rate) {
      port.rate = fault.rate;
      port.fault = &fault;
    }
    if (fault.kind == protocols::Fault::Kind::kLinkLatency) {
      port.latency += fault.latency;
      port.fault = &fault;
    }
  }
  return all;
}

/// While it is there, where that is not always.
std::string when_text(const protocols::Fault* fault) {
  if (fault == nullptr) return {};
  const bool is_over = fault->until != protocols::Fault::kForever;
  std::string text;
  if (fault->at > Picoseconds(0))
    text += " from " + format_time(fault->at) + (is_over ? "" : " on");
  if (is_over) text += " until " + format_time(fault->until);
  return text;
}

bool is_end_of_nic(const Node& node) { return node.kind == NodeKind::kHost || node.is_nic; }

/// By port: its link is one whose cable is changed by itself, so that no NIC is slow. All links of
/// a host together are how a scenario says that its NIC is (`links.changes: [{from: h3}]`).
std::vector<bool> changed_cables(const Fabric& fabric, const Scenario& scenario) {
  std::vector<bool> changed(fabric.ports.size());
  const FabricNames names(fabric);
  Errors errors;  // none: the fabric was built
  for (const LinkChange& change : scenario.link_changes) {
    const NodeId from = names.find(change.links.from);
    const bool is_of_nic = !from.is_none() && is_end_of_nic(fabric.node(from));
    if (change.links.to.empty() && is_of_nic) continue;
    for (const PortId port : names.ports(change.links, "links.changes", errors)) {
      changed[port.value()] = true;
      changed[fabric.port(port).peer.value()] = true;
    }
  }
  return changed;
}

/// What is slow where a port's link is. `is_cable`: whatever it joins; `is_both_ways`: so is the
/// other direction.
std::string subject_of(const Fabric& fabric, PortId port, bool is_cable, bool is_both_ways) {
  const PortId first = std::min(port, fabric.port(port).peer);
  const Node& node = fabric.node(fabric.port(port).node);
  const Node& peer = fabric.node(fabric.peer_node(port));
  if (!is_cable && (is_end_of_nic(node) || is_end_of_nic(peer))) {
    // Of a NIC and its GPU, which have a link of their own, the NIC.
    const Node& owner = is_end_of_nic(node) && !peer.is_nic ? node : peer;
    if (fabric.network_of(port) == NetworkKind::kScaleUp) {
      return "each scale-up link of " + escaped(owner.name);
    }
    return (owner.is_nic ? "the NIC " : "the NIC of ") + escaped(owner.name);
  }
  if (!is_both_ways) {
    return fmt::format("the link from {} to {}", escaped(node.name), escaped(peer.name));
  }
  const Node& one = fabric.node(fabric.port(first).node);
  const Node& other = fabric.node(fabric.peer_node(first));
  return fmt::format("the link between {} and {}", escaped(one.name), escaped(other.name));
}

/// The directions of links that bring NICs more than these take in.
void add_slow_receivers(const Fabric& fabric, const std::optional<BitsPerSecond>& taken_in,
                        std::vector<SlowLink>& links) {
  if (!taken_in) return;
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    const PortId port(p);
    const Node& peer = fabric.node(fabric.peer_node(port));
    const bool is_to_nic =
        is_end_of_nic(peer) && !is_end_of_nic(fabric.node(fabric.port(port).node));
    if (!is_to_nic || fabric.network_of(port) != NetworkKind::kScaleOut) continue;
    if (fabric.port(port).rate <= *taken_in) continue;
    links.push_back({.port = fabric.port_name(port),
                     .node = fabric.node(fabric.port(port).node).name,
                     .peer = peer.name,
                     .rate = *taken_in,
                     .usual_rate = fabric.port(port).rate,
                     .added = {},
                     .subject = "each NIC",
                     .is_taken_in = true});
  }
}

}  // namespace

std::pair<std::string_view, std::string_view> ends_of_connection(std::string_view connection) {
  constexpr std::string_view kArrow = " -> ";
  const std::size_t begin = connection.rfind('(');
  const std::size_t end = connection.rfind(')');
  if (begin == connection.npos || end == connection.npos || end < begin) return {};
  const std::string_view hosts = connection.substr(begin + 1, end - begin - 1);
  const std::size_t arrow = hosts.find(kArrow);
  if (arrow == hosts.npos) return {};
  return {hosts.substr(0, arrow), hosts.substr(arrow + kArrow.size())};
}

std::string SlowLink::text() const {
  std::string text = subject;
  if (is_taken_in) {
    text += fmt::format(" takes in {} of {}", format_rate(static_cast<double>(rate.count())),
                        format_rate(static_cast<double>(usual_rate.count())));
  } else if (rate < usual_rate) {
    text += fmt::format(" runs at {} of {}", format_rate(static_cast<double>(rate.count())),
                        format_rate(static_cast<double>(usual_rate.count())));
  }
  if (added > Picoseconds(0)) {
    text += fmt::format("{} takes {} longer", rate < usual_rate ? " and" : "", format_time(added));
  }
  return text + when;
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
  const Fabric& f = fabric.value();
  const auto resolved = resolve_faults(scenario.scenario, f);
  const Faults faults = resolved ? resolved.value() : Faults();
  const std::vector<Slowness> now = slowness_of(f, faults);
  const std::vector<Slowness> then = slowness_of(usual_fabric.value(), {});
  const std::vector<bool> changed = changed_cables(f, scenario.scenario);
  const auto is_slow = [&](PortId port) {
    const std::size_t p = port.value();
    return p < std::min(now.size(), then.size()) &&
           (now[p].rate < then[p].rate || then[p].latency < now[p].latency);
  };
  std::vector<SlowLink> links;
  for (std::uint32_t p = 0; p < f.ports.size(); ++p) {
    const PortId port(p);
    if (!is_slow(port)) continue;
    // A latency is a cable's.
    const bool is_cable = changed[p] || now[p].fault != nullptr || now[p].rate == then[p].rate;
    links.push_back({.port = f.port_name(port),
                     .node = f.node(f.port(port).node).name,
                     .peer = f.node(f.peer_node(port)).name,
                     .rate = now[p].rate,
                     .usual_rate = then[p].rate,
                     .added = std::max(Picoseconds(0), now[p].latency - then[p].latency),
                     .subject = subject_of(f, port, is_cable, is_slow(f.port(port).peer)),
                     .when = when_text(now[p].fault)});
  }
  add_slow_receivers(f, scenario.scenario.nic.receive_rate, links);
  return links;
}

std::vector<std::string> slow_link_texts(const std::vector<SlowLink>& links) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const SlowLink& link : links) {
    std::string text = link.text();
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  return texts;
}

const SlowLink* slow_link_of(const std::vector<SlowLink>& links, const BlameEntry& blame) {
  const bool is_of_sender = blame.cause == "congestion control" || blame.cause == "window";
  const auto [from, to] =
      is_of_sender ? ends_of_connection(blame.culprit) : decltype(ends_of_connection("")){};
  for (const SlowLink& link : links) {
    // What only takes longer to pass slows nothing that waits for its turn there.
    const bool is_only_longer = link.rate == link.usual_rate;
    if (is_only_longer && blame.cause != "propagation" && blame.cause != "window") continue;
    if (link.port == blame.port || link.port == blame.culprit) return &link;
    // A NIC that takes in less than comes pauses its switch.
    if (link.is_taken_in && blame.culprit == "NIC of " + link.peer) return &link;
    if (!from.empty() && (link.node == from || link.peer == to)) return &link;
  }
  return nullptr;
}

}  // namespace weft::scenarios
