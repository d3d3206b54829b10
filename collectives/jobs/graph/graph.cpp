#include "collectives/jobs/graph/graph.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "collectives/jobs/collective/collective_bounds.hpp"
#include "collectives/jobs/graph/graph_layout.hpp"
#include "collectives/jobs/graph/graph_tasks.hpp"
#include "collectives/tasks/task_program.hpp"

namespace weft::collectives {

namespace {

/// Nodes, as often as they are repeated, times ranks: each takes a moment, in ideal times too.
constexpr double kMaxNodesOfRanks = 1e9;

std::string quantity(double count) { return std::to_string(static_cast<std::int64_t>(count)); }

}  // namespace

void Graph::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  const GraphLayout layout(spec, ranks, problems);
  check_noise_specs(spec.noise, ranks, problems);
  const auto computes = [](const GraphNode& node) {
    return std::holds_alternative<ComputeNode>(node.work);
  };
  if (!spec.noise.empty() && std::ranges::none_of(spec.nodes, computes)) {
    problems.push_back({"noise", "slows computing, and no node of the graph computes"});
  }
  double nodes = 0;
  for (const GraphSection& section : layout.sections()) {
    nodes += static_cast<double>(section.end - section.first) * section.times;
  }
  nodes *= spec.iterations;
  if (nodes * ranks <= kMaxNodesOfRanks) return;
  problems.push_back({"repeats", "and iterations make " + quantity(nodes) +
                                     " nodes for each rank; with " + std::to_string(ranks) +
                                     " ranks there are at most " +
                                     quantity(kMaxNodesOfRanks / ranks)});
}

std::uint64_t Graph::max_connections(const Spec& spec, std::uint32_t ranks) {
  Problems problems;
  const GraphLayout layout(spec, ranks, problems);
  if (!problems.empty()) return 0;  // refused for them
  // Calls that cost alike share connections; the most of any, and the sum of those that may differ,
  // is more than there are.
  std::uint64_t max = 0;
  for (const GraphLayout::Call& call : layout.calls()) {
    const auto members = layout.communicators()[call.communicator].ranks.size();
    max += collectives::max_connections(layout.spec_of(call), members);
  }
  return max;
}

SendBound Graph::bound(const Spec& spec, const BoundSetting& setting) {
  Problems problems;
  const GraphLayout layout(spec, setting.ranks, problems);
  SendBound sum;
  if (!problems.empty()) return sum;
  std::map<std::uint32_t, SendBound> of_communicator;
  for (const GraphLayout::Node& node : layout.nodes()) {
    const double times =
        static_cast<double>(layout.sections()[node.section].times) * spec.iterations;
    for (const std::uint32_t number : node.calls) {
      const GraphLayout::Call& call = layout.calls()[number];
      const CollectiveSpec& called = layout.spec_of(call);
      const auto members =
          static_cast<std::uint32_t>(layout.communicators()[call.communicator].ranks.size());
      const MessageBound max = max_messages(called, members, setting.domain_size);
      const double connections =
          static_cast<double>(members) * std::max(1U, called.execution.channels);
      SendBound& own = of_communicator[call.communicator];
      own.connection_messages += times * max.messages / std::max(1.0, connections);
      own.connection_bytes += times * max.bytes;
      sum.messages += times * max.messages;
      sum.at_once += max.messages;
      sum.connection_messages = std::max(sum.connection_messages, own.connection_messages);
      sum.connection_bytes = std::max(sum.connection_bytes, own.connection_bytes);
    }
  }
  return sum;
}

Result<std::unique_ptr<const JobProgram>> Graph::make(const ProgramSetting& setting,
                                                      const Spec& spec, const RankLayout& layout) {
  Problems problems;
  GraphLayout graph(spec, setting.ranks, problems);
  auto program = TaskProgram::make(
      setting, std::make_unique<const GraphTasks>(std::move(graph), spec, setting.ranks), layout);
  if (!program) return program.errors();
  return std::unique_ptr<const JobProgram>(std::move(program).value());
}

}  // namespace weft::collectives
