#include "topologies/analysis/buffer_dependency.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/range/iterator_range.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace weft::topologies {
namespace {

using Csr =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Following routes stops beyond these, at about a second and some hundred megabytes.
constexpr std::uint64_t kMaxSteps = 20'000'000;
constexpr std::size_t kMaxDependencies = 3'000'000;
/// A row of this many different sets belongs to a switch that others hang below.
constexpr std::size_t kMaxSetsUp = 64;

/// Routes by destination group: all hosts of one are reached alike up to the last switch.
class GroupRoutes {
 public:
  GroupRoutes(const Fabric& fabric, const Routes& routes) : fabric_(fabric), routes_(routes) {
    std::map<std::tuple<std::int32_t, std::uint32_t>, HostId> seen;
    for (std::uint32_t h = 0; h < fabric.hosts.size(); ++h) {
      const std::uint32_t out = routes.groups[0][h];
      const std::uint32_t up = routes.groups[1][h];
      if (out != 0) seen.try_emplace({-1, out}, HostId(h));
      if (up != 0) seen.try_emplace({routes.hosts[h].domain, up}, HostId(h));
    }
    for (const auto& [key, host] : seen) groups_.push_back({std::get<0>(key), host});
    for (std::uint32_t i = 0; i < fabric.switches.size(); ++i) {
      switches_[space_of(fabric.switch_node(SwitchId(i)))].push_back(i);
    }
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(groups_.size()); }
  /// The first host of a group.
  [[nodiscard]] HostId host(std::uint32_t group) const { return groups_[group].host; }
  /// The switches that can carry packets for a group: a domain's scale-up switches, or those of
  /// scale-out.
  [[nodiscard]] const std::vector<std::uint32_t>& switches(std::uint32_t group) const {
    return switches_.at(groups_[group].space);
  }
  /// Whether two groups are reached over the same switches.
  [[nodiscard]] bool share_switches(std::uint32_t a, std::uint32_t b) const {
    return groups_[a].space == groups_[b].space;
  }
  [[nodiscard]] Routes::NextHops set(std::uint32_t at, std::uint32_t group) const {
    return routes_.set_at(SwitchId(at), host(group));
  }
  /// Switches with equal ones send what is not attached to them by the same ports.
  [[nodiscard]] std::uint32_t row(std::uint32_t at) const { return routes_.switches[at].row; }
  /// The same as `set`, but where the group is attached to this very switch.
  [[nodiscard]] Routes::NextHops set_of_row(std::uint32_t at, std::uint32_t group) const {
    const auto network = static_cast<std::size_t>(routes_.switches[at].network);
    return routes_.rows[row(at) + routes_.groups[network][host(group).value()]];
  }
  /// The links to what is attached to a switch.
  [[nodiscard]] std::span<const Routes::NextHops> direct(std::uint32_t at) const {
    const Routes::SwitchEntry& entry = routes_.switches[at];
    return {routes_.direct.data() + entry.direct, entry.host_count};
  }
  [[nodiscard]] std::span<const std::uint16_t> ports(Routes::NextHops set) const {
    return routes_.ports_of(set);
  }
  /// Whether a switch sends packets of a group to the hosts themselves.
  [[nodiscard]] bool is_edge(std::uint32_t at, std::uint32_t group) const {
    const auto local = ports(set(at, group));
    return !local.empty() && next(port(at, local.front())).kind == NodeKind::kHost;
  }
  [[nodiscard]] PortId port(std::uint32_t at, std::uint16_t local) const {
    return PortId(fabric_.switch_node(SwitchId(at)).first_port.value() + local);
  }
  [[nodiscard]] const Node& next(PortId port) const {
    return fabric_.node(fabric_.peer_node(port));
  }
  [[nodiscard]] std::uint32_t tier(std::uint32_t at) const {
    return fabric_.switch_node(SwitchId(at)).tier;
  }
  [[nodiscard]] std::size_t switch_count() const { return fabric_.switches.size(); }

 private:
  struct Group {
    std::int32_t space;
    HostId host;
  };
  /// -1 is the scale-out network, others are domains.
  static std::int32_t space_of(const Node& at) {
    return at.network == NetworkKind::kScaleUp ? at.domain : -1;
  }

  const Fabric& fabric_;
  const Routes& routes_;
  std::vector<Group> groups_;
  std::map<std::int32_t, std::vector<std::uint32_t>> switches_;
};

/// Whether no route goes up or sideways after it has gone down or sideways. A Clos has by far more
/// switches that only go up, but for hosts of their own, than others. They share rows and are seen
/// to be such by the few sets of these; only the others are asked about every group. What a set of
/// next hops does at a switch is remembered, as most destinations share it.
class ValleyCheck {
 public:
  explicit ValleyCheck(const GroupRoutes& routes)
      : routes_(routes), known_(routes.switch_count()) {}

  bool is_valley_free() {
    for (std::uint32_t first = 0; first < routes_.count();) {
      std::uint32_t end = first + 1;
      while (end < routes_.count() && routes_.share_switches(first, end)) ++end;
      const std::vector<std::uint32_t> turning = find_turning(first, end);
      for (std::uint32_t group = first; group < end; ++group) {
        if (!is_valley_free(turning, group)) return false;
      }
      first = end;
    }
    return true;
  }

 private:
  struct Moves {
    Routes::NextHops set{kNone, kNone};
    bool up = false;
    bool down = false;
    bool sideways = false;
  };

  /// Of the switches of groups `first` to `end`, those that send anything down or sideways to
  /// another switch.
  std::vector<std::uint32_t> find_turning(std::uint32_t first, std::uint32_t end) {
    std::unordered_map<std::uint32_t, std::vector<Routes::NextHops>> sets_of_row;
    std::vector<std::uint32_t> turning;
    for (const std::uint32_t at : routes_.switches(first)) {
      const auto [place, is_new] = sets_of_row.try_emplace(routes_.row(at));
      if (is_new) place->second = different_sets(at, first, end);
      const auto turns = [&](Routes::NextHops set) { return leads_not_up(at, set); };
      const bool is_turning = place->second.size() > kMaxSetsUp ||
                              std::ranges::any_of(place->second, turns) ||
                              std::ranges::any_of(routes_.direct(at), turns);
      if (is_turning) turning.push_back(at);
    }
    return turning;
  }

  /// Those of a switch's row, up to one more than kMostSetsUp.
  [[nodiscard]] std::vector<Routes::NextHops> different_sets(std::uint32_t at, std::uint32_t first,
                                                             std::uint32_t end) const {
    std::vector<Routes::NextHops> sets;
    for (std::uint32_t group = first; group < end && sets.size() <= kMaxSetsUp; ++group) {
      const Routes::NextHops set = routes_.set_of_row(at, group);
      if (std::ranges::find(sets, set) == sets.end()) sets.push_back(set);
    }
    return sets;
  }

  /// Whether a port of the set leads down or sideways to another switch.
  [[nodiscard]] bool leads_not_up(std::uint32_t at, Routes::NextHops set) const {
    return std::ranges::any_of(routes_.ports(set), [&](std::uint16_t local) {
      const Node& next = routes_.next(routes_.port(at, local));
      return next.kind != NodeKind::kHost && next.tier <= routes_.tier(at);
    });
  }

  bool is_valley_free(const std::vector<std::uint32_t>& turning, std::uint32_t group) {
    for (const std::uint32_t at : turning) {
      const Moves& here = moves(at, group);
      if (!here.down && !here.sideways) continue;
      for (const std::uint16_t local : routes_.ports(here.set)) {
        const Node& next = routes_.next(routes_.port(at, local));
        if (next.kind == NodeKind::kHost || next.tier > routes_.tier(at)) continue;
        const Moves& then = moves(next.index, group);
        if (then.up || then.sideways) return false;
      }
    }
    return true;
  }

  const Moves& moves(std::uint32_t at, std::uint32_t group) {
    const Routes::NextHops set = routes_.set(at, group);
    Moves& moves = known_[at];
    if (moves.set == set) return moves;
    moves = {.set = set};
    for (const std::uint16_t local : routes_.ports(set)) {
      const std::uint32_t to = routes_.next(routes_.port(at, local)).tier;
      (to > routes_.tier(at)   ? moves.up
       : to < routes_.tier(at) ? moves.down
                               : moves.sideways) = true;
    }
    return moves;
  }

  const GroupRoutes& routes_;
  std::vector<Moves> known_;  ///< by switch: of the set that it was asked for last
};

/// Follows routes from the switches that have hosts, and collects which link direction waits for
/// which.
class DependencyGraph {
 public:
  DependencyGraph(const Fabric& fabric, const GroupRoutes& routes)
      : routes_(routes), is_source_(routes.switch_count()) {
    for (const NodeId host : fabric.hosts) {
      for (const Port& port : fabric.ports_of(host)) {
        is_source_[fabric.node(fabric.port(port.peer).node).index] = true;
      }
    }
    is_seen_.assign(routes.switch_count(), kNone);
  }

  /// Follows the routes to one group. False if it stopped before all were followed.
  bool follow(std::uint32_t group) {
    std::vector<std::uint32_t> queue;
    const auto visit = [&](std::uint32_t at) {
      if (is_seen_[at] == group || routes_.is_edge(at, group)) return;
      is_seen_[at] = group;
      queue.push_back(at);
    };
    for (const std::uint32_t at : routes_.switches(group)) {
      if (is_source_[at]) visit(at);
    }
    steps_ += routes_.switches(group).size();
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint16_t local : routes_.ports(routes_.set(queue[i], group))) {
        const PortId in = routes_.port(queue[i], local);
        const std::uint32_t next = routes_.next(in).index;
        visit(next);
        if (routes_.is_edge(next, group)) continue;
        for (const std::uint16_t onward : routes_.ports(routes_.set(next, group))) {
          const std::uint64_t key =
              (std::uint64_t{in.value()} << 32U) | routes_.port(next, onward).value();
          causes_.try_emplace(key, group);
          if (++steps_ > kMaxSteps || causes_.size() > kMaxDependencies) return false;
        }
      }
    }
    return true;
  }

  /// Dependencies with the first group that causes each, sorted.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint32_t>> dependencies() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted(causes_.begin(), causes_.end());
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  const GroupRoutes& routes_;
  std::vector<bool> is_source_;         ///< by switch: has hosts
  std::vector<std::uint32_t> is_seen_;  ///< by switch: the group that reached it last
  std::unordered_map<std::uint64_t, std::uint32_t> causes_;
  std::uint64_t steps_ = 0;
};

/// Finds the circles among dependencies.
class CycleFinder {
 public:
  CycleFinder(std::vector<std::pair<std::uint64_t, std::uint32_t>> dependencies,
              const GroupRoutes& routes)
      : dependencies_(std::move(dependencies)), routes_(routes) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    edges.reserve(dependencies_.size());
    for (const auto& [key, group] : dependencies_) {
      edges.emplace_back(vertex(static_cast<std::uint32_t>(key >> 32U)), kNone);
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      edges[i].second = vertex(static_cast<std::uint32_t>(dependencies_[i].first));
    }
    std::ranges::sort(edges);
    graph_ = Csr(boost::edges_are_sorted, edges.begin(), edges.end(),
                 static_cast<std::uint32_t>(ports_.size()));
  }

  std::vector<BufferCycle> find() {
    component_.resize(ports_.size());
    const std::uint32_t components = boost::strong_components(
        graph_, boost::make_iterator_property_map(component_.begin(),
                                                  boost::get(boost::vertex_index, graph_)));
    std::vector<std::size_t> sizes(components);
    for (const std::uint32_t c : component_) ++sizes[c];
    std::vector<bool> is_done(components);
    std::vector<BufferCycle> cycles;
    for (std::uint32_t v = 0; v < ports_.size(); ++v) {
      const std::uint32_t c = component_[v];
      if (sizes[c] < 2 || is_done[c]) continue;
      is_done[c] = true;
      cycles.push_back(describe(shortest_circle(v)));
      cycles.back().entangled = sizes[c];
    }
    std::ranges::sort(cycles, {}, [](const BufferCycle& cycle) { return cycle.ports.front(); });
    return cycles;
  }

 private:
  std::uint32_t vertex(std::uint32_t port) {
    const auto [place, is_new] = vertices_.emplace(port, static_cast<std::uint32_t>(ports_.size()));
    if (is_new) ports_.push_back(port);
    return place->second;
  }

  /// From `start` back to it, breadth first within its component.
  [[nodiscard]] std::vector<std::uint32_t> shortest_circle(std::uint32_t start) const {
    std::vector<std::uint32_t> before(ports_.size(), kNone);
    std::vector<std::uint32_t> queue{start};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const auto next : boost::make_iterator_range(adjacent_vertices(queue[i], graph_))) {
        if (next == start) {
          std::vector<std::uint32_t> circle;
          for (std::uint32_t v = queue[i]; v != start; v = before[v]) circle.push_back(v);
          circle.push_back(start);
          std::ranges::reverse(circle);
          return circle;
        }
        if (component_[next] != component_[start] || before[next] != kNone) continue;
        before[next] = queue[i];
        queue.push_back(static_cast<std::uint32_t>(next));
      }
    }
    return queue;  // not reached: a component of two or more has a circle through each of its own
  }

  /// The circle as ports, beginning with the lowest, and what causes each step.
  [[nodiscard]] BufferCycle describe(std::vector<std::uint32_t> circle) const {
    const auto lowest =
        std::ranges::min_element(circle, {}, [this](std::uint32_t v) { return ports_[v]; });
    std::rotate(circle.begin(), lowest, circle.end());
    BufferCycle cycle;
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const std::uint32_t from = ports_[circle[i]];
      const std::uint32_t to = ports_[circle[(i + 1) % circle.size()]];
      const std::uint64_t key = (std::uint64_t{from} << 32U) | to;
      const auto cause = std::ranges::lower_bound(
          dependencies_, key, {}, [](const auto& dependency) { return dependency.first; });
      cycle.ports.emplace_back(from);
      cycle.destinations.push_back(routes_.host(cause->second));
    }
    return cycle;
  }

  std::vector<std::pair<std::uint64_t, std::uint32_t>> dependencies_;
  const GroupRoutes& routes_;
  std::unordered_map<std::uint32_t, std::uint32_t> vertices_;
  std::vector<std::uint32_t> ports_;  ///< by vertex
  Csr graph_;
  std::vector<std::uint32_t> component_;
};

}  // namespace

BufferDependencies find_buffer_cycles(const Fabric& fabric, const Routes& routes) {
  const GroupRoutes by_group(fabric, routes);
  // One group's circle may close through the links of another's harmless routes.
  if (ValleyCheck(by_group).is_valley_free()) return {};
  BufferDependencies result;
  DependencyGraph graph(fabric, by_group);
  for (std::uint32_t group = 0; group < by_group.count() && result.is_complete; ++group) {
    result.is_complete = graph.follow(group);
  }
  result.cycles = CycleFinder(graph.dependencies(), by_group).find();
  return result;
}

}  // namespace weft::topologies
