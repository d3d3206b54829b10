#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::topologies {

/// The fabric as a graph: nodes are vertices, every cable is an edge in both directions (parallel
/// cables are parallel edges). For analyses before a run; holds a copy of the structure, not of the
/// fabric.
class FabricGraph {
 public:
  static constexpr std::uint32_t kUnreachable = std::numeric_limits<std::uint32_t>::max();

  explicit FabricGraph(const Fabric& fabric);
  ~FabricGraph();
  FabricGraph(FabricGraph&&) noexcept;
  FabricGraph& operator=(FabricGraph&&) noexcept;

  /// Links on a shortest path from `from` to each node, by NodeId; `kUnreachable` without a path.
  [[nodiscard]] std::vector<std::uint32_t> distances_from(NodeId from) const;
  /// How many shortest paths lead from `from` to each node, by NodeId. Paths that differ in one of
  /// several parallel cables are different. Saturates at the largest value.
  [[nodiscard]] std::vector<std::uint64_t> path_counts_from(NodeId from) const;
  /// The first node that cannot be reached from node 0; none if the fabric is in one piece.
  [[nodiscard]] NodeId first_unconnected() const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace weft::topologies
