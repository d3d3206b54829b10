#include "topologies/analysis/pair_paths.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simcore/base/check.hpp"
#include "simcore/fabric/path.hpp"
#include "topologies/assembly/assembler.hpp"

namespace weft::topologies {
namespace {

/// Nodes that packets are at after some links, and by how many paths.
using Front = std::map<NodeId, std::uint64_t>;

class Walk {
 public:
  Walk(const Fabric& fabric, const Routes& routes, HostId from, HostId to)
      : fabric_(fabric), routes_(routes), from_(from), to_(to), goal_(fabric.hosts[to.value()]) {
    result_.network = fabric.network_between(from, to);
    forward(fabric.host(from), 1);
  }

  PairPaths follow() {
    for (std::uint32_t links = 1; links <= kMaxPathLinks && !next_.empty(); ++links) {
      const Front front = std::exchange(next_, {});
      for (const auto& [node, ways] : front) {
        if (node == goal_) {
          if (result_.links == 0) result_.links = links;
          result_.paths = saturating_sum(result_.paths, ways);
        } else {
          forward(fabric_.node(node), ways);
        }
      }
    }
    if (result_.links > 0) result_.ports.assign(ports_.begin(), ports_.end());
    return std::move(result_);
  }

 private:
  void forward(const Node& at, std::uint64_t ways) {
    PortId previous;
    for (const std::uint16_t local : ports_towards(routes_, at, from_, to_)) {
      const PortId port(at.first_port.value() + local);
      if (std::exchange(previous, port) == port) continue;  // repeated for its weight
      ports_.insert(port);
      std::uint64_t& arrived = next_[fabric_.peer_node(port)];
      arrived = saturating_sum(arrived, ways);
    }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  HostId from_;
  HostId to_;
  NodeId goal_;
  Front next_;
  std::set<PortId> ports_;
  PairPaths result_;
};

}  // namespace

PairPaths pair_paths(const Fabric& fabric, const Routes& routes, HostId from, HostId to) {
  WEFT_CHECK(from != to, "nobody sends to itself");
  return Walk(fabric, routes, from, to).follow();
}

}  // namespace weft::topologies
