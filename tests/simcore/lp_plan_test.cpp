#include "simcore/engine/lp_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "simcore/engine/lp_order.hpp"
#include "tests/support/draws.hpp"

namespace weft {
namespace {

/// Nodes, and cables with a time for either direction.
struct Graph {
  Fabric fabric;
  std::vector<Picoseconds> crossing;

  struct Cable {
    std::uint32_t a;
    std::uint32_t b;
    std::int64_t there;
    std::int64_t back;
  };
  Graph(std::uint32_t nodes, const std::vector<Cable>& cables) {
    fabric.nodes.resize(nodes);
    for (const Cable& cable : cables) {
      const auto port = static_cast<std::uint32_t>(fabric.ports.size());
      fabric.ports.push_back({NodeId(cable.a), PortId(port + 1), 100_Gbps, 0_ps});
      fabric.ports.push_back({NodeId(cable.b), PortId(port), 100_Gbps, 0_ps});
      crossing.emplace_back(cable.there);
      crossing.emplace_back(cable.back);
    }
  }

  [[nodiscard]] Picoseconds latency(std::size_t port) const {
    return std::min(crossing[port], crossing[fabric.ports[port].peer.value()]);
  }
  /// By node: the least node that it is joined with by cables below the threshold.
  [[nodiscard]] std::vector<std::uint32_t> joined_below(Picoseconds threshold) const {
    std::vector<std::uint32_t> min(fabric.nodes.size());
    for (std::uint32_t n = 0; n < min.size(); ++n) min[n] = n;
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
        if (latency(p) >= threshold) continue;
        std::uint32_t& here = min[fabric.ports[p].node.value()];
        const std::uint32_t there = min[fabric.peer_node(PortId(p)).value()];
        if (there >= here) continue;
        here = there;
        changes = true;
      }
    }
    return min;
  }
  [[nodiscard]] std::size_t cells_below(Picoseconds threshold) const {
    const std::vector<std::uint32_t> min = joined_below(threshold);
    return std::set<std::uint32_t>(min.begin(), min.end()).size();
  }
};

/// A tree of random cables, so that all is connected, and as many again.
Graph random_graph(std::uint64_t seed) {
  testing::Draws draws(seed);
  const auto nodes = static_cast<std::uint32_t>(draws.between(2, 40));
  const std::int64_t kinds = draws.between(1, 6);
  const auto latency = [&] { return (draws.between(1, kinds) - (seed % 3 == 0 ? 1 : 0)) * 10'000; };
  std::vector<Graph::Cable> cables;
  for (std::uint32_t n = 1; n < nodes; ++n) {
    cables.push_back({n, static_cast<std::uint32_t>(draws.below(n)), latency(), latency()});
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto other = static_cast<std::uint32_t>(draws.below(nodes));
    if (other != n) cables.push_back({n, other, latency(), latency()});
  }
  return {nodes, cables};
}

void expect_consistent(const Graph& graph, const LpPlan& plan, Picoseconds control) {
  ASSERT_EQ(plan.ports_of_lp.size(), plan.lp_count);
  std::size_t ports = 0;
  for (std::uint32_t lp = 0; lp < plan.lp_count; ++lp) {
    EXPECT_TRUE(std::ranges::is_sorted(plan.ports_of_lp[lp]));
    for (const PortId port : plan.ports_of_lp[lp]) {
      EXPECT_EQ(plan.lp_of_node[graph.fabric.port(port).node.value()], lp);
    }
    ports += plan.ports_of_lp[lp].size();
  }
  EXPECT_EQ(ports, graph.fabric.ports.size());
  // Nothing crosses sooner than the lookahead, and it is as long as that allows.
  Picoseconds min = control > 0_ps ? std::min(control, 1_ms) : 1_ms;
  bool is_set_by_a_link = false;
  for (std::size_t p = 0; p < graph.fabric.ports.size(); ++p) {
    const PortId port(p);
    const bool is_cut = plan.lp_of_node[graph.fabric.port(port).node.value()] !=
                        plan.lp_of_node[graph.fabric.peer_node(port).value()];
    if (!is_cut) continue;
    EXPECT_GE(graph.crossing[p], plan.lookahead);
    if (graph.latency(p) <= min) {
      min = graph.latency(p);
      is_set_by_a_link = true;
    }
  }
  EXPECT_EQ(plan.lookahead, min);
  EXPECT_GT(plan.lookahead, 0_ps);
  ASSERT_EQ(plan.limiting_port.is_none(), !is_set_by_a_link);
  if (is_set_by_a_link) {
    EXPECT_EQ(graph.latency(plan.limiting_port.value()), plan.lookahead);
  }
}

/// Logical processes are numbered in the order of their least nodes.
void expect_lps(const LpPlan& plan, const std::vector<std::uint32_t>& min) {
  std::vector<std::uint32_t> number(min.size());
  std::uint32_t next = 0;
  for (std::uint32_t n = 0; n < min.size(); ++n) {
    if (min[n] == n) number[n] = next++;
    EXPECT_EQ(plan.lp_of_node[n], number[min[n]]);
  }
  EXPECT_EQ(plan.lp_count, next);
}

/// By place in the order: the node of the logical process that stands there, where each is its own.
std::vector<std::uint32_t> nodes_in_order(const Graph& graph) {
  LpPlan plan = plan_lps(graph.fabric, graph.crossing, 1_ms, LpPlan::Cut::kFinest, LpCost());
  put_neighbours_together(plan, graph.fabric);
  for (std::uint32_t lp = 0; lp < plan.lp_count; ++lp) {
    for (const PortId port : plan.ports_of_lp[lp]) {
      EXPECT_EQ(plan.lp_of_node[graph.fabric.port(port).node.value()], lp);
    }
  }
  std::vector<std::uint32_t> nodes(plan.lp_count);
  for (std::uint32_t n = 0; n < plan.lp_of_node.size(); ++n) nodes.at(plan.lp_of_node[n]) = n;
  return nodes;
}

TEST(LpOrder, SwitchesStandAmongThoseBelowThem) {
  // Eight hosts, leaves 8 and 9 over four of them each, spines 10 and 11 over both leaves: a leaf
  // in the middle of its hosts, and the spines a quarter and three quarters of the way.
  std::vector<Graph::Cable> cables;
  for (std::uint32_t host = 0; host < 8; ++host) cables.push_back({host, 8 + host / 4, 100, 100});
  for (std::uint32_t leaf = 8; leaf < 10; ++leaf) {
    for (std::uint32_t spine = 10; spine < 12; ++spine) cables.push_back({leaf, spine, 100, 100});
  }
  Graph graph(12, cables);
  for (std::uint32_t n = 8; n < 12; ++n) graph.fabric.nodes[n].kind = NodeKind::kSwitch;
  EXPECT_EQ(nodes_in_order(graph),
            (std::vector<std::uint32_t>{0, 1, 8, 2, 10, 3, 4, 11, 5, 9, 6, 7}));
}

TEST(LpOrder, SwitchesAboveTheSameOnesAreSpreadOverThem) {
  // Two groups of four servers with a leaf per rail, 8 to 11 and 12 to 15: each leaf leads to all
  // servers of its group, so each is put beside one. Switch 16 is cabled to nothing and comes last.
  std::vector<Graph::Cable> cables;
  for (std::uint32_t server = 0; server < 8; ++server) {
    for (std::uint32_t rail = 0; rail < 4; ++rail) {
      cables.push_back({server, 8 + 4 * (server / 4) + rail, 100, 100});
    }
  }
  Graph graph(17, cables);
  for (std::uint32_t n = 8; n < 17; ++n) graph.fabric.nodes[n].kind = NodeKind::kSwitch;
  EXPECT_EQ(nodes_in_order(graph),
            (std::vector<std::uint32_t>{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 16}));
}

TEST(LpPlan, AreAllNodesWhereTheCutIsOneOrControlTakesNoTime) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Graph graph = random_graph(seed);
    for (const auto& [cut, control] :
         {std::pair{LpPlan::Cut::kOne, 1_us}, {LpPlan::Cut::kFinest, 0_ps}}) {
      const LpPlan plan = plan_lps(graph.fabric, graph.crossing, control, cut, {});
      EXPECT_EQ(plan.lp_count, 1U);
      expect_consistent(graph, plan, control);
    }
  }
}

TEST(LpPlan, AreJoinedByWhatTakesNoTimeAtTheFinestCut) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Graph graph = random_graph(seed);
    const LpPlan plan = plan_lps(graph.fabric, graph.crossing, 100_ns, LpPlan::Cut::kFinest, {});
    expect_consistent(graph, plan, 100_ns);
    expect_lps(plan, graph.joined_below(1_ps));
  }
}

// Of the cuts at each latency, and of none.
TEST(LpPlan, IsTheOneOfLeastCost) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Graph graph = random_graph(seed);
    for (const Picoseconds control : {25_ns, 1_us}) {
      // Each number of logical processes is the best once.
      std::set<std::size_t> counts{1};
      for (std::size_t p = 0; p < graph.fabric.ports.size(); ++p) {
        const Picoseconds threshold = std::min(graph.latency(p), control);
        if (threshold > 0_ps) counts.insert(graph.cells_below(threshold));
      }
      for (const std::size_t best : counts) {
        const LpPlan plan = plan_lps(
            graph.fabric, graph.crossing, control, LpPlan::Cut::kAuto, [&](const LpPlan& offered) {
              return std::abs(static_cast<double>(offered.lp_count) - static_cast<double>(best));
            });
        expect_consistent(graph, plan, control);
        EXPECT_EQ(plan.lp_count, best);
      }
    }
  }
}

TEST(LpPlan, HasTheLongestWindowOfEquals) {
  const Graph graph(3, {{0, 1, 20'000, 20'000}, {1, 2, 70'000, 70'000}});
  const LpPlan plan = plan_lps(graph.fabric, graph.crossing, 1_us, LpPlan::Cut::kAuto,
                               [](const LpPlan& offered) { return offered.lp_count == 1; });
  EXPECT_EQ(plan.lp_count, 2U);
  EXPECT_EQ(plan.lookahead, 70_ns);
}

// Predictions are rough, and of a finer plan the roughest: 2 % are not worth one, 4 % are.
TEST(LpPlan, IsNoFinerForLittle) {
  const Graph graph(3, {{0, 1, 20'000, 20'000}, {1, 2, 70'000, 70'000}});
  const auto processes = [&](double finest) {
    return plan_lps(graph.fabric, graph.crossing, 1_us, LpPlan::Cut::kAuto,
                    [&](const LpPlan& offered) {
                      return offered.lp_count == 1 ? 1 : offered.lp_count == 2 ? 0.99 : finest;
                    })
        .lp_count;
  };
  EXPECT_EQ(processes(0.98), 1U);
  EXPECT_EQ(processes(0.96), 3U);
}

// Every cable of this fabric has a latency of its own: not all of its cuts are tried.
TEST(LpPlan, IsChosenAmongFewWhereLatenciesAreMany) {
  std::vector<Graph::Cable> cables;
  for (std::uint32_t n = 1; n < 1000; ++n) cables.push_back({n - 1, n, n * 1'000, n * 1'000});
  const Graph graph(1000, cables);
  int offers = 0;
  const LpPlan plan =
      plan_lps(graph.fabric, graph.crossing, 1_us, LpPlan::Cut::kAuto, [&](const LpPlan& offered) {
        ++offers;
        return -1.0 * offered.lp_count;
      });
  EXPECT_LE(offers, 33);
  EXPECT_GT(plan.lp_count, 950U);
}

// A cable of 0 never sets the window: its ends are one logical process. Control events cross
// logical processes after 1 us at least, however long the cables are.
TEST(LpPlan, AreBoundByControlWhereCablesAreLonger) {
  const Graph graph(3, {{0, 1, 0, 0}, {1, 2, 5'000'000, 7'000'000}});
  const LpPlan plan = plan_lps(graph.fabric, graph.crossing, 1_us, LpPlan::Cut::kFinest, {});
  EXPECT_EQ(plan.lp_count, 2U);
  EXPECT_EQ(plan.lookahead, 1_us);
  EXPECT_TRUE(plan.limiting_port.is_none());
  const LpPlan longer = plan_lps(graph.fabric, graph.crossing, 1_s, LpPlan::Cut::kFinest, {});
  EXPECT_EQ(longer.lookahead, 5_us);
  EXPECT_EQ(longer.limiting_port, PortId(2U));
}

}  // namespace
}  // namespace weft
