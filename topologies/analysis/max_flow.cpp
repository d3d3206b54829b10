#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "topologies/analysis/bisection.hpp"

namespace weft::topologies {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Edge = Traits::edge_descriptor;
struct EdgeState {
  std::int64_t capacity = 0;
  std::int64_t residual = 0;
  Edge reverse;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                    boost::no_property, EdgeState>;

/// The switches that a side's hosts reach are vertices; all hosts of a side are one, for they never
/// forward: vertex 0 sends, vertex 1 receives. A NIC node is two vertices, one for what its hosts
/// send and one for what they receive, for it forwards nothing else.
class FlowGraph {
 public:
  FlowGraph(const NetworkView& view, std::span<const Side> sides) : view_(view) {
    vertex_.assign(view.switch_count(), kNone);
    sender_.assign(view.switch_count(), kNone);
    std::vector<std::int64_t> first(view.switch_count(), 0);
    std::vector<std::int64_t> second(view.switch_count(), 0);
    for (const NetworkView::Site& site : view.sites()) {
      std::int64_t senders = 0;
      std::int64_t receivers = 0;
      for (const HostId host : site.hosts) {
        senders += sides[host.value()] == Side::kFirst ? 1 : 0;
        receivers += sides[host.value()] == Side::kSecond ? 1 : 0;
      }
      if (senders + receivers == 0) continue;
      for (const NetworkView::Bundle& up : site.uplinks) {
        reach(up.to);
        first[up.to] += senders * up.rate.count();
        second[up.to] += receivers * up.rate.count();
      }
    }
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      for (const auto& bundle : view_.bundles_of(SwitchId(switches_[i]))) reach(bundle.to);
    }
    graph_ = Graph(switches_.size() + 2);
    for (const std::uint32_t at : switches_) {
      if (view_.is_nic(SwitchId(at))) {
        sender_[at] = static_cast<std::uint32_t>(boost::add_vertex(graph_));
        connect(sender_[at], vertex_[at], first[at]);
      } else {
        sender_[at] = vertex_[at];
      }
    }
    for (const std::uint32_t at : switches_) {
      if (first[at] > 0) connect(0, sender_[at], first[at]);
      if (second[at] > 0) connect(vertex_[at], 1, second[at]);
      for (const auto& bundle : view_.bundles_of(SwitchId(at))) connect(at, bundle);
    }
  }

  [[nodiscard]] BitsPerSecond solve() {
    const std::int64_t flow = boost::push_relabel_max_flow(
        graph_, 0, 1,
        boost::capacity_map(boost::get(&EdgeState::capacity, graph_))
            .residual_capacity_map(boost::get(&EdgeState::residual, graph_))
            .reverse_edge_map(boost::get(&EdgeState::reverse, graph_))
            .vertex_index_map(boost::get(boost::vertex_index, graph_)));
    return BitsPerSecond(flow);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void reach(std::uint32_t at) {
    if (vertex_[at] != kNone) return;
    vertex_[at] = static_cast<std::uint32_t>(switches_.size() + 2);
    switches_.push_back(at);
  }
  void connect(std::uint32_t at, const NetworkView::Bundle& bundle) {
    if (bundle.to < at) return;  // already from the other end
    connect(sender_[at], vertex_[bundle.to], bundle.rate.count());
    connect(sender_[bundle.to], vertex_[at], bundle.rate.count());
  }
  /// Boost asks for reverse edges of no capacity: two directions are four edges.
  void connect(std::uint32_t from, std::uint32_t to, std::int64_t rate) {
    const Edge there = boost::add_edge(from, to, graph_).first;
    const Edge back = boost::add_edge(to, from, graph_).first;
    graph_[there] = {rate, 0, back};
    graph_[back] = {0, 0, there};
  }

  const NetworkView& view_;
  std::vector<std::uint32_t> vertex_;  ///< by SwitchId
  std::vector<std::uint32_t> sender_;  ///< by SwitchId: the same, but of NICs that for sending
  std::vector<std::uint32_t> switches_;
  Graph graph_;
};

}  // namespace

BitsPerSecond max_flow(const NetworkView& view, std::span<const Side> sides) {
  return FlowGraph(view, sides).solve();
}

}  // namespace weft::topologies
