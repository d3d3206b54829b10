#include "topologies/assembly/fabric_graph.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstddef>
#include <utility>

#include "topologies/assembly/assembler.hpp"

namespace weft::topologies {
namespace {

using Csr =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;
using Vertex = boost::graph_traits<Csr>::vertex_descriptor;
using Edge = boost::graph_traits<Csr>::edge_descriptor;

/// Fills distances, and counts paths where asked to. Breadth-first order settles all of a vertex's
/// predecessors before the vertex itself is examined, so its count is complete by then.
class ShortestPaths : public boost::default_bfs_visitor {
 public:
  ShortestPaths(std::vector<std::uint32_t>& distances, std::vector<std::uint64_t>* counts)
      : distances_(distances), counts_(counts) {}

  void tree_edge(Edge edge, const Csr& graph) {
    distances_[target(edge, graph)] = distances_[source(edge, graph)] + 1;
  }
  void examine_edge(Edge edge, const Csr& graph) {
    if (counts_ == nullptr) return;
    const Vertex from = source(edge, graph);
    const Vertex to = target(edge, graph);
    // An unreached target becomes a tree edge next, one step away.
    const bool is_unreached = distances_[to] == FabricGraph::kUnreachable;
    if (is_unreached || distances_[to] == distances_[from] + 1) {
      (*counts_)[to] = saturating_sum((*counts_)[to], (*counts_)[from]);
    }
  }

 private:
  std::vector<std::uint32_t>& distances_;
  std::vector<std::uint64_t>* counts_;
};

}  // namespace

struct FabricGraph::Graph {
  Csr csr;
};

FabricGraph::FabricGraph(const Fabric& fabric) {
  // Ports are numbered node by node, so the edges come sorted by source.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.reserve(fabric.ports.size());
  for (const Port& port : fabric.ports) {
    edges.emplace_back(port.node.value(), fabric.port(port.peer).node.value());
  }
  graph_ = std::make_unique<Graph>(Graph{Csr(boost::edges_are_sorted, edges.begin(), edges.end(),
                                             static_cast<std::uint32_t>(fabric.nodes.size()))});
}

FabricGraph::~FabricGraph() = default;
FabricGraph::FabricGraph(FabricGraph&&) noexcept = default;
FabricGraph& FabricGraph::operator=(FabricGraph&&) noexcept = default;

std::vector<std::uint32_t> FabricGraph::distances_from(NodeId from) const {
  std::vector<std::uint32_t> distances(num_vertices(graph_->csr), kUnreachable);
  distances[from.value()] = 0;
  boost::breadth_first_search(graph_->csr, Vertex{from.value()},
                              boost::visitor(ShortestPaths(distances, nullptr)));
  return distances;
}

std::vector<std::uint64_t> FabricGraph::path_counts_from(NodeId from) const {
  std::vector<std::uint32_t> distances(num_vertices(graph_->csr), kUnreachable);
  std::vector<std::uint64_t> counts(distances.size(), 0);
  distances[from.value()] = 0;
  counts[from.value()] = 1;
  boost::breadth_first_search(graph_->csr, Vertex{from.value()},
                              boost::visitor(ShortestPaths(distances, &counts)));
  return counts;
}

NodeId FabricGraph::first_unconnected() const {
  if (num_vertices(graph_->csr) == 0) return NodeId::none();
  const std::vector<std::uint32_t> distances = distances_from(NodeId(0U));
  const auto found = std::ranges::find(distances, kUnreachable);
  if (found == distances.end()) return NodeId::none();
  return NodeId(static_cast<std::size_t>(found - distances.begin()));
}

}  // namespace weft::topologies
