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
    std::uint16_t peer_port;
    bool is_up;  ///< towards a higher tier
    std::int64_t rate;
    auto operator<=>(const Link&) const = default;
  };
  SwitchGraph(const Fabric& fabric, const std::vector<bool>& has_failed) {
    first.reserve(fabric.switches.size() + 1);
    for (const NodeId id : fabric.switches) {
      first.push_back(links.size());
      const Node& node = fabric.node(id);
      for (std::uint32_t local = 0; local < node.port_count && !node.is_nic; ++local) {
        const PortId port(node.first_port.value() + local);
        const PortId other = fabric.port(port).peer;
        const Node& peer = fabric.node(fabric.port(other).node);
        if (peer.kind != NodeKind::kSwitch || peer.is_nic || has_failed[port.value()]) continue;
        links.push_back({peer.index, static_cast<std::uint16_t>(local),
                         static_cast<std::uint16_t>(other.value() - peer.first_port.value()),
                         peer.tier > node.tier, fabric.port(port).rate.count()});
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

/// Shortest paths to a group's anchors: how far every switch of a space is, and the sets of links
/// that lead closer.
class ShortestPaths {
 public:
  ShortestPaths(const Fabric& fabric, const SwitchGraph& graph, bool is_weighted, NextHopSets& sets)
      : fabric_(fabric),
        graph_(graph),
        is_weighted_(is_weighted),
        sets_(sets),
        distance_(fabric.switches.size(), kFar),
        latest_(fabric.switches.size()) {}

  void find(const Attachments::Space& space, std::span<const std::uint32_t> anchors) {
    for (const std::uint32_t at : space.switches) distance_[at] = kFar;
    for (const std::uint32_t at : anchors) distance_[at] = 0;
    queue_.assign(anchors.begin(), anchors.end());
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::uint32_t at = queue_[i];
      for (const SwitchGraph::Link& link : graph_.links_of(at)) {
        if (distance_[link.peer] != kFar) continue;
        distance_[link.peer] = distance_[at] + 1;
        queue_.push_back(link.peer);
      }
    }
  }

  [[nodiscard]] std::uint32_t distance(std::uint32_t at) const { return distance_[at]; }

  /// The set of links that lead closer; `kUnread` at an anchor.
  std::uint32_t set(std::uint32_t at) {
    if (distance_[at] == 0) return kUnread;
    ports_.clear();
    for (const SwitchGraph::Link& link : graph_.links_of(at)) {
      const bool is_reached = distance_[at] != kFar;
      if (is_reached && distance_[link.peer] + 1 == distance_[at])
        ports_.push_back(link.local_port);
    }
    return set_of(fabric_, at, latest_[at]);
  }

 protected:
  /// The number of the set of `ports_`; most often it is the one used before.
  std::uint32_t set_of(const Fabric& fabric, std::uint32_t at, std::uint32_t& latest) {
    if (is_weighted_) repeat_by_rate(fabric, fabric.switch_node(SwitchId(at)), ports_);
    if (!sets_.holds(latest, ports_)) latest = sets_.id_of(ports_);
    return latest;
  }

  const Fabric& fabric_;
  const SwitchGraph& graph_;
  bool is_weighted_;
  NextHopSets& sets_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> latest_;  ///< by switch: the set it had last
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint16_t> ports_;
};

/// Shortest paths that go up first and then down: down wherever that leads to the anchors.
///
/// Only the switches above the anchors are looked at one by one. All others go up, and those with
/// the same links up, such as the leaves of a pod, go the same way: they are a class, and asked
/// once. So a group costs the links above its anchors and those of one switch per class, not all
/// links of the fabric.
class UpDownPaths : public ShortestPaths {
 public:
  UpDownPaths(const Fabric& fabric, const SwitchGraph& graph, bool is_weighted, NextHopSets& sets)
      : ShortestPaths(fabric, graph, is_weighted, sets),
        class_of_(fabric.switches.size()),
        down_ports_(fabric.switches.size()) {
    std::map<std::vector<SwitchGraph::Link>, std::uint32_t> class_of_links;
    for (auto at = static_cast<std::uint32_t>(fabric.switches.size()); at-- > 0;) {
      std::vector<SwitchGraph::Link> up;
      for (SwitchGraph::Link link : graph.links_of(at)) {
        link.peer_port = 0;  // where it ends at the other switch makes no difference
        if (link.is_up) up.push_back(link);
      }
      const auto number = static_cast<std::uint32_t>(classes_.size());
      const auto [known, is_new] = class_of_links.try_emplace(std::move(up), number);
      if (is_new) classes_.push_back({.member = at});
      class_of_[at] = known->second;
    }
  }

  void find(std::span<const std::uint32_t> anchors) {
    for (const std::uint32_t at : queue_) {
      distance_[at] = kFar;
      down_ports_[at].clear();
    }
    for (const std::uint32_t at : anchors) distance_[at] = 0;
    queue_.assign(anchors.begin(), anchors.end());
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::uint32_t at = queue_[i];
      for (const SwitchGraph::Link& link : graph_.links_of(at)) {
        if (!link.is_up) continue;
        if (distance_[link.peer] == kFar) {
          distance_[link.peer] = distance_[at] + 1;
          queue_.push_back(link.peer);
        }
        if (distance_[link.peer] == distance_[at] + 1) {
          down_ports_[link.peer].push_back(link.peer_port);
        }
      }
    }
    for (Class& c : classes_) go_up(c);  // higher tiers come first
  }

  [[nodiscard]] std::uint32_t distance(std::uint32_t at) const {
    return distance_[at] != kFar ? distance_[at] : classes_[class_of_[at]].distance;
  }

  std::uint32_t set(std::uint32_t at) {
    if (distance_[at] == 0) return kUnread;
    if (distance_[at] == kFar) return classes_[class_of_[at]].set;
    ports_ = down_ports_[at];
    std::ranges::sort(ports_);
    return set_of(fabric_, at, latest_[at]);
  }

 private:
  /// Switches with the same links up.
  struct Class {
    std::uint32_t member = 0;
    std::uint32_t distance = kFar;
    std::uint32_t set = 0;
  };

  void go_up(Class& c) {
    c.distance = kFar;
    for (const SwitchGraph::Link& link : graph_.links_of(c.member)) {
      if (link.is_up) c.distance = std::min(c.distance, distance(link.peer) + 1);
    }
    c.distance = std::min(c.distance, kFar);
    ports_.clear();
    for (const SwitchGraph::Link& link : graph_.links_of(c.member)) {
      const bool is_shortest = link.is_up && distance(link.peer) + 1 == c.distance;
      if (is_shortest && c.distance != kFar) ports_.push_back(link.local_port);
    }
    set_of(fabric_, c.member, c.set);
  }

  std::vector<Class> classes_;
  std::vector<std::uint32_t> class_of_;                 ///< by SwitchId
  std::vector<std::vector<std::uint16_t>> down_ports_;  ///< by SwitchId
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
        any_paths_(in.fabric, graph_, in.routing.weighted_ecmp, sets_),
        up_down_paths_(in.fabric, graph_, in.routing.weighted_ecmp, sets_) {
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
    for (std::size_t group = 0; group < width; ++group) {
      const auto anchors = attachments_.anchors(space.groups[group].anchors);
      const auto fill = [&](auto& paths) {
        for (std::size_t i = 0; i < space.switches.size() && group > 0; ++i) {
          table[i * width + group] = paths.set(space.switches[i]);
        }
        for (std::size_t i = 0; i < senders_[number].size(); ++i) {
          sender_table[i * width + group] = choose_ways(senders_[number][i], paths);
        }
      };
      if (in_.is_clos && number == 0) {
        up_down_paths_.find(anchors);
        fill(up_down_paths_);
      } else {
        any_paths_.find(space, anchors);
        fill(any_paths_);
      }
    }
    even_out(space, table);
    if (number == 0) apply_static(space, table);
    store_rows(space, number, table, sender_table);
  }

  /// The set of ports by which a sender starts towards the group whose `paths` these are.
  template <class Paths>
  std::uint32_t choose_ways(const Sender& sender, const Paths& paths) {
    const auto distance = [&](const Attachments::Way& way) {
      std::uint32_t least = kFar;
      for (const std::uint32_t at : attachments_.anchors(way.anchors)) {
        least = std::min(least, paths.distance(at) + way.further);
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
  Routes routes_;
  NextHopSets sets_{routes_};
  ShortestPaths any_paths_;
  UpDownPaths up_down_paths_;
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
