// What is wrong with a graph is said at its key, with what there is instead.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/jobs/graph/graph_layout.hpp"
#include "tests/collectives/tasks/graphs.hpp"

namespace weft::testing {
namespace {

using collectives::GraphGroup;
using collectives::GraphLayout;
using collectives::GraphSpec;
using collectives::Problems;

/// Two nodes of which the second follows the first.
GraphSpec forward_and_sum() {
  return graph_of(
      {compute_node("forward", 5_us), call_node("sum", "", all_reduce(4_KB), {"forward"})});
}

TEST(GraphLayout, OfASoundGraphHasNoProblems) {
  EXPECT_EQ(graph_problems(forward_and_sum(), 4), "");
}

TEST(GraphLayout, NamesTheNearestNodeOfAnUnknownOne) {
  GraphSpec spec = forward_and_sum();
  spec.nodes[1].after = {"foward"};
  spec.repeats = {{"forwrd", "summ", 2}};
  EXPECT_EQ(graph_problems(spec, 4),
            "repeats[0].first: `forwrd` is no node of this job; did you mean `forward`?\n"
            "repeats[0].last: `summ` is no node of this job; did you mean `sum`?\n");
  spec.repeats.clear();
  EXPECT_EQ(graph_problems(spec, 4),
            "nodes[1].after: `foward` is no node of this job; did you mean `forward`?\n");
}

TEST(GraphLayout, RefusesReceivesOfWhatIsNotSent) {
  const auto give = send_node("give", 1000_B, {"0"}, {"1"});
  EXPECT_EQ(graph_problems(graph_of({give, recv_node("take", "gve")}), 2),
            "nodes[1].send: `gve` is no node of this job; did you mean `give`?\n");
  EXPECT_EQ(graph_problems(graph_of({compute_node("work", 1_us), recv_node("take", "work")}), 2),
            "nodes[1].send: `work` sends nothing; expected a node of type `send`\n");
  EXPECT_EQ(graph_problems(graph_of({recv_node("take", "give"), give}), 2),
            "nodes[0].send: `give` is listed later, and nothing is repeated\n");
}

TEST(GraphLayout, NamesTheNearestGroupOfAnUnknownOne) {
  GraphSpec spec = graph_of({call_node("sum", "tensr", all_reduce(4_KB))});
  spec.groups = {group_of("tensor", 2), group_of("data", 2, 2)};
  EXPECT_EQ(graph_problems(spec, 4),
            "nodes[0].group: `tensr` is no group of this job; did you mean `tensor`?\n");
}

TEST(GraphLayout, RefusesDependenciesOnLaterNodesOutsideOfRepeats) {
  GraphSpec spec = forward_and_sum();
  spec.nodes[0].after = {"sum"};
  EXPECT_EQ(graph_problems(spec, 4),
            "nodes[0].after: `sum` is listed later, and nothing is repeated\n");
  spec.nodes[1].after.clear();
  spec.repeats = {{"forward", "forward", 3}};
  EXPECT_EQ(graph_problems(spec, 4),
            "nodes[0].after: `sum` is listed later, and not in the same repeat\n");
  spec.repeats = {{"forward", "sum", 3}};
  EXPECT_EQ(graph_problems(spec, 4), "") << "the time before";
}

TEST(GraphLayout, RefusesANodeAfterItselfUnlessItIsRepeated) {
  GraphSpec spec = graph_of({compute_node("a", 1_us, {"a"})});
  EXPECT_EQ(graph_problems(spec, 2),
            "nodes[0].after: `a` is listed later, and nothing is repeated\n");
  spec.repeats = {{"a", "a", 2}};
  EXPECT_EQ(graph_problems(spec, 2), "");
}

TEST(GraphLayout, RefusesDependenciesBetweenNodesThatHaveNoRankInCommon) {
  const GraphSpec spec =
      graph_of({compute_node("a", 1_us, {}, {"0-1"}), compute_node("b", 1_us, {"a"}, {"2-3"})});
  EXPECT_EQ(graph_problems(spec, 4),
            "nodes[1].after: `a` has no rank in common with this node; a message would tell "
            "them\n");
}

TEST(GraphLayout, RefusesSendersAndReceiversThatAreNoPairs) {
  EXPECT_EQ(graph_problems(graph_of({send_node("a", 1_KB, {"0-2"}, {"3"})}), 4),
            "nodes[0].to: names 1 ranks, and `from` 3; they go in pairs\n");
  EXPECT_EQ(graph_problems(graph_of({send_node("a", 1_KB, {"0-1"}, {"3", "1"})}), 4),
            "nodes[0].to: has rank 1 send to itself\n");
}

TEST(GraphLayout, RefusesWordsThatNameNoRanks) {
  for (const char* word : {"4", "3-1", "0-4", "0-99999999999", "18446744073709551616", "", "-", "a",
                           "1-", "-1", "0-1-2", " 1"}) {
    const std::string message =
        "`" + std::string(word) + "` names no ranks; the job has ranks 0 to 3\n";
    EXPECT_EQ(graph_problems(graph_of({compute_node("a", 1_us, {}, {word})}), 4),
              "nodes[0].ranks: " + message);
    EXPECT_EQ(graph_problems(graph_of({send_node("a", 1_KB, {word}, {"0"})}), 4),
              "nodes[0].from: " + message);
    EXPECT_EQ(graph_problems(graph_of({send_node("a", 1_KB, {"0"}, {word})}), 4),
              "nodes[0].to: " + message);
    GraphSpec spec = forward_and_sum();
    spec.groups = {group_of_ranks("g", {"0", word})};
    EXPECT_NE(graph_problems(spec, 4).find("groups[0].ranks: " + message), std::string::npos);
  }
}

TEST(GraphLayout, RefusesGroupsThatAreNone) {
  GraphSpec spec = forward_and_sum();
  const auto problems_of = [&](const GraphGroup& group, std::uint32_t ranks) {
    spec.groups = {group};
    return graph_problems(spec, ranks);
  };
  EXPECT_EQ(problems_of(group_of_ranks("g", {"0-2", "2"}), 4),
            "groups[0].ranks: names a rank twice\n");
  EXPECT_EQ(problems_of(group_of_ranks("g", {"2"}), 4),
            "groups[0].ranks: names fewer than two ranks\n");
  EXPECT_EQ(problems_of(group_of("g", 4), 6),
            "groups[0].size: is 4 with a stride of 1; 6 ranks are no multiple of 4\n");
  EXPECT_EQ(problems_of(group_of("g", 2, 4), 12),
            "groups[0].size: is 2 with a stride of 4; 12 ranks are no multiple of 8\n");
  EXPECT_EQ(problems_of(group_of("g", 262'144, 262'144), 4),
            "groups[0].size: is 262144 with a stride of 262144; 4 ranks are no multiple of "
            "68719476736\n");
}

/// What the schema refuses is refused by those who fill a specification themselves, too.
TEST(GraphLayout, IsNotMadeOfGroupsThatTheSchemaRefuses) {
  GraphSpec spec = forward_and_sum();
  const auto error_of = [&](const GraphGroup& group) {
    spec.groups = {group};
    const auto built = collectives::build_workload(std::vector{job(4, spec)}, {});
    return built.ok() ? std::string("none") : built.errors()[0].to_string();
  };
  EXPECT_NE(error_of(group_of("g", 0)).find("a group has `ranks`, or a `size` of at least 2"),
            std::string::npos);
  EXPECT_NE(error_of(group_of("g", 1)).find("a group has `ranks`, or a `size` of at least 2"),
            std::string::npos);
  EXPECT_NE(error_of(group_of("g", 2, 0)).find("stride"), std::string::npos);
  GraphGroup both = group_of("g", 2);
  both.ranks = {"0-1"};
  EXPECT_NE(error_of(both).find("given together with `ranks`"), std::string::npos);
  spec.nodes.clear();
  EXPECT_NE(error_of(group_of("g", 2)).find("nodes"), std::string::npos);
}

TEST(GraphLayout, RefusesRepeatsThatOverlapOrGoBackwards) {
  GraphSpec spec =
      graph_of({compute_node("a", 1_us), compute_node("b", 1_us), compute_node("c", 1_us)},
               {{"a", "b", 2}, {"b", "c", 2}});
  EXPECT_EQ(graph_problems(spec, 2), "repeats: repeat `b` twice\n");
  spec.repeats = {{"a", "c", 2}, {"b", "b", 2}};
  EXPECT_EQ(graph_problems(spec, 2), "repeats: repeat `b` twice\n");
  spec.repeats = {{"c", "a", 2}};
  EXPECT_EQ(graph_problems(spec, 2), "repeats[0].last: `a` is listed before `c`\n");
  spec.repeats = {{"c", "c", 2}, {"a", "b", 2}};
  EXPECT_EQ(graph_problems(spec, 2), "") << "in any order";
}

TEST(GraphLayout, RefusesRootsThatTheGroupDoesNotHave) {
  auto spec_of_root = [](std::uint32_t root) {
    auto broadcast =
        collective(collectives::Operation::kBroadcast, collectives::Algorithm::kBinomialTree, 4_KB);
    broadcast.root = root;
    GraphSpec spec = graph_of({call_node("give", "g", broadcast)});
    spec.groups = {group_of("g", 2)};
    return spec;
  };
  EXPECT_EQ(graph_problems(spec_of_root(1), 4), "");
  EXPECT_EQ(graph_problems(spec_of_root(2), 4),
            "nodes[0].root: is 2; the group has ranks 0 to 1\n");
}

TEST(GraphLayout, RefusesNamesThatAreTaken) {
  GraphSpec spec = graph_of({compute_node("a", 1_us), compute_node("a", 2_us)});
  spec.groups = {group_of("g", 2), group_of("g", 4)};
  EXPECT_EQ(graph_problems(spec, 4),
            "groups[1].name: `g` is taken by an earlier group\n"
            "nodes[1].name: `a` is taken by an earlier node\n");
}

TEST(GraphLayout, RefusesNamesThatAreEmpty) {
  GraphSpec spec = forward_and_sum();
  spec.groups = {group_of("", 2)};
  spec.nodes[1].name = "";
  const auto built = collectives::build_workload(std::vector{job(4, spec)}, {});
  ASSERT_EQ(built.errors().size(), 2U);
  EXPECT_EQ(built.errors()[0].where.key, "jobs[0].nodes[1].name");
  EXPECT_EQ(built.errors()[1].where.key, "jobs[0].groups[0].name");
}

// Refused before anything is listed, which would take gigabytes.
TEST(GraphLayout, RefusesMoreThanCanBeListed) {
  constexpr std::uint32_t kRanks = 200'000;
  GraphSpec nodes;
  for (int i = 0; i < 1000; ++i) {
    nodes.nodes.push_back(compute_node("n" + std::to_string(i), 1_us));
  }
  EXPECT_NE(graph_problems(nodes, kRanks)
                .find("nodes: and what they are after, groups and what "
                      "they name make 200000000 entries for 200000"),
            std::string::npos);
  const Names everybody(1000, "0-199999");
  for (const GraphSpec& spec : {graph_of({send_node("s", 1_KB, everybody, everybody)}),
                                graph_of({compute_node("c", 1_us, {}, everybody)}),
                                graph_of({compute_node("c", 1_us, Names(1000, "c"))})}) {
    EXPECT_NE(graph_problems(spec, kRanks).find("can be held"), std::string::npos);
  }
  GraphSpec groups = forward_and_sum();
  groups.groups = {group_of_ranks("g", everybody)};
  EXPECT_NE(graph_problems(groups, kRanks).find("can be held"), std::string::npos);
}

TEST(GraphLayout, RefusesMoreCommunicatorsThanARankHasLanes) {
  const auto star = [](int others) {
    return graph_of({send_node("s", 1_KB, Names(static_cast<std::size_t>(others), "0"),
                               {"1-" + std::to_string(others)})});
  };
  EXPECT_EQ(graph_problems(star(4095), 5000), "");
  EXPECT_EQ(graph_problems(star(4096), 5000),
            "nodes: and groups have rank 0 in more than 4095 communicators\n");
}

TEST(GraphLayout, RefusesAnAlgorithmAtTheKeyOfItsNode) {
  const GraphSpec spec = graph_of(
      {compute_node("a", 1_us), call_node("sum", "",
                                          collective(collectives::Operation::kAllReduce,
                                                     collectives::Algorithm::kNvls, 4_KB))});
  const auto built = collectives::build_workload(std::vector{job(4, spec)}, {});
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.errors()[0].where.key, "jobs[0].nodes[1].algorithm");
}

TEST(GraphLayout, MakesCommunicatorsByStride) {
  GraphSpec spec = graph_of({call_node("sum", "g", all_reduce(4_KB))});
  spec.groups = {group_of("g", 2, 4)};
  Problems problems;
  const GraphLayout layout(spec, 16, problems);
  ASSERT_TRUE(problems.empty());
  ASSERT_EQ(layout.communicators().size(), 8U);
  EXPECT_EQ(layout.communicators()[0].ranks, (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(layout.communicators()[3].ranks, (std::vector<std::uint32_t>{3, 7}));
  EXPECT_EQ(layout.communicators()[4].ranks, (std::vector<std::uint32_t>{8, 12}));
  EXPECT_EQ(layout.nodes()[0].calls.size(), 8U);
}

/// Equal messages of a pair are one call; the two ways are communicators of their own.
TEST(GraphLayout, SharesCallsThatAreEqual) {
  GraphSpec spec =
      graph_of({send_node("a", 1_KB, {"0", "1"}, {"1", "0"}), send_node("b", 1_KB, {"0"}, {"1"}),
                send_node("c", 2_KB, {"0"}, {"1"})});
  Problems problems;
  const GraphLayout layout(spec, 2, problems);
  ASSERT_TRUE(problems.empty());
  EXPECT_EQ(layout.communicators().size(), 2U);
  EXPECT_EQ(layout.calls().size(), 3U);
}

}  // namespace
}  // namespace weft::testing
