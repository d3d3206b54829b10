#include "simcore/fabric/capacity_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "simcore/fabric/path.hpp"

namespace weft {
namespace {

/// Which nodes hang together through links that are cut last. Union by smaller number, so that a
/// component's root is its first node.
class Components {
 public:
  explicit Components(std::size_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  [[nodiscard]] std::uint32_t root(NodeId node) {
    std::uint32_t at = node.value();
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  void join(NodeId a, NodeId b) {
    const std::uint32_t root_a = root(a);
    const std::uint32_t root_b = root(b);
    parent_[std::max(root_a, root_b)] = std::min(root_a, root_b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Load and capacity of one cut, in one direction.
struct NetworkCut {
  Bytes load;
  BitsPerSecond capacity;
};

Bytes total(const Demand& demand) { return demand.wire_bytes * demand.count; }

/// Of the demands and links of one network.
class BoundFinder {
 public:
  BoundFinder(const Fabric& fabric, const Routes& routes, NetworkKind network,
              std::span<const Demand> demands, BitsPerSecond receive_rate)
      : fabric_(fabric), routes_(routes), network_(network), receive_rate_(receive_rate) {
    for (const Demand& demand : demands) {
      if (demand.source == demand.destination) continue;
      if (fabric.network_between(demand.source, demand.destination) == network) {
        demands_.push_back(demand);
      }
    }
  }

  CapacityBound find() {
    if (demands_.empty()) return {};
    is_inside_.reserve(fabric_.ports.size());
    for (std::size_t p = 0; p < fabric_.ports.size(); ++p) {
      is_inside_.push_back(fabric_.network_of(PortId(p)) == network_);
    }
    consider_tiers();
    if (fabric_.has_shared_links()) consider_shared_links();
    consider_groups_at_sources();
    consider_entries_of_destinations();
    return tightest_;
  }

 private:
  template <class Name>
  void consider(const NetworkCut& cut, Name&& name) {
    if (cut.load.count() == 0 || cut.capacity.count() == 0) return;
    const Picoseconds time = transmission_time(cut.load, cut.capacity);
    if (time > tightest_.time) tightest_ = {time, name()};
  }

  /// For each tier t, the components of everything up to t: what leaves one crosses a link to a
  /// higher tier, whatever the routes. Tier 0 are the hosts.
  void consider_tiers() {
    Components components(fabric_.nodes.size());
    const std::uint32_t top = std::ranges::max(fabric_.nodes, {}, &Node::tier).tier;
    for (std::uint32_t tier = 0; tier < top; ++tier) {
      for (std::size_t p = 0; p < fabric_.ports.size(); ++p) {
        if (!is_inside_[p]) continue;
        const Port& port = fabric_.ports[p];
        const NodeId peer = fabric_.port(port.peer).node;
        if (std::max(fabric_.node(port.node).tier, fabric_.node(peer).tier) == tier) {
          components.join(port.node, peer);
        }
      }
      consider_tier(tier, components);
    }
  }

  void consider_tier(std::uint32_t tier, Components& components) {
    std::vector<NetworkCut> out(fabric_.nodes.size());
    std::vector<NetworkCut> in(fabric_.nodes.size());
    std::vector<NodeId> highest(fabric_.nodes.size());  // by root: the first switch of this tier
    std::vector<bool> is_slow_receiver(fabric_.nodes.size());
    for (std::size_t p = 0; p < fabric_.ports.size(); ++p) {
      const Port& port = fabric_.ports[p];
      const Port& peer = fabric_.port(port.peer);
      if (!is_inside_[p]) continue;
      if (fabric_.node(port.node).tier > tier || fabric_.node(peer.node).tier <= tier) continue;
      const std::uint32_t root = components.root(port.node);
      out[root].capacity += port.rate;
      in[root].capacity += tier == 0 ? std::min(peer.rate, receive_rate_) : peer.rate;
      if (tier == 0 && receive_rate_ < peer.rate) is_slow_receiver[root] = true;
      highest[root] = std::min(highest[root], port.node);
    }
    for (const Demand& demand : demands_) {
      const std::uint32_t from = components.root(fabric_.hosts[demand.source.value()]);
      const std::uint32_t to = components.root(fabric_.hosts[demand.destination.value()]);
      if (from == to) continue;
      out[from].load += total(demand);
      in[to].load += total(demand);
    }
    const bool is_nic = network_ == NetworkKind::kScaleOut;
    const auto name = [&](std::size_t root, const char* way) {
      const std::string& node = fabric_.node(highest[root]).name;
      if (tier == 0) return std::string(is_nic ? "NIC " : "scale-up ") + way + " of " + node;
      return "tier " + std::to_string(tier) + " " + way + " around " + node;
    };
    for (std::size_t root = 0; root < out.size(); ++root) {
      consider(out[root], [&] { return name(root, "egress"); });
      consider(in[root],
               [&] { return name(root, is_slow_receiver[root] ? "receive rate" : "ingress"); });
    }
  }

  /// The link that all ports of a host share by which it sends into the network, or receives; 0:
  /// there is none.
  [[nodiscard]] std::uint32_t shared_link_of(HostId host, bool is_sending) const {
    std::optional<std::uint32_t> only;
    const Node& node = fabric_.host(host);
    for (std::uint32_t local = 0; local < node.port_count; ++local) {
      const PortId id(node.first_port.value() + local);
      if (!is_inside_[id.value()]) continue;
      const Port& port = fabric_.port(id);
      const std::uint32_t link =
          is_sending ? port.shared_link : fabric_.port(port.peer).shared_link;
      if (only.value_or(link) != link) return 0;
      only = link;
    }
    return only.value_or(0);
  }

  /// Host links that several share: what all of them send, and receive if both directions do.
  void consider_shared_links() {
    std::vector<NetworkCut> cuts;
    std::vector<HostId> first;
    for (const Port& port : fabric_.ports) {
      const std::uint32_t link = port.shared_link;
      if (link >= cuts.size()) cuts.resize(link + 1);
      if (link != 0) cuts[link].capacity = std::max(cuts[link].capacity, port.rate);
    }
    first.resize(cuts.size());
    const auto add = [&](HostId host, bool is_sending, Bytes bytes) {
      const std::uint32_t link = shared_link_of(host, is_sending);
      if (link == 0) return;
      cuts[link].load += bytes;
      first[link] = std::min(first[link], host);
    };
    for (const Demand& demand : demands_) {
      add(demand.source, true, total(demand));
      add(demand.destination, false, total(demand));
    }
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      consider(cuts[i],
               [&] { return "the host link that " + fabric_.host(first[i]).name + " shares"; });
    }
  }

  /// The only switch of the network that a host is attached to; none if there are several.
  [[nodiscard]] SwitchId edge_of(HostId host) const {
    NodeId edge;
    const Node& node = fabric_.host(host);
    for (std::uint32_t local = 0; local < node.port_count; ++local) {
      const PortId port(node.first_port.value() + local);
      if (!is_inside_[port.value()]) continue;
      const NodeId peer = fabric_.peer_node(port);
      if (!edge.is_none() && edge != peer) return SwitchId::none();
      edge = peer;
    }
    return edge.is_none() ? SwitchId::none() : SwitchId(fabric_.node(edge).index);
  }

  void consider_groups_at_sources() {
    struct Share {
      SwitchId at;
      Routes::NextHops set;
      Bytes bytes;
    };
    std::vector<Share> shares;
    for (const Demand& demand : demands_) {
      const SwitchId at = edge_of(demand.source);
      if (at.is_none() || at == edge_of(demand.destination)) continue;
      shares.push_back({at, routes_.set_at(at, demand.destination), total(demand)});
    }
    const auto is_before = [](const Share& a, const Share& b) {
      return std::pair(a.at, a.set.first) < std::pair(b.at, b.set.first);
    };
    std::ranges::sort(shares, is_before);
    for (auto first = shares.begin(); first != shares.end();) {
      const auto last = std::upper_bound(first, shares.end(), *first, is_before);
      const Node& node = fabric_.switch_node(first->at);
      NetworkCut cut;
      for (auto share = first; share != last; ++share) cut.load += share->bytes;
      int previous = -1;
      for (const std::uint16_t local : routes_.ports_of(first->set)) {
        if (std::exchange(previous, local) == local) continue;  // repeated for its weight
        cut.capacity += fabric_.port(PortId(node.first_port.value() + local)).rate;
      }
      consider(cut, [&] { return "an equal-cost group of " + node.name; });
      first = last;
    }
  }

  void consider_entries_of_destinations() {
    std::vector<NetworkCut> entries(fabric_.switches.size());
    // By switch: of every group of destinations that hang there one.
    std::vector<std::map<std::uint32_t, HostId>> hosts_at(fabric_.switches.size());
    for (const Demand& demand : demands_) {
      const SwitchId to = edge_of(demand.destination);
      if (to.is_none() || edge_of(demand.source) == to) continue;
      entries[to.value()].load += total(demand);
      const auto& groups = routes_.groups[static_cast<std::size_t>(network_)];
      hosts_at[to.value()].emplace(groups[demand.destination.value()], demand.destination);
    }
    for (std::size_t i = 0; i < fabric_.ports.size(); ++i) {
      const Node& from = fabric_.node(fabric_.ports[i].node);
      const Node& to = fabric_.node(fabric_.peer_node(PortId(i)));
      if (from.kind != NodeKind::kSwitch || to.kind != NodeKind::kSwitch) continue;
      const auto leads_there = [&](const auto& host) { return enters(from, i, host.second); };
      if (std::ranges::any_of(hosts_at[to.index], leads_there)) {
        entries[to.index].capacity += fabric_.ports[i].rate;
      }
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      consider(entries[i], [&] { return "links into " + fabric_.switch_node(SwitchId(i)).name; });
    }
  }

  /// Whether `from` sends packets for `host` through `port`.
  [[nodiscard]] bool enters(const Node& from, std::size_t port, HostId host) const {
    return std::ranges::binary_search(routes_.next_hops(SwitchId(from.index), host),
                                      static_cast<std::uint16_t>(port - from.first_port.value()));
  }

  const Fabric& fabric_;
  const Routes& routes_;
  NetworkKind network_;
  BitsPerSecond receive_rate_;
  std::vector<Demand> demands_;
  std::vector<bool> is_inside_;  ///< by port: of this network
  CapacityBound tightest_;
};

}  // namespace

CapacityBound capacity_bound(const Fabric& fabric, const Routes& routes,
                             std::span<const Demand> demands, BitsPerSecond receive_rate) {
  CapacityBound tightest;
  for (const NetworkKind network : {NetworkKind::kScaleOut, NetworkKind::kScaleUp}) {
    const BitsPerSecond taken_in =
        network == NetworkKind::kScaleOut ? receive_rate : BitsPerSecond::max();
    CapacityBound bound = BoundFinder(fabric, routes, network, demands, taken_in).find();
    if (bound.time > tightest.time) tightest = std::move(bound);
  }
  return tightest;
}

CapacityBound link_bound(const Fabric& fabric, const Routes& routes, std::uint64_t run_seed,
                         std::span<const Demand> demands) {
  std::vector<Bytes> load(fabric.ports.size());
  const std::vector<PortId> owners = fabric.link_owners();
  for (const Demand& demand : demands) {
    for (const PortId port :
         flow_path(fabric, routes, run_seed, demand.source, demand.destination, demand.entropy)) {
      load[owners[port.value()].value()] += total(demand);
    }
  }
  CapacityBound bound;
  std::size_t busiest = 0;
  for (std::size_t i = 0; i < load.size(); ++i) {
    const Picoseconds time = transmission_time(load[i], fabric.ports[i].rate);
    if (time > bound.time) {
      bound.time = time;
      busiest = i;
    }
  }
  if (bound.time.count() > 0) bound.cut = "link " + fabric.port_name(PortId(busiest));
  return bound;
}

}  // namespace weft
