#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topologies/assembly/assembler.hpp"
#include "topologies/assembly/host_attachments.hpp"
#include "topologies/build_fabric.hpp"
#include "topologies/custom/custom.hpp"
#include "topologies/routing/next_hop_sets.hpp"
#include "topologies/routing/shortest_paths.hpp"

namespace weft::topologies {
namespace {

/// Entries of all tables while they are built: 1 GiB.
constexpr std::uint64_t kMaxTableEntries = std::uint64_t{1} << 28U;
/// At a switch that the group is attached to.
constexpr std::uint32_t kUnread = std::numeric_limits<std::uint32_t>::max();

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
        host_attachments_(in.fabric, has_failed, is_alone),
        graph_(in.fabric, has_failed),
        graph_paths_(graph_, in.fabric.switches.size(), maker_),
        up_down_paths_(graph_, in.fabric.switches.size(), maker_) {
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
    for (std::uint32_t subnet = 0; subnet < host_attachments_.subnets().size(); ++subnet) {
      if (in_.is_clos && subnet == 0) {
        fill_clos();
      } else {
        fill_subnet(subnet);
      }
    }
    return std::move(routes_);
  }

 private:
  /// Hosts and NIC nodes that forward alike: their links lead to the same ToR set.
  struct Sender {
    std::vector<HostAttachments::HostLink> host_links;
    std::vector<std::uint32_t> hosts;
    std::vector<std::uint32_t> nics;
  };

  [[nodiscard]] std::uint64_t table_entries() const {
    std::uint64_t entries = direct_entries_;
    for (std::size_t i = 0; i < host_attachments_.subnets().size(); ++i) {
      const HostAttachments::Subnet& subnet = host_attachments_.subnets()[i];
      const bool has_classes = in_.is_clos && i == 0;
      const std::uint64_t rows = has_classes ? up_down_paths_.class_count() + switches_above(subnet)
                                             : subnet.switches.size();
      entries = saturating_sum(entries,
                               saturating_product(rows + senders_[i].size(), subnet.groups.size()));
    }
    return entries;
  }

  /// How many have others below them, and so rows of their own.
  [[nodiscard]] std::uint64_t switches_above(const HostAttachments::Subnet& subnet) const {
    const auto is_above = [this](std::uint32_t at) { return graph_.has_links_down(at); };
    return static_cast<std::uint64_t>(std::ranges::count_if(subnet.switches, is_above));
  }

  void prepare_switches() {
    for (const NodeId id : fabric_.switches) {
      routes_.switches.push_back({.network = fabric_.node(id).network});
    }
    const auto& all = host_attachments_.direct();
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
    std::vector<std::map<std::vector<HostAttachments::HostLink>, Sender>> senders(
        host_attachments_.subnets().size());
    const auto sender_of = [&](const Node& node, NetworkKind network) -> Sender& {
      std::vector<HostAttachments::HostLink> host_links =
          host_attachments_.host_links(node, network);
      // With one link there is nothing to choose, wherever it leads.
      if (host_links.size() == 1) host_links = {{.local_port = host_links.front().local_port}};
      return senders[host_attachments_.subnet_of(node, network)][std::move(host_links)];
    };
    for (std::uint32_t i = 0; i < fabric_.hosts.size(); ++i) {
      const Node& node = fabric_.host(HostId(i));
      Routes::HostEntry& entry = routes_.hosts.emplace_back();
      entry.domain = node.domain;
      for (const NetworkKind network : {NetworkKind::kScaleOut, NetworkKind::kScaleUp}) {
        const auto index = static_cast<std::size_t>(network);
        routes_.groups[index].push_back(host_attachments_.group_of(i, network));
        if (network == NetworkKind::kScaleUp && node.domain < 0) continue;
        sender_of(node, network).hosts.push_back(i);
      }
    }
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i) {
      const Node& node = fabric_.switch_node(SwitchId(i));
      if (node.is_nic) sender_of(node, NetworkKind::kScaleOut).nics.push_back(i);
    }
    senders_.resize(senders.size());
    for (std::size_t subnet = 0; subnet < senders.size(); ++subnet) {
      for (auto& [host_links, sender] : senders[subnet]) {
        sender.host_links = host_links;
        senders_[subnet].push_back(std::move(sender));
      }
    }
  }

  void fill_direct() {
    routes_.direct.reserve(direct_entries_);
    std::vector<std::uint16_t> ports;
    const auto& all = host_attachments_.direct();
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
      const std::uint32_t set = maker_.set(fabric_.switch_node(SwitchId(first->at)), ports);
      routes_.direct[entry.direct + first->host - entry.first_host] = sets_.place(set);
      first = last;
    }
  }

  /// Rows of all switches and senders of a subnet, group by group.
  void fill_subnet(std::uint32_t number) {
    const HostAttachments::Subnet& subnet = host_attachments_.subnets()[number];
    const std::size_t width = subnet.groups.size();
    std::vector<std::uint32_t> table(subnet.switches.size() * width);
    std::vector<std::uint32_t> sender_table(senders_[number].size() * width);
    for (std::size_t group = 0; group < width; ++group) {
      graph_paths_.find(subnet, host_attachments_.tor_set(subnet.groups[group].tor_set));
      for (std::size_t i = 0; i < subnet.switches.size() && group > 0; ++i) {
        const std::uint32_t at = subnet.switches[i];
        table[i * width + group] = graph_paths_.distance(at) == 0 ? kUnread : graph_paths_.set(at);
      }
      for (std::size_t i = 0; i < senders_[number].size(); ++i) {
        sender_table[i * width + group] = choose_links(senders_[number][i], graph_paths_);
      }
    }
    even_out(subnet, table);
    if (number == 0) apply_static(subnet, table);
    for (std::size_t i = 0; i < subnet.switches.size(); ++i) {
      routes_.switches[subnet.switches[i]].row = sets_.row_of({table.data() + i * width, width});
    }
    store_senders(number, sender_table);
  }

  /// The same for a Clos: a row is that of the switch's class, going up, except for the groups that
  /// the switch is above.
  void fill_clos() {
    struct Exception {
      std::uint32_t group;
      std::uint32_t set;
    };
    const HostAttachments::Subnet& subnet = host_attachments_.subnets().front();
    const std::size_t width = subnet.groups.size();
    const std::size_t classes = up_down_paths_.class_count();
    std::vector<std::uint32_t> class_table(classes * width);
    std::vector<std::uint32_t> sender_table(senders_.front().size() * width);
    std::vector<std::vector<Exception>> exceptions(fabric_.switches.size());
    for (std::uint32_t group = 0; group < width; ++group) {
      up_down_paths_.find(host_attachments_.tor_set(subnet.groups[group].tor_set));
      for (std::size_t c = 0; c < classes; ++c) {
        class_table[c * width + group] = up_down_paths_.set_up(c);
      }
      for (const std::uint32_t at : up_down_paths_.above()) {
        // Entries at ToR sets are never read: those of the class make rows alike.
        if (up_down_paths_.distance(at) == 0) continue;
        exceptions[at].push_back({group, up_down_paths_.set_down(at)});
      }
      for (std::size_t i = 0; i < senders_.front().size(); ++i) {
        sender_table[i * width + group] = choose_links(senders_.front()[i], up_down_paths_);
      }
    }
    std::vector<std::uint32_t> row(width);
    std::vector<std::optional<std::uint32_t>> row_of_class(classes);
    for (const std::uint32_t at : subnet.switches) {
      const std::uint32_t number = up_down_paths_.class_of(at);
      std::optional<std::uint32_t>& known = row_of_class[number];
      if (known && exceptions[at].empty()) {
        routes_.switches[at].row = *known;
        continue;
      }
      std::copy_n(class_table.begin() + static_cast<std::ptrdiff_t>(number * width), width,
                  row.begin());
      for (const Exception& e : exceptions[at]) row[e.group] = e.set;
      routes_.switches[at].row = sets_.row_of(row);
      if (exceptions[at].empty()) known = routes_.switches[at].row;
    }
    store_senders(0, sender_table);
  }

  /// The set of ports by which a sender starts towards the group whose `paths` these are.
  template <class Paths>
  std::uint32_t choose_links(const Sender& sender, const Paths& paths) {
    const auto distance = [&](const HostAttachments::HostLink& host_link) {
      std::uint32_t min = kFar;
      for (const std::uint32_t at : host_attachments_.tor_set(host_link.tor_set)) {
        min = std::min(min, paths.distance(at) + host_link.further);
      }
      return std::min(min, kFar);
    };
    std::uint32_t min = kFar;
    for (const HostAttachments::HostLink& host_link : sender.host_links)
      min = std::min(min, distance(host_link));
    std::vector<std::uint16_t> ports;
    for (const HostAttachments::HostLink& host_link : sender.host_links) {
      if (distance(host_link) == min) ports.push_back(host_link.local_port);
    }
    const Node& node = sender.hosts.empty() ? fabric_.switch_node(SwitchId(sender.nics.front()))
                                            : fabric_.host(HostId(sender.hosts.front()));
    return maker_.set(node, ports);
  }

  /// Entries at ToR sets are never read. They get what most others of the row have, if most have
  /// the same (R. Boyer, J. Moore, "MJRTY: A Fast Majority Vote Algorithm", 1991), to make rows
  /// alike.
  void even_out(const HostAttachments::Subnet& subnet, std::vector<std::uint32_t>& table) {
    const std::size_t width = subnet.groups.size();
    for (std::size_t i = 0; i < subnet.switches.size(); ++i) {
      const std::span<std::uint32_t> row(table.data() + i * width, width);
      std::uint32_t max = 0;
      std::size_t votes = 0;
      for (std::size_t group = 1; group < width; ++group) {
        if (row[group] == kUnread) continue;
        if (votes == 0) max = row[group];
        votes = row[group] == max ? votes + 1 : votes - 1;
      }
      std::ranges::replace(row, kUnread, max);
    }
  }

  void apply_static(const HostAttachments::Subnet& subnet, std::vector<std::uint32_t>& table) {
    for (const StaticNextHops& hops : in_.static_next_hops) {
      const Node& node = fabric_.switch_node(hops.at);
      std::vector<std::uint16_t> ports;
      for (const std::uint16_t local : hops.local_ports) {
        if (!has_failed_[node.first_port.value() + local]) ports.push_back(local);
      }
      const auto place = std::ranges::lower_bound(subnet.switches, hops.at.value());
      const std::size_t i = static_cast<std::size_t>(place - subnet.switches.begin());
      const std::uint32_t group =
          host_attachments_.group_of(hops.to.value(), NetworkKind::kScaleOut);
      if (group == 0) continue;  // cut off by failures
      table[i * subnet.groups.size() + group] = maker_.set(node, ports);
    }
  }

  void store_senders(std::uint32_t number, const std::vector<std::uint32_t>& table) {
    const std::size_t width = host_attachments_.subnets()[number].groups.size();
    const auto network =
        static_cast<std::size_t>(number == 0 ? NetworkKind::kScaleOut : NetworkKind::kScaleUp);
    for (std::size_t i = 0; i < senders_[number].size(); ++i) {
      const std::uint32_t row = sets_.row_of({table.data() + i * width, width});
      for (const std::uint32_t host : senders_[number][i].hosts) {
        routes_.hosts[host].row[network] = row;
      }
      for (const std::uint32_t nic : senders_[number][i].nics) routes_.switches[nic].row = row;
    }
  }

  const Inputs& in_;
  const Fabric& fabric_;
  const std::vector<bool>& has_failed_;
  HostAttachments host_attachments_;
  SwitchGraph graph_;
  Routes routes_;
  NextHopSets sets_{routes_};
  SetMaker maker_{in_.fabric, in_.routing.weighted_ecmp, sets_};
  ShortestPaths graph_paths_;
  UpDownPaths up_down_paths_;
  std::vector<std::vector<Sender>> senders_;  ///< by subnet
  std::uint64_t direct_entries_ = 0;
};

}  // namespace

Result<Routes> build_routes(const Fabric& fabric, const TopologySpec& spec,
                            std::span<const PortId> failed) {
  std::vector<StaticNextHops> static_next_hops;
  if (const auto* custom = std::get_if<CustomSpec>(&spec)) {
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
  const RoutingRule rule =
      std::visit([]<class Spec>(const Spec&) { return Spec::kRoutingRule; }, spec);
  const Inputs inputs{fabric, static_next_hops, routing, rule == RoutingRule::kUpDown};
  return RouteBuilder(inputs, has_failed, is_alone).build();
}

}  // namespace weft::topologies
