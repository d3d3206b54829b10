#include "simcore/capacity_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "simcore/path.hpp"

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
struct Cut {
  Bytes load;
  BitsPerSecond capacity;
};

Bytes total(const Demand& demand) { return demand.wire_bytes * demand.count; }

class BoundFinder {
 public:
  BoundFinder(const Fabric& fabric, const Routes& routes, std::span<const Demand> demands)
      : fabric_(fabric), routes_(routes), demands_(demands) {}

  CapacityBound find() {
    consider_tiers();
    consider_groups_at_sources();
    consider_entries_of_destinations();
    return tightest_;
  }

 private:
  template <class Name>
  void consider(const Cut& cut, Name&& name) {
    if (cut.load.count() == 0 || cut.capacity.count() == 0) return;
    const Picoseconds time = transmission_time(cut.load, cut.capacity);
    if (time > tightest_.time) tightest_ = {time, name()};
  }

  /// For each tier t, the components of everything up to t: what leaves one crosses a link to a
  /// higher tier, whatever the routes. Tier 0 are the NICs.
  void consider_tiers() {
    Components components(fabric_.nodes.size());
    const std::uint32_t top = std::ranges::max(fabric_.nodes, {}, &Node::tier).tier;
    for (std::uint32_t tier = 0; tier < top; ++tier) {
      for (const Port& port : fabric_.ports) {
        const NodeId peer = fabric_.port(port.peer).node;
        if (std::max(fabric_.node(port.node).tier, fabric_.node(peer).tier) == tier) {
          components.join(port.node, peer);
        }
      }
      consider_tier(tier, components);
    }
  }

  void consider_tier(std::uint32_t tier, Components& components) {
    std::vector<Cut> out(fabric_.nodes.size());
    std::vector<Cut> in(fabric_.nodes.size());
    std::vector<NodeId> highest(fabric_.nodes.size());  // by root: the first switch of this tier
    for (const Port& port : fabric_.ports) {
      const Port& peer = fabric_.port(port.peer);
      if (fabric_.node(port.node).tier > tier || fabric_.node(peer.node).tier <= tier) continue;
      const std::uint32_t root = components.root(port.node);
      out[root].capacity += port.rate;
      in[root].capacity += peer.rate;
      highest[root] = std::min(highest[root], port.node);
    }
    for (const Demand& demand : demands_) {
      const std::uint32_t from = components.root(fabric_.hosts[demand.source.value()]);
      const std::uint32_t to = components.root(fabric_.hosts[demand.destination.value()]);
      if (from == to) continue;
      out[from].load += total(demand);
      in[to].load += total(demand);
    }
    const auto name = [&](std::size_t root, const char* way) {
      const std::string& node = fabric_.node(highest[root]).name;
      if (tier == 0) return std::string("NIC ") + way + " of " + node;
      return "tier " + std::to_string(tier) + " " + way + " around " + node;
    };
    for (std::size_t root = 0; root < out.size(); ++root) {
      consider(out[root], [&] { return name(root, "egress"); });
      consider(in[root], [&] { return name(root, "ingress"); });
    }
  }

  [[nodiscard]] std::uint32_t group_of(HostId host) const {
    return routes_.group_of_host[host.value()];
  }
  [[nodiscard]] SwitchId edge_of(HostId host) const {
    return routes_.edge_of_group[group_of(host)];
  }

  void consider_groups_at_sources() {
    struct Share {
      SwitchId at;
      std::uint32_t set;
      Bytes bytes;
    };
    std::vector<Share> shares;
    for (const Demand& demand : demands_) {
      const SwitchId at = edge_of(demand.source);
      if (at == edge_of(demand.destination)) continue;
      const std::size_t entry =
          std::size_t{at.value()} * routes_.group_count + group_of(demand.destination);
      shares.push_back({at, routes_.table[entry], total(demand)});
    }
    const auto is_before = [](const Share& a, const Share& b) {
      return std::pair(a.at, a.set) < std::pair(b.at, b.set);
    };
    std::ranges::sort(shares, is_before);
    for (auto first = shares.begin(); first != shares.end();) {
      const auto last = std::upper_bound(first, shares.end(), *first, is_before);
      const Node& node = fabric_.switch_node(first->at);
      Cut cut;
      for (auto share = first; share != last; ++share) cut.load += share->bytes;
      const Routes::NextHops& set = routes_.sets[first->set];
      for (std::uint32_t i = 0; i < set.count; ++i) {
        const std::uint32_t local = routes_.local_ports[set.first + i];
        cut.capacity += fabric_.port(PortId(node.first_port.value() + local)).rate;
      }
      consider(cut, [&] { return "an equal-cost group of " + node.name; });
      first = last;
    }
  }

  void consider_entries_of_destinations() {
    std::vector<Cut> entries(fabric_.switches.size());
    for (const Demand& demand : demands_) {
      const SwitchId to = edge_of(demand.destination);
      if (edge_of(demand.source) != to) entries[to.value()].load += total(demand);
    }
    std::vector<std::vector<std::uint32_t>> groups_of(fabric_.switches.size());
    for (std::uint32_t group = 0; group < routes_.group_count; ++group) {
      groups_of[routes_.edge_of_group[group].value()].push_back(group);
    }
    for (std::size_t i = 0; i < fabric_.ports.size(); ++i) {
      const Node& from = fabric_.node(fabric_.ports[i].node);
      const Node& to = fabric_.node(fabric_.peer_node(PortId(i)));
      if (from.kind != NodeKind::kSwitch || to.kind != NodeKind::kSwitch) continue;
      const auto leads_there = [&](std::uint32_t group) { return enters(from, PortId(i), group); };
      if (std::ranges::any_of(groups_of[to.index], leads_there)) {
        entries[to.index].capacity += fabric_.ports[i].rate;
      }
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      consider(entries[i], [&] { return "links into " + fabric_.switch_node(SwitchId(i)).name; });
    }
  }

  /// Whether `from` sends packets for the hosts of `group` through `port`.
  [[nodiscard]] bool enters(const Node& from, PortId port, std::uint32_t group) const {
    const std::size_t entry = std::size_t{from.index} * routes_.group_count + group;
    const Routes::NextHops& set = routes_.sets[routes_.table[entry]];
    const std::span<const std::uint16_t> locals(routes_.local_ports.data() + set.first, set.count);
    return std::ranges::binary_search(
        locals, static_cast<std::uint16_t>(port.value() - from.first_port.value()));
  }

  const Fabric& fabric_;
  const Routes& routes_;
  std::span<const Demand> demands_;
  CapacityBound tightest_;
};

}  // namespace

CapacityBound capacity_bound(const Fabric& fabric, const Routes& routes,
                             std::span<const Demand> demands) {
  return BoundFinder(fabric, routes, demands).find();
}

CapacityBound link_bound(const Fabric& fabric, const Routes& routes, std::uint64_t run_seed,
                         std::span<const Demand> demands) {
  std::vector<Bytes> load(fabric.ports.size());
  for (const Demand& demand : demands) {
    for (const PortId port :
         flow_path(fabric, routes, run_seed, demand.source, demand.destination, demand.entropy)) {
      load[port.value()] += total(demand);
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
