// What cannot be reached is refused before the run if a job sends there, and else warned of: the
// same by `check` and by a run of either engine. What comes to another host ends a run by name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Two switches that the host b joins; `more` of `fabric`, and a job.
std::string joined_by_a_host(const std::string& job, const std::string& more = "") {
  return "name: t\nfabric:\n  topology: custom\n  switch: spectrum-4\n  nic: {rate: 100Gbps}\n"
         "  nodes: [{name: a, kind: host}, {name: b, kind: host}, {name: c, kind: host}, "
         "{name: s1, kind: switch}, {name: s2, kind: switch}]\n"
         "  links:\n"
         "    - {from: a, to: s1, rate: 100Gbps, latency: 1us}\n"
         "    - {from: b, to: s1, rate: 100Gbps, latency: 1us}\n"
         "    - {from: b, to: s2, rate: 100Gbps, latency: 1us}\n"
         "    - {from: c, to: s2, rate: 100Gbps, latency: 1us}\n" +
         more + "jobs:\n  - " + job + "\n";
}

Result<Experiment> experiment_of(const std::string& text) {
  const auto loaded = load_scenario_text(text, "t.yaml");
  if (!loaded.ok()) return loaded.errors();
  auto built = build_experiment(loaded.value().scenario);
  if (!built.ok()) return loaded.value().located(built.errors());
  return built;
}

TEST(RouteChecks, RefuseAJobThatSendsWhereNoRouteLeads) {
  const auto built = experiment_of(joined_by_a_host(
      "{name: x, type: messages, ranks: [a, b, c], list: [{from: 0, to: 2, size: 1MiB}]}"));
  ASSERT_FALSE(built.ok());
  EXPECT_THAT(built.errors().front().to_string(),
              AllOf(HasSubstr("t.yaml:13"), HasSubstr("jobs[0]"),
                    HasSubstr("sends from a to c, and s1 has no next hop for c"),
                    HasSubstr("hosts never forward")));
}

TEST(RouteChecks, RefuseWhatAJobMaySendByChance) {
  const auto built = experiment_of(joined_by_a_host(
      "{name: x, type: open-loop, size: 1KiB, load: 0.5, stop: 100us, ranks: [a, b, c]}"));
  ASSERT_FALSE(built.ok());
  EXPECT_THAT(built.errors().front().to_string(), HasSubstr("2 of its connections"));
}

TEST(RouteChecks, WarnOfPairsThatNoJobNeedsInEveryCommand) {
  const auto built = experiment_of(joined_by_a_host(
      "{name: x, type: messages, ranks: [a, b, c], list: [{from: 0, to: 1, size: 1MiB}]}"));
  ASSERT_TRUE(built.ok()) << built.errors().front().to_string();
  const auto warning =
      HasSubstr("1 pair of hosts cannot send to each other, such as a to c: s1 has no next hop");
  EXPECT_THAT(built.value().warnings, Contains(warning));
  EXPECT_THAT(simulate(built.value()).warnings, Contains(warning));
  EXPECT_THAT(simulate_fluid(built.value(), {}).warnings, Contains(warning));
}

// By TTL in packets, which the fluid engine does not have.
TEST(RouteChecks, NextHopsThatGoRoundAreLossForPacketsAndRefusedForAFluid) {
  const auto built = experiment_of(joined_by_a_host(
      "{name: x, type: messages, ranks: [a, b], list: [{from: 0, to: 1, size: 1KiB}]}",
      "    - {from: s1, to: s2, rate: 100Gbps, latency: 1us}\n"
      "    - {from: c, to: s1, rate: 100Gbps, latency: 1us}\n"));
  ASSERT_TRUE(built.ok()) << built.errors().front().to_string();
  EXPECT_THAT(built.value().warnings, Not(Contains(HasSubstr("goes round"))));
  const auto round = experiment_of(
      "name: t\nfabric:\n  topology: custom\n  switch: spectrum-4\n  nic: {rate: 100Gbps}\n"
      "  nodes: [{name: a, kind: host}, {name: b, kind: host}, {name: s1, kind: switch}, "
      "{name: s2, kind: switch}, {name: s3, kind: switch}]\n"
      "  links:\n"
      "    - {from: a, to: s1, rate: 100Gbps, latency: 1us}\n"
      "    - {from: s1, to: s2, rate: 100Gbps, latency: 1us}\n"
      "    - {from: s2, to: s3, rate: 100Gbps, latency: 1us}\n"
      "    - {from: b, to: s3, rate: 100Gbps, latency: 1us}\n"
      "  next_hops: [{at: s2, to: b, via: [s1]}]\n"
      "jobs: [{name: x, type: messages, list: [{from: 0, to: 1, size: 1KiB}]}]\n");
  ASSERT_TRUE(round.ok()) << round.errors().front().to_string();
  EXPECT_THAT(round.value().warnings,
              Contains(AllOf(HasSubstr("job x sends from a to b"), HasSubstr("goes round at"))));
  ASSERT_FALSE(check_fluid(round.value()).empty());
  EXPECT_THAT(check_fluid(round.value()).front().to_string(), HasSubstr("goes round at"));
}

constexpr const char* kTwoTiers = R"(
name: t
racks: {count: 2, servers: 2, server: host-400g}
fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}
jobs: [{name: m, type: messages, list: [{from: 0, to: 2, size: 64KiB}]}]
)";

/// The set of next hops of the leaf of host 2 for it.
Routes::NextHops& last_hop(Experiment& e) {
  Routes::SwitchEntry& leaf = e.routes.switches[1];
  return e.routes.direct[leaf.direct + 2 - leaf.first_host];
}

// In every build: no assertion is needed for it.

// MODEL.md 4.1
TEST(Delivery, AtAnotherHostEndsARunByName) {
  Experiment e = experiment_of(kTwoTiers).value();
  (&last_hop(e))[0] = (&last_hop(e))[1];
  EXPECT_THAT([&e] { static_cast<void>(simulate(e)); },
              ::testing::ThrowsMessage<BrokenInvariant>(
                  HasSubstr("broken invariant: packets are delivered at their destination; one for "
                            "h2 came to h3 by leaf1")));
}

TEST(Delivery, DoesNotHappenWithoutANextHop) {
  Experiment e = experiment_of(kTwoTiers).value();
  last_hop(e).count = 0;  // then the row of the leaf counts, which has no way down to its own host
  Routes::SwitchEntry& leaf = e.routes.switches[1];
  e.routes.rows[leaf.row + e.routes.groups[0][2]].count = 0;
  const Results results = simulate(e);
  EXPECT_NE(results.outcome, Outcome::kFinished);
  EXPECT_GT(results.totals.fault_drops, 0);
  EXPECT_EQ(results.totals.packets_delivered, 0U);
}

// A sum needs the way from every member to its owner, a copy that to every member.
TEST(RouteChecks, CoverWhatScaleUpSwitchesReduceAndRepeat) {
  Experiment e = experiment_of(
                     "name: t\nracks: {count: 1, servers: 1, server: hgx-h100}\n"
                     "fabric: {topology: single-domain}\n"
                     "jobs: [{name: x, type: all-reduce, algorithm: nvls, size: 1MiB}]\n")
                     .value();
  StaticFindings findings;
  check_routes(e, Loops::kRefused, findings);
  EXPECT_TRUE(findings.errors.empty());
  for (Routes::SwitchEntry& entry : e.routes.switches) {
    e.routes.direct[entry.direct + 3 - entry.first_host].count = 0;
    e.routes.rows[entry.row + e.routes.groups[1][3]].count = 0;
  }
  check_routes(e, Loops::kRefused, findings);
  ASSERT_FALSE(findings.errors.empty());
  EXPECT_THAT(findings.errors.front().message,
              AllOf(HasSubstr("sends from gpu0 to gpu3"), HasSubstr("has no next hop for gpu3"),
                    HasSubstr("of its connections are like that")));
}

/// A fat tree whose hashes are as said, with jobs as said.
std::string fat_tree(const std::string& fabric, const std::string& job) {
  return "name: t\nfabric: {topology: fat-tree, k: 4, server: host-400g, switch: spectrum-4, " +
         fabric + "}\njobs: [{name: p, " + job + "}]\n";
}
std::vector<std::string> polarisation(const std::string& text) {
  StaticFindings findings;
  check_polarisation(experiment_of(text).value(), findings);
  return findings.warnings;
}

// 4 shortest paths between pods, of which 2 remain; of 16 links up to the cores and 16 down half.
TEST(PolarisationChecks, SayHowManyPathsRemain) {
  const std::string across = "type: permutation, size: 1MiB";
  for (const char* hash : {"{seeds: same}", "{type: crc16}"}) {
    EXPECT_THAT(polarisation(fat_tree(std::string("hash: ") + hash, across)),
                ElementsAre(AllOf(HasSubstr("can take 2 of 4 shortest paths"),
                                  HasSubstr("carry nothing"))));
  }
  // Packets that draw their next hops draw by the same seeds.
  EXPECT_THAT(polarisation(fat_tree("load_balancing: spray, hash: {seeds: same}", across)),
              ElementsAre(HasSubstr("can take 2 of 4 shortest paths")));
  EXPECT_THAT(polarisation(fat_tree("hash: {seeds: same}", across)).front(),
              HasSubstr("set fabric.hash.seeds to `per-switch`"));
  EXPECT_THAT(polarisation(fat_tree("hash: {type: crc16}", across)).front(),
              HasSubstr("set fabric.hash.type to `mix`"));
}

TEST(PolarisationChecks, AreSilentWhereNothingPolarises) {
  const std::string across = "type: permutation, size: 1MiB";
  EXPECT_THAT(polarisation(fat_tree("hash: {seeds: per-switch}", across)), IsEmpty());
  EXPECT_THAT(polarisation(fat_tree("hash: {seeds: same}, load_balancing: round-robin", across)),
              IsEmpty());
  EXPECT_THAT(polarisation(fat_tree("hash: {type: crc16}, load_balancing: spray", across)),
              IsEmpty());
  // Inside a pod one switch chooses.
  EXPECT_THAT(polarisation(fat_tree("hash: {seeds: same}",
                                    "type: messages, list: [{from: 0, to: 2, size: 1KiB}]")),
              IsEmpty());
}

}  // namespace
}  // namespace weft::scenarios
