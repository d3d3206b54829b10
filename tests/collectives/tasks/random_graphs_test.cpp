// Nodes wait for earlier ones of the list only, or for the time before, so every graph comes to its
// end; and the stream that computes either computes or waits for one other stream, so that the two
// add up to the iteration on every rank, to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/graph/graph_layout.hpp"
#include "simcore/base/random.hpp"
#include "tests/collectives/tasks/graphs.hpp"

namespace weft::testing {
namespace {

using collectives::GraphNode;
using collectives::GraphSpec;
using collectives::Operation;

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed, Purpose::kTestScenario, 16) {}

  std::uint32_t ranks = 0;
  GraphSpec spec;

  void draw() {
    ranks = 2 * (1 + below(4));
    add_groups();
    const std::uint32_t nodes = 1 + below(12);
    for (std::uint32_t i = 0; i < nodes; ++i) add_node("n" + std::to_string(i));
    add_repeats();
    add_dependencies();
    spec.iterations = 1 + below(3);
  }

 private:
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random_.below(counter_++, n));
  }

  void add_groups() {
    spec.groups = {group_of("pairs", 2)};
    if (ranks > 2) spec.groups.push_back(group_of("halves", 2, ranks / 2));
    std::set<std::string> some;
    while (some.size() < 2) some.insert(std::to_string(below(ranks)));
    spec.groups.push_back(group_of_ranks("some", {some.begin(), some.end()}));
    for (collectives::GraphGroup& group : spec.groups) {
      group.kind = static_cast<collectives::Communicator::Kind>(below(6));
    }
  }

  Names some_ranks() {
    if (below(2) == 0) return {};
    const std::uint32_t first = below(ranks);
    return {std::to_string(first) + "-" + std::to_string(first + below(ranks - first))};
  }

  void add_node(const std::string& name) {
    switch (below(3)) {
      case 0:
        spec.nodes.push_back(compute_node(name, Picoseconds(below(20'000'000)), {}, some_ranks()));
        return;
      case 1: {
        Names from;
        Names to;
        for (std::uint32_t i = 0; i <= below(ranks); ++i) {
          const std::uint32_t source = below(ranks);
          from.push_back(std::to_string(source));
          to.push_back(std::to_string((source + 1 + below(ranks - 1)) % ranks));
        }
        spec.nodes.push_back(send_node(name, Bytes(1 + below(20'000)), from, to));
        return;
      }
      default: {
        const std::uint32_t group = below(static_cast<std::uint32_t>(spec.groups.size()) + 1);
        spec.nodes.push_back(call_node(
            name, group == spec.groups.size() ? "" : spec.groups[group].name, some_call()));
      }
    }
  }

  collectives::CollectiveSpec some_call() {
    constexpr Operation kOperations[] = {Operation::kAllReduce,     Operation::kAllGather,
                                         Operation::kReduceScatter, Operation::kAllToAll,
                                         Operation::kBroadcast,     Operation::kReduce};
    const Operation operation = kOperations[below(std::size(kOperations))];
    auto call = collective(operation, collectives::algorithms_for(operation).front(),
                           Bytes(1 + below(20'000)));
    call.execution.channels = 1 + below(3);
    if (below(2) == 0) call.execution.launch = Picoseconds(below(5'000'000));
    if (below(4) == 0) call.execution.protocol = collectives::Protocol::kLl;
    if (below(4) == 0) call.execution.in_flight = 1 + below(3);
    return call;
  }

  void add_repeats() {
    for (std::uint32_t i = below(3); i < spec.nodes.size(); i += 1 + below(3)) {
      const auto left = static_cast<std::uint32_t>(spec.nodes.size()) - i;
      const std::uint32_t last = i + below(left);
      if (below(2) == 0) continue;
      spec.repeats.push_back({spec.nodes[i].name, spec.nodes[last].name, 1 + below(5)});
      i = last;
    }
  }

  /// Those that are allowed of a few.
  void add_dependencies() {
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
      for (std::uint32_t tries = below(4); tries > 0; --tries) {
        GraphSpec trial = spec;
        const std::uint32_t other = below(static_cast<std::uint32_t>(spec.nodes.size()));
        trial.nodes[i].after.push_back(spec.nodes[other].name);
        if (graph_problems(trial, ranks).empty()) spec = trial;
      }
    }
  }

  RandomStream random_;
  std::uint64_t counter_ = 0;
};

/// What the nodes have a rank compute in an iteration.
Picoseconds computing_of(const GraphSpec& spec, std::uint32_t ranks, std::uint32_t rank) {
  collectives::Problems problems;
  const collectives::GraphLayout layout(spec, ranks, problems);
  Picoseconds sum;
  for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
    const auto* node = std::get_if<collectives::ComputeNode>(&spec.nodes[n].work);
    if (node == nullptr || std::ranges::count(layout.nodes()[n].ranks, rank) == 0) continue;
    sum += node->time * layout.sections()[layout.nodes()[n].section].times;
  }
  return sum;
}

TEST(RandomGraphs, AllEndAndEveryMomentOfEveryRankIsAccountedFor) {
  int repeated = 0;
  int carried = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph graph(seed);
    graph.draw();
    repeated += graph.spec.repeats.empty() ? 0 : 1;
    for (const GraphNode& node : graph.spec.nodes) carried += node.after.empty() ? 0 : 1;
    const ZeroLoadRun run(graph_workload(graph.spec, graph.ranks));
    ASSERT_TRUE(run.outcome().is_finished);
    for (std::uint32_t rank = 0; rank < graph.ranks; ++rank) {
      const collectives::IterationLog& log = run.executor().iterations(ProcessId(rank));
      ASSERT_EQ(log.ended(), graph.spec.iterations);
      for (std::uint32_t i = 0; i < log.ended(); ++i) {
        const auto& streams = log.streams(i);
        EXPECT_EQ(streams[0].busy, computing_of(graph.spec, graph.ranks, rank));
        Picoseconds sum = streams[0].busy;
        for (const collectives::StreamTimes& stream : streams) {
          EXPECT_LE(stream.late, stream.waited);
          EXPECT_GE(stream.late, 0_us);
          sum += stream.waited;
        }
        EXPECT_EQ(sum, log[i].end - log[i].begin) << "rank " << rank << ", iteration " << i;
      }
    }
  }
  EXPECT_GT(repeated, 100);
  EXPECT_GT(carried, 300);
}

}  // namespace
}  // namespace weft::testing
