#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/jobs/graph/graph.hpp"
#include "collectives/runtime/workload.hpp"
#include "tests/collectives/zero_load_run.hpp"

/// Graphs as C++ writes them down.
namespace weft::testing {

using Names = std::vector<std::string>;

[[nodiscard]] inline collectives::GraphNode compute_node(std::string name, Picoseconds time,
                                                         Names after = {}, Names ranks = {}) {
  return {std::move(name), std::move(after), collectives::ComputeNode{time, std::move(ranks)}};
}

[[nodiscard]] inline collectives::GraphNode send_node(std::string name, Bytes size, Names from,
                                                      Names to, Names after = {}) {
  return {std::move(name), std::move(after),
          collectives::SendNode{size, std::move(from), std::move(to), {}}};
}

[[nodiscard]] inline collectives::GraphNode recv_node(std::string name, std::string send,
                                                      Names after = {}) {
  return {std::move(name), std::move(after), collectives::RecvNode{std::move(send)}};
}

/// `group` empty: all ranks.
[[nodiscard]] inline collectives::GraphNode call_node(std::string name, std::string group,
                                                      collectives::CollectiveSpec spec,
                                                      Names after = {}) {
  return {std::move(name), std::move(after),
          collectives::CollectiveNode{std::move(group), std::move(spec)}};
}

[[nodiscard]] inline collectives::GraphGroup group_of(std::string name, std::uint32_t size,
                                                      std::uint32_t stride = 1) {
  collectives::GraphGroup group;
  group.name = std::move(name);
  group.size = size;
  group.stride = stride;
  return group;
}

[[nodiscard]] inline collectives::GraphGroup group_of_ranks(std::string name, Names ranks) {
  collectives::GraphGroup group;
  group.name = std::move(name);
  group.ranks = std::move(ranks);
  return group;
}

[[nodiscard]] inline collectives::GraphSpec graph_of(
    std::vector<collectives::GraphNode> nodes, std::vector<collectives::GraphRepeat> repeats = {},
    std::uint32_t iterations = 1) {
  collectives::GraphSpec spec;
  spec.nodes = std::move(nodes);
  spec.repeats = std::move(repeats);
  spec.iterations = iterations;
  return spec;
}

[[nodiscard]] inline collectives::Workload graph_workload(const collectives::GraphSpec& spec,
                                                          std::int64_t ranks) {
  return build({job(ranks, spec)});
}

/// All that is wrong with a graph, as `key: message` lines.
[[nodiscard]] inline std::string graph_problems(const collectives::GraphSpec& spec,
                                                std::uint32_t ranks) {
  collectives::Problems problems;
  collectives::Graph::check(spec, ranks, problems);
  std::string text;
  for (const schema::Problem& problem : problems) {
    text += problem.key + ": " + problem.message + "\n";
  }
  return text;
}

}  // namespace weft::testing
