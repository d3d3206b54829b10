#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topologies/assembler.hpp"
#include "topologies/attachments.hpp"
#include "topologies/build_fabric.hpp"
#include "topologies/custom.hpp"
#include "topologies/next_hop_sets.hpp"

namespace weft::topologies {
namespace {

/// Entries of all tables while they are built: 1 GiB.
constexpr std::uint64_t kMaxTableEntries = std::uint64_t{1} << 28U;
/// Of a switch that the group hangs on.
constexpr std::uint32_t kUnread = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max() - 2;

/// The links between switches in flat arrays, in the order of ports; NIC nodes have none.
struct SwitchGraph {
  struct Link {
    std::uint32_t peer;  ///< SwitchId
    std::uint16_t local_port;
    bool is_up;  ///< towards a higher tier
    bool is_down;
  };
  SwitchGraph(const Fabric& fabric, const std::vector<bool>& has_failed) {
    first.reserve(fabric.switches.size() + 1);
    for (const NodeId id : fabric.switches) {
      first.push_back(links.size());
      const Node& node = fabric.node(id);
      for (std::uint32_t local = 0; local < node.port_count && !node.is_nic; ++local) {
        const PortId port(node.first_port.value() + local);
        const Node& peer = fabric.node(fabric.peer_node(port));
        if (peer.kind != NodeKind::kSwitch || peer.is_nic || has_failed[port.value()]) continue;
        links.push_back({peer.index, static_cast<std::uint16_t>(local), peer.tier > node.tier,
                         peer.tier < node.tier});
      }
    }
    first.push_back(links.size());
  }
  [[nodiscard]] std::span<const Link> links_of(std::uint32_t at) const {
    return {links.data() + first[at], links.data() + first[at + 1]};
  }

  std::vector<std::size_t> first;  ///< by SwitchId, and the end
  std::vector<Link> links;
};

/// How far every switch of a space is from a group's anchors, and which links lead closer.
class ShortestPaths {
 public:
  ShortestPaths(const SwitchGraph& graph, std::size_t switches)
      : graph_(graph), distance_(switches, kFar), below_(switches, kFar) {}

  /// Any shortest paths.
  void find(const Attachments::Space& space, std::span<const std::uint32_t> anchors) {
    for (const std::uint32_t at : space.switches) distance_[at] = kFar;
    search(anchors, distance_, [](const SwitchGraph::Link&) { return true; });
    is_up_down_ = false;
  }

  /// Shortest paths that go up first and then down: down wherever that leads to the anchors.
  void find_up_down(const Attachments::Space& space, std::span<const std::uint32_t> anchors) {
    for (const std::uint32_t at : space.switches) below_[at] = kFar;
    search(anchors, below_, [](const SwitchGraph::Link& link) { return link.is_up; });
    for (std::size_t i = space.switches.size(); i-- > 0;) {  // higher tiers first
      const std::uint32_t at = space.switches[i];
      distance_[at] = below_[at];
      if (distance_[at] != kFar) continue;
      for (const SwitchGraph::Link& link : graph_.links_of(at)) {
        if (link.is_up) distance_[at] = std::min(distance_[at], distance_[link.peer] + 1);
      }
      distance_[at] = std::min(distance_[at], kFar);
    }
    is_up_down_ = true;
  }

  [[nodiscard]] std::uint32_t distance(std::uint32_t at) const { return distance_[at]; }

  void ports(std::uint32_t at, std::vector<std::uint16_t>& ports) const {
    ports.clear();
    if (distance_[at] == kFar) return;
    const bool goes_down = is_up_down_ && below_[at] != kFar;
    for (const SwitchGraph::Link& link : graph_.links_of(at)) {
      if (is_up_down_ && !(goes_down ? link.is_down : link.is_up)) continue;
      const std::uint32_t rest = goes_down ? below_[link.peer] : distance_[link.peer];
      if (rest + 1 == distance_[at]) ports.push_back(link.local_port);
    }
  }

 private:
  template <class Accept>
  void search(std::span<const std::uint32_t> anchors, std::vector<std::uint32_t>& distance,
              Accept accept) {
    queue_.assign(anchors.begin(), anchors.end());
    for (const std::uint32_t at : anchors) distance[at] = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::uint32_t at = queue_[i];
      for (const SwitchGraph::Link& link : graph_.links_of(at)) {
        if (distance[link.peer] != kFar || !accept(link)) continue;
        distance[link.peer] = distance[at] + 1;
        queue_.push_back(link.peer);
      }
    }
  }

  const SwitchGraph& graph_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> below_;  ///< going down only
  std::vector<std::uint32_t> queue_;
  bool is_up_down_ = false;
};

struct Inputs {
  const Fabric& fabric;
  std::span<const StaticNextHops> static_next_hops;
  const RoutingSpec& routing;
  bool is_clos = false;
};

class RouteBuilder {
 public:
  RouteBuilder(const Inputs& in, const std::vector<bool>& has_failed,
               const std::vector<bool>& is_alone)
      : in_(in),
        fabric_(in.fabric),
        has_failed_(has_failed),
        attachments_(in.fabric, has_failed, is_alone),
        graph_(in.fabric, has_failed),
        paths_(graph_, in.fabric.switches.size()) {
    routes_.hash = in.routing.hash;
  }

  Result<Routes> build() {
    prepare_switches();
    prepare_hosts();
    if (table_entries() > kMaxTableEntries) {
      return error_at("fabric", "the routing tables would have " + std::to_string(table_entries()) +
                                    " entries; at most " + std::to_string(kMaxTableEntries) +
                                    " are supported");
    }
    fill_direct();
    for (std::uint32_t space = 0; space < attachments_.spaces().size(); ++space) fill_space(space);
    return std::move(routes_);
  }

 private:
  /// Hosts and NIC nodes that go on alike: their links lead to the same anchors.
  struct Sender {
    std::vector<Attachments::Way> ways;
    std::vector<std::uint32_t> hosts;
    std::vector<std::uint32_t> nics;
  };

  [[nodiscard]] std::uint64_t table_entries() const {
    std::uint64_t entries = direct_entries_;
    for (std::size_t i = 0; i < attachments_.spaces().size(); ++i) {
      const Attachments::Space& space = attachments_.spaces()[i];
      entries = saturating_sum(
          entries,
          saturating_product(space.switches.size() + senders_[i].size(), space.groups.size()));
    }
    return entries;
  }

  void prepare_switches() {
    for (const NodeId id : fabric_.switches) {
      routes_.switches.push_back({.network = fabric_.node(id).network});
    }
    const auto& all = attachments_.direct();
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::ranges::find_if(
          first, all.end(), [&](const auto& other) { return other.at != first->at; });
      Routes::SwitchEntry& entry = routes_.switches[first->at];
      entry.first_host = first->host;
      entry.host_count = (last - 1)->host - first->host + 1;
      direct_entries_ += entry.host_count;
      first = last;
    }
  }

  void prepare_hosts() {
    std::vector<std::map<std::vector<Attachments::Way>, Sender>> senders(
        attachments_.spaces().size());
    const auto sender_of = [&](const Node& node, NetworkKind network) -> Sender& {
      std::vector<Attachments::Way> ways = attachments_.ways(node, network);
      // With one link there is nothing to choose, wherever it leads.
      if (ways.size() == 1) ways = {{.local_port = ways.front().local_port}};
      return senders[attachments_.space_of(node, network)][std::move(ways)];
    };
    for (std::uint32_t i = 0; i < fabric_.hosts.size(); ++i) {
      const Node& node = fabric_.host(HostId(i));
      Routes::HostEntry& entry = routes_.hosts.emplace_back();
      entry.domain = node.domain;
      for (const NetworkKind network : {NetworkKind::kScaleOut, NetworkKind::kScaleUp}) {
        const auto index = static_cast<std::size_t>(network);
        entry.group[index] = attachments_.group_of(i, network);
        if (network == NetworkKind::kScaleUp && node.domain < 0) continue;
        sender_of(node, network).hosts.push_back(i);
      }
    }
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i) {
      const Node& node = fabric_.switch_node(SwitchId(i));
      if (node.is_nic) sender_of(node, NetworkKind::kScaleOut).nics.push_back(i);
    }
    senders_.resize(senders.size());
    for (std::size_t space = 0; space < senders.size(); ++space) {
      for (auto& [ways, sender] : senders[space]) {
        sender.ways = ways;
        senders_[space].push_back(std::move(sender));
      }
    }
  }

  std::uint32_t set_of(const Node& node, std::vector<std::uint16_t>& ports) {
    if (in_.routing.weighted_ecmp) repeat_by_rate(fabric_, node, ports);
    return sets_.id_of(ports);
  }

  void fill_direct() {
    routes_.direct.reserve(direct_entries_);
    std::vector<std::uint16_t> ports;
    const auto& all = attachments_.direct();
    for (auto first = all.begin(); first != all.end();) {
      Routes::SwitchEntry& entry = routes_.switches[first->at];
      if (first->host == entry.first_host) {
        entry.direct = static_cast<std::uint32_t>(routes_.direct.size());
        routes_.direct.resize(routes_.direct.size() + entry.host_count);
      }
      ports.clear();
      auto last = first;
      while (last != all.end() && last->at == first->at && last->host == first->host) {
        ports.push_back(last++->local_port);
      }
      const std::uint32_t set = set_of(fabric_.switch_node(SwitchId(first->at)), ports);
      routes_.direct[entry.direct + first->host - entry.first_host] = sets_.place(set);
      first = last;
    }
  }

  /// Rows of all switches and senders of a space, group by group.
  void fill_space(std::uint32_t number) {
    const Attachments::Space& space = attachments_.spaces()[number];
    const std::size_t width = space.groups.size();
    std::vector<std::uint32_t> table(space.switches.size() * width);
    std::vector<std::uint32_t> sender_table(senders_[number].size() * width);
    std::vector<std::uint32_t> latest(space.switches.size());  // set that each switch used last
    std::vector<std::uint16_t> ports;
    for (std::size_t group = 0; group < width; ++group) {
      const auto anchors = attachments_.anchors(space.groups[group].anchors);
      if (in_.is_clos && number == 0) {
        paths_.find_up_down(space, anchors);
      } else {
        paths_.find(space, anchors);
      }
      for (std::size_t i = 0; i < space.switches.size() && group > 0; ++i) {
        const std::uint32_t at = space.switches[i];
        if (paths_.distance(at) == 0) {
          table[i * width + group] = kUnread;
          continue;
        }
        paths_.ports(at, ports);
        if (in_.routing.weighted_ecmp || !sets_.holds(latest[i], ports)) {
          latest[i] = set_of(fabric_.switch_node(SwitchId(at)), ports);
        }
        table[i * width + group] = latest[i];
      }
      for (std::size_t i = 0; i < senders_[number].size(); ++i) {
        sender_table[i * width + group] = choose_ways(senders_[number][i]);
      }
    }
    even_out(space, table);
    if (number == 0) apply_static(space, table);
    store_rows(space, number, table, sender_table);
  }

  /// The set of ports by which a sender starts towards the group that `paths_` has been asked for.
  std::uint32_t choose_ways(const Sender& sender) {
    const auto distance = [&](const Attachments::Way& way) {
      std::uint32_t least = kFar;
      for (const std::uint32_t at : attachments_.anchors(way.anchors)) {
        least = std::min(least, paths_.distance(at) + way.further);
      }
      return std::min(least, kFar);
    };
    std::uint32_t least = kFar;
    for (const Attachments::Way& way : sender.ways) least = std::min(least, distance(way));
    std::vector<std::uint16_t> ports;
    for (const Attachments::Way& way : sender.ways) {
      if (distance(way) == least) ports.push_back(way.local_port);
    }
    const Node& node = sender.hosts.empty() ? fabric_.switch_node(SwitchId(sender.nics.front()))
                                            : fabric_.host(HostId(sender.hosts.front()));
    return set_of(node, ports);
  }

  /// Entries at anchors are never read. They get what most others of the row have, if most have
  /// the same (R. Boyer, J. Moore, "MJRTY: A Fast Majority Vote Algorithm", 1991), to make rows
  /// alike.
  void even_out(const Attachments::Space& space, std::vector<std::uint32_t>& table) {
    const std::size_t width = space.groups.size();
    for (std::size_t i = 0; i < space.switches.size(); ++i) {
      const std::span<std::uint32_t> row(table.data() + i * width, width);
      std::uint32_t most = 0;
      std::size_t votes = 0;
      for (std::size_t group = 1; group < width; ++group) {
        if (row[group] == kUnread) continue;
        if (votes == 0) most = row[group];
        votes = row[group] == most ? votes + 1 : votes - 1;
      }
      std::ranges::replace(row, kUnread, most);
    }
  }

  void apply_static(const Attachments::Space& space, std::vector<std::uint32_t>& table) {
    for (const StaticNextHops& hops : in_.static_next_hops) {
      const Node& node = fabric_.switch_node(hops.at);
      std::vector<std::uint16_t> ports;
      for (const std::uint16_t local : hops.local_ports) {
        if (!has_failed_[node.first_port.value() + local]) ports.push_back(local);
      }
      const auto place = std::ranges::lower_bound(space.switches, hops.at.value());
      const std::size_t i = static_cast<std::size_t>(place - space.switches.begin());
      const std::uint32_t group = attachments_.group_of(hops.to.value(), NetworkKind::kScaleOut);
      table[i * space.groups.size() + group] = set_of(node, ports);
    }
  }

  void store_rows(const Attachments::Space& space, std::uint32_t number,
                  const std::vector<std::uint32_t>& table,
                  const std::vector<std::uint32_t>& sender_table) {
    const std::size_t width = space.groups.size();
    for (std::size_t i = 0; i < space.switches.size(); ++i) {
      routes_.switches[space.switches[i]].row = sets_.row_of({table.data() + i * width, width});
    }
    const auto network =
        static_cast<std::size_t>(number == 0 ? NetworkKind::kScaleOut : NetworkKind::kScaleUp);
    for (std::size_t i = 0; i < senders_[number].size(); ++i) {
      const std::uint32_t row = sets_.row_of({sender_table.data() + i * width, width});
      for (const std::uint32_t host : senders_[number][i].hosts) {
        routes_.hosts[host].row[network] = row;
      }
      for (const std::uint32_t nic : senders_[number][i].nics) routes_.switches[nic].row = row;
    }
  }

  const Inputs& in_;
  const Fabric& fabric_;
  const std::vector<bool>& has_failed_;
  Attachments attachments_;
  SwitchGraph graph_;
  ShortestPaths paths_;
  Routes routes_;
  NextHopSets sets_{routes_};
  std::vector<std::vector<Sender>> senders_;  ///< by space
  std::uint64_t direct_entries_ = 0;
};

}  // namespace

Result<Routes> build_routes(const Fabric& fabric, const TopologySpec& spec,
                            std::span<const PortId> failed) {
  std::vector<StaticNextHops> static_next_hops;
  const auto* custom = std::get_if<CustomSpec>(&spec);
  if (custom != nullptr) {
    auto resolved = resolve_next_hops(fabric, *custom);
    if (!resolved) return resolved.errors();
    static_next_hops = std::move(resolved).value();
  }
  std::vector<bool> has_failed(fabric.ports.size());
  for (const PortId port : failed) {
    has_failed[port.value()] = true;
    has_failed[fabric.port(port).peer.value()] = true;
  }
  std::vector<bool> is_alone(fabric.hosts.size());
  for (const StaticNextHops& hops : static_next_hops) is_alone[hops.to.value()] = true;
  const RoutingSpec& routing =
      std::visit([](const auto& any) -> const RoutingSpec& { return any.routing; }, spec);
  const Inputs inputs{fabric, static_next_hops, routing, custom == nullptr};
  return RouteBuilder(inputs, has_failed, is_alone).build();
}

}  // namespace weft::topologies
