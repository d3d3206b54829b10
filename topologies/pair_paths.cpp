#include "topologies/pair_paths.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

#include "simcore/path.hpp"
#include "topologies/assembler.hpp"

namespace weft::topologies {
namespace {

/// Nodes that packets are at after some links, and by how many ways.
using Front = std::map<NodeId, std::uint64_t>;

class Walk {
 public:
  Walk(const Fabric& fabric, const Routes& routes, HostId from, HostId to)
      : fabric_(fabric), routes_(routes), to_(to), goal_(fabric.hosts[to.value()]) {
    const Node& source = fabric.host(from);
    const bool is_inside = source.domain >= 0 && source.domain == fabric.host(to).domain;
    result_.network = is_inside ? NetworkKind::kScaleUp : NetworkKind::kScaleOut;
    for (std::uint32_t local = 0; local < source.port_count; ++local) {
      const PortId port(source.first_port.value() + local);
      const Node& edge = fabric.node(fabric.peer_node(port));
      if (edge.kind != NodeKind::kSwitch || edge.network != result_.network) continue;
      cross(port, 1);
    }
  }

  PairPaths follow() {
    for (std::uint32_t links = 1; links <= kMaxPathLinks && !next_.empty(); ++links) {
      const Front front = std::exchange(next_, {});
      for (const auto& [node, ways] : front) {
        if (node == goal_) {
          if (result_.links == 0) result_.links = links;
          result_.paths = saturating_sum(result_.paths, ways);
        } else if (fabric_.node(node).kind == NodeKind::kSwitch) {
          forward(fabric_.node(node), ways);
        }
      }
    }
    if (result_.links > 0) result_.ports.assign(ports_.begin(), ports_.end());
    return std::move(result_);
  }

 private:
  void forward(const Node& at, std::uint64_t ways) {
    for (const std::uint16_t local : routes_.next_hops(SwitchId(at.index), to_)) {
      cross(PortId(at.first_port.value() + local), ways);
    }
  }
  void cross(PortId port, std::uint64_t ways) {
    ports_.insert(port);
    std::uint64_t& arrived = next_[fabric_.peer_node(port)];
    arrived = saturating_sum(arrived, ways);
  }

  const Fabric& fabric_;
  const Routes& routes_;
  HostId to_;
  NodeId goal_;
  Front next_;
  std::set<PortId> ports_;
  PairPaths result_;
};

}  // namespace

PairPaths pair_paths(const Fabric& fabric, const Routes& routes, HostId from, HostId to) {
  assert(from != to);
  return Walk(fabric, routes, from, to).follow();
}

}  // namespace weft::topologies
