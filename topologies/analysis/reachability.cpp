#include "topologies/analysis/reachability.hpp"

#include <algorithm>
#include <cstddef>

#include "simcore/fabric/path.hpp"
#include "topologies/assembly/assembler.hpp"

namespace weft::topologies {
namespace {

/// Up to this many steps routes are followed even where no set of next hops is empty: tables that
/// static next hops have a part in, and that may go round, are small.
constexpr std::uint64_t kAlwaysFollowed = 5'000'000;

constexpr std::uint8_t kTooManyLinks = kMaxPathLinks + 1;

/// Of a switch during a walk.
constexpr std::uint8_t kUnknown = 0;
constexpr std::uint8_t kOpen = 1;  ///< its next hops are being followed
constexpr std::uint8_t kDone = 2;

std::uint64_t pairs_among(std::uint64_t hosts) { return hosts * (hosts - 1) / 2; }

}  // namespace

Reachability::Reachability(const Fabric& fabric, const Routes& routes, std::uint64_t work_limit)
    : fabric_(fabric),
      routes_(routes),
      fates_(fabric.switches.size()),
      state_(fabric.switches.size(), kUnknown) {
  find_parts();
  for (Part& part : parts_) {
    const std::uint64_t work = saturating_product(part.sites.size(), part.links);
    if (work > std::min(kAlwaysFollowed, work_limit) && !has_empty_set(part)) continue;
    if (work <= work_limit) {
      follow_all(part);
    } else {
      pairs_.is_complete = false;
    }
  }
  count_pairs();
}

void Reachability::find_parts() {
  std::int32_t domains = 0;
  for (const NodeId id : fabric_.hosts) domains = std::max(domains, fabric_.node(id).domain + 1);
  parts_.resize(1 + static_cast<std::size_t>(domains));
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    if (i > 0) parts_[i].network = NetworkKind::kScaleUp;
  }
  for (std::uint32_t p = 0; p < fabric_.ports.size(); ++p) {
    const Node& node = fabric_.node(fabric_.ports[p].node);
    const bool is_up = fabric_.network_of(PortId(p)) == NetworkKind::kScaleUp && node.domain >= 0;
    ++parts_[is_up ? 1 + static_cast<std::size_t>(node.domain) : 0].links;
  }
  for (auto& sites : site_of_) sites.resize(fabric_.hosts.size());
  for (std::uint32_t host = 0; host < fabric_.hosts.size(); ++host) {
    add_host(0, HostId(host));
    const std::int32_t domain = fabric_.host(HostId(host)).domain;
    if (domain >= 0) add_host(1 + static_cast<std::uint32_t>(domain), HostId(host));
  }
}

void Reachability::add_host(std::uint32_t number, HostId host) {
  Part& part = parts_[number];
  const auto network = static_cast<std::size_t>(part.network);
  const Node& node = fabric_.host(host);
  std::vector<std::uint64_t> key{number, routes_.groups[network][host.value()],
                                 routes_.hosts[host.value()].row[network]};
  for (std::uint32_t local = 0; local < node.port_count; ++local) {
    const PortId port(node.first_port.value() + local);
    if (fabric_.network_of(port) != part.network) continue;
    key.push_back((std::uint64_t{local} << 32U) | fabric_.peer_node(port).value());
    // One that its own switch does not know is like no other.
    if (!is_known_at(port, host)) key.push_back((std::uint64_t{1} << 63U) | host.value());
  }
  const auto next = static_cast<std::uint32_t>(part.sites.size());
  const auto [found, is_new] = site_of_key_.try_emplace(std::move(key), next);
  if (is_new) part.sites.emplace_back();
  part.sites[found->second].hosts.push_back(host);
  site_of_[network][host.value()] = found->second;
}

/// Whether the switch at the other end of a host's link sends to the host by no other links than
/// the host's, or those of its NIC nodes.
bool Reachability::is_known_at(PortId link, HostId host) const {
  const Node& at = fabric_.node(fabric_.peer_node(link));
  if (at.kind != NodeKind::kSwitch) return false;
  const auto hops = routes_.next_hops(SwitchId(at.index), host);
  return !hops.empty() && std::ranges::all_of(hops, [&](std::uint16_t local) {
    const Node& next = fabric_.node(fabric_.peer_node(PortId(at.first_port.value() + local)));
    return next.is_nic || (next.kind == NodeKind::kHost && HostId(next.index) == host);
  });
}

/// Whether there is an empty set of next hops that packets of the part may come to. Column 0 of a
/// row is for hosts that are attached nowhere; at switches that a destination is attached to its
/// column is never read.
bool Reachability::has_empty_set(const Part& part) const {
  const auto network = static_cast<std::size_t>(part.network);
  std::vector<HostId> of_group(1);
  for (const Site& site : part.sites) {
    const HostId host = site.hosts.front();
    const std::uint32_t group = routes_.groups[network][host.value()];
    if (group == 0) return true;
    if (group >= of_group.size()) of_group.resize(group + 1);
    of_group[group] = host;
  }
  const auto is_empty = [&](std::uint32_t row, std::size_t group) {
    return !of_group[group].is_none() && routes_.rows[row + group].count == 0;
  };
  for (const Site& site : part.sites) {
    const std::uint32_t row = routes_.hosts[site.hosts.front().value()].row[network];
    for (std::size_t group = 1; group < of_group.size(); ++group) {
      if (is_empty(row, group)) return true;
    }
  }
  const std::int32_t domain = fabric_.host(part.sites.front().hosts.front()).domain;
  for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i) {
    const Node& node = fabric_.switch_node(SwitchId(i));
    if (node.network != part.network) continue;
    if (part.network == NetworkKind::kScaleUp && node.domain != domain) continue;
    for (std::size_t group = 1; group < of_group.size(); ++group) {
      if (!is_empty(routes_.switches[i].row, group)) continue;
      if (routes_.set_at(SwitchId(i), of_group[group]).count == 0) return true;
    }
  }
  return false;
}

void Reachability::follow_all(Part& part) {
  const std::size_t n = part.sites.size();
  part.is_followed = true;
  part.is_everywhere = true;
  part.is_reached.assign(n * n, true);
  for (std::size_t to = 0; to < n; ++to) {
    const std::vector<HostId>& there = part.sites[to].hosts;
    for (std::size_t from = 0; from < n; ++from) {
      const std::vector<HostId>& here = part.sites[from].hosts;
      if (from == to && here.size() == 1) continue;
      const HostId source = from == to ? here[1] : here.front();
      const Fate fate = fate_by(fabric_.host(source),
                                ports_of_host(part.network, source, there.front()), there.front());
      part.is_reached[from * n + to] = fate.end == RouteEnd::kDelivered;
    }
    // Responses may start at any link of a host, and so at any of the switches of the part.
    part.is_everywhere = part.is_everywhere && is_reached_from_all(part, there.front());
    forget();
  }
}

/// Whether every switch that a host of the part is attached to delivers to `to`.
bool Reachability::is_reached_from_all(const Part& part, HostId to) {
  for (const Site& site : part.sites) {
    const Node& node = fabric_.host(site.hosts.front());
    for (std::uint32_t local = 0; local < node.port_count; ++local) {
      const PortId port(node.first_port.value() + local);
      if (fabric_.network_of(port) != part.network) continue;
      const Node& peer = fabric_.node(fabric_.peer_node(port));
      if (fate_at(SwitchId(peer.index), to).end != RouteEnd::kDelivered) return false;
    }
  }
  return true;
}

bool Reachability::is_pair_reached(const Part& part, std::size_t i, std::size_t j) const {
  const std::size_t n = part.sites.size();
  return part.is_reached[i * n + j] && part.is_reached[j * n + i];
}

void Reachability::count_pairs() {
  for (const Part& part : parts_) {
    if (!part.is_followed) continue;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < part.sites.size(); ++i) {
      const std::uint64_t hosts = part.sites[i].hosts.size();
      for (std::size_t j = i; j < part.sites.size(); ++j) {
        if (is_pair_reached(part, i, j)) continue;
        count += i == j ? pairs_among(hosts) : hosts * part.sites[j].hosts.size();
        if (pairs_.from.is_none()) note_example(part, i, j);
      }
    }
    // Within a domain traffic takes the scale-up network.
    if (count > 0 && &part == parts_.data()) count -= pairs_within_domains(part);
    pairs_.count += count;
  }
}

std::uint64_t Reachability::pairs_within_domains(const Part& scale_out) const {
  std::uint64_t count = 0;
  for (std::size_t d = 1; d < parts_.size(); ++d) {
    std::map<std::uint32_t, std::uint64_t> hosts_at;
    for (const Site& site : parts_[d].sites) {
      for (const HostId host : site.hosts) ++hosts_at[site_of_[0][host.value()]];
    }
    for (auto a = hosts_at.begin(); a != hosts_at.end(); ++a) {
      for (auto b = a; b != hosts_at.end(); ++b) {
        if (is_pair_reached(scale_out, a->first, b->first)) continue;
        count += a == b ? pairs_among(a->second) : a->second * b->second;
      }
    }
  }
  return count;
}

void Reachability::note_example(const Part& part, std::size_t i, std::size_t j) {
  for (const HostId a : part.sites[i].hosts) {
    for (const HostId b : part.sites[j].hosts) {
      if (a == b || fabric_.network_between(a, b) != part.network) continue;
      const bool is_forward = part.is_reached[i * part.sites.size() + j];
      pairs_.from = is_forward ? b : a;
      pairs_.to = is_forward ? a : b;
      return;
    }
  }
}

std::uint32_t Reachability::part_of(HostId from, HostId to) const {
  const bool is_inside = fabric_.network_between(from, to) == NetworkKind::kScaleUp;
  return is_inside ? 1 + static_cast<std::uint32_t>(fabric_.host(from).domain) : 0;
}

std::span<const std::uint16_t> Reachability::ports_of_host(NetworkKind network, HostId from,
                                                           HostId to) const {
  const auto index = static_cast<std::size_t>(network);
  return routes_.ports_of(
      routes_.rows[routes_.hosts[from.value()].row[index] + routes_.groups[index][to.value()]]);
}

Reachability::Fate Reachability::fate_by(const Node& node, std::span<const std::uint16_t> ports,
                                         HostId to) {
  const NodeId self = fabric_.port(node.first_port).node;
  if (ports.empty()) return {RouteEnd::kNoNextHop, 0, self};
  Fate worst;
  for (const std::uint16_t local : ports) {
    const Node& peer = fabric_.node(fabric_.peer_node(PortId(node.first_port.value() + local)));
    Fate fate;
    if (peer.kind == NodeKind::kSwitch) {
      fate = fate_at(SwitchId(peer.index), to);
    } else if (HostId(peer.index) != to) {
      fate = {RouteEnd::kWrongHost, 0, self};
    }
    fate.links = static_cast<std::uint8_t>(std::min<std::size_t>(fate.links + 1, kTooManyLinks));
    const std::uint8_t longest = std::max(worst.links, fate.links);
    if (fate.end > worst.end) worst = fate;
    worst.links = longest;
  }
  // The TTL of a packet that crosses kTooManyLinks links expires before the destination.
  if (worst.end == RouteEnd::kDelivered && worst.links == kTooManyLinks) {
    worst.end = RouteEnd::kLoop;
    worst.cause = self;
  }
  return worst;
}

/// A walk in depth without recursion, as a ring may have any number of switches: a switch is left
/// as soon as all its next hops are known, and meets itself again only where packets go round.
Reachability::Fate Reachability::fate_at(SwitchId first, HostId to) {
  // One that is open is met on a path that leads back to it: packets go round.
  if (state_[first.value()] != kUnknown) return fates_[first.value()];
  std::vector<SwitchId> open{first};
  while (!open.empty()) {
    const SwitchId at = open.back();
    if (state_[at.value()] == kDone) {
      open.pop_back();
      continue;
    }
    const Node& node = fabric_.switch_node(at);
    const auto ports = routes_.next_hops(at, to);
    if (state_[at.value()] == kUnknown) {
      state_[at.value()] = kOpen;
      known_.push_back(at.value());
      fates_[at.value()] = {RouteEnd::kLoop, 0, fabric_.switches[at.value()]};
      for (const std::uint16_t local : ports) {
        const Node& peer = fabric_.node(fabric_.peer_node(PortId(node.first_port.value() + local)));
        if (peer.kind == NodeKind::kSwitch && state_[peer.index] == kUnknown) {
          open.emplace_back(peer.index);
        }
      }
      continue;
    }
    open.pop_back();
    // By now its next hops are done, or open.
    fates_[at.value()] = fate_by(node, ports, to);
    state_[at.value()] = kDone;
  }
  return fates_[first.value()];
}

void Reachability::forget() {
  for (const std::uint32_t at : known_) state_[at] = kUnknown;
  known_.clear();
}

RouteEnd Reachability::end_of(HostId from, HostId to) {
  return kept(from, to, false,
              [&](NetworkKind network) { return fate_of_data(network, from, to).end; });
}

RouteEnd Reachability::end_of_responses(HostId from, HostId to) {
  return kept(from, to, true, [&](NetworkKind) { return fate_of_responses(from, to).end; });
}

template <class Follow>
RouteEnd Reachability::kept(HostId from, HostId to, bool is_response, Follow follow) {
  const std::uint32_t number = part_of(from, to);
  const Part& part = parts_[number];
  if (!part.is_followed && pairs_.is_complete) return RouteEnd::kDelivered;
  const auto network = static_cast<std::size_t>(part.network);
  const std::uint32_t i = site_of_[network][from.value()];
  const std::uint32_t j = site_of_[network][to.value()];
  const bool is_reached = part.is_followed && part.is_reached[i * part.sites.size() + j];
  if (is_reached && (!is_response || part.is_everywhere)) return RouteEnd::kDelivered;
  const std::uint64_t sites = (std::uint64_t{i} << 32U) | j;
  const auto [found, is_new] =
      ends_.try_emplace({number * 2U + (is_response ? 1U : 0U), sites}, RouteEnd::kDelivered);
  if (is_new) found->second = follow(part.network);
  return found->second;
}

Reachability::Fate Reachability::fate_of_data(NetworkKind network, HostId from, HostId to) {
  const Fate fate = fate_by(fabric_.host(from), ports_of_host(network, from, to), to);
  forget();
  return fate;
}

Reachability::Fate Reachability::fate_of_responses(HostId from, HostId to) {
  const NetworkKind network = fabric_.network_between(from, to);
  const Node& source = fabric_.host(from);
  const Node& destination = fabric_.host(to);
  if (fate_by(source, ports_of_host(network, from, to), to).end != RouteEnd::kDelivered) {
    forget();
    return {};  // nothing comes that could be answered
  }
  // Of the links of the destination those that a switch on the way sends by.
  std::vector<std::uint16_t> back;
  for (std::uint32_t local = 0; local < destination.port_count; ++local) {
    const Port& port = fabric_.port(PortId(destination.first_port.value() + local));
    const Node& peer = fabric_.node(fabric_.port(port.peer).node);
    if (peer.kind != NodeKind::kSwitch || state_[peer.index] != kDone) continue;
    const auto out = static_cast<std::uint16_t>(port.peer.value() - peer.first_port.value());
    const auto hops = routes_.next_hops(SwitchId(peer.index), to);
    if (std::ranges::find(hops, out) != hops.end())
      back.push_back(static_cast<std::uint16_t>(local));
  }
  forget();
  const Fate fate = fate_by(destination, back, from);
  forget();
  return fate;
}

std::string Reachability::reason(HostId from, HostId to) {
  const NetworkKind network = fabric_.network_between(from, to);
  HostId wanted = to;
  Fate fate = fate_of_data(network, from, to);
  if (fate.end == RouteEnd::kDelivered) {
    fate = fate_of_responses(from, to);
    wanted = from;
  }
  const std::string& at = fate.cause.is_none() ? std::string() : fabric_.node(fate.cause).name;
  const std::string& goal = fabric_.host(wanted).name;
  switch (fate.end) {
    case RouteEnd::kNoNextHop:
      return at + " has no next hop for " + goal;
    case RouteEnd::kWrongHost:
      return at + " sends what is for " + goal + " to another host";
    case RouteEnd::kLoop:
      return "what is for " + goal + " goes round at " + at +
             ", or crosses more links than its TTL allows";
    case RouteEnd::kDelivered:
      break;
  }
  return {};
}

}  // namespace weft::topologies
