// Transports and congestion controls of single jobs and traffic classes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kTwoRacks =
    "name: own\n"
    "racks: {count: 2, servers: 4, server: host-400g}\n"
    "fabric: {topology: leaf-spine, spines: 2, load_balancing: BALANCING, classes: [CLASSES]}\n";
const std::string kPlainClasses = "{name: low}, {name: high}";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

std::string fabric(const std::string& balancing = "ecmp",
                   const std::string& classes = kPlainClasses) {
  return replaced(replaced(kTwoRacks, "BALANCING", balancing), "CLASSES", classes);
}

Result<Experiment> build_own(const std::string& text) {
  const auto loaded = load_scenario_text(text, "t.yaml");
  if (!loaded) return loaded.errors();
  auto experiment = build_experiment(loaded.value().scenario);
  if (!experiment) return loaded.value().located(experiment.errors());
  return experiment;
}

Results run_own(const std::string& text) {
  const auto experiment = build_own(text);
  if (!experiment.ok()) {
    ADD_FAILURE() << experiment.errors()[0].to_string();
    return {};
  }
  return simulate(experiment.value());
}

std::string transport_error(const std::string& text) {
  const auto experiment = build_own(text);
  return experiment.ok() ? "" : experiment.errors()[0].to_string();
}

std::string incast_over(const std::string& more) {
  return "jobs: [{name: a, type: incast, size: 300KB, class: high" + more + "}]\n";
}

struct Way {
  const char* balancing;
  const char* transport;
};
const std::vector<Way> kWays = {
    {"ecmp", "{congestion_control: none}"},
    {"ecmp", "{congestion_control: swift, mtu: 1024B}"},
    {"ecmp", "{queue_pairs: 3, queue_pair_use: bidirectional, window: 20}"},
    {"ecmp", "{type: datagram, mtu: 2KiB}"},
    {"spray", "{receiver: any-order, ack: {every: 4, priority: high}}"},
};

// Of a job that is alone it does not matter who named its transport. The other one is as different
// as can be.
TEST(OwnTransports, AJobRunsAsIfTheScenarioHadItsTransport) {
  for (const Way& way : kWays) {
    const std::string transport = way.transport;
    const Results all =
        run_own(fabric(way.balancing) + "transport: " + transport + "\n" + incast_over(""));
    const std::string other =
        "transport: {receiver: any-order, window: 2, retransmit_timeout: 1ms}\n";
    const Results own =
        run_own(fabric(way.balancing) + other + incast_over(", transport: " + transport));
    EXPECT_EQ(own.digest(), all.digest()) << transport;
    EXPECT_EQ(own.jobs[0].ideal, all.jobs[0].ideal) << transport;
    EXPECT_TRUE(own.jobs[0].is_finished) << transport;
    const Results without = run_own(fabric(way.balancing) + other + incast_over(""));
    EXPECT_NE(own.digest(), without.digest()) << transport;
  }
}

TEST(OwnTransports, AJobTakesThatOfItsClassUnlessItHasOne) {
  const std::string classes = "{name: low}, {name: high, transport: {congestion_control: swift}}";
  const std::string other = "transport: {window: 2}\n";
  const Results all =
      run_own(fabric() + "transport: {congestion_control: swift}\n" + incast_over(""));
  EXPECT_EQ(run_own(fabric("ecmp", classes) + other + incast_over("")).digest(), all.digest());
  const Results datagrams = run_own(fabric() + "transport: datagram\n" + incast_over(""));
  EXPECT_EQ(
      run_own(fabric("ecmp", classes) + other + incast_over(", transport: datagram")).digest(),
      datagrams.digest());
}

// On racks of their own two jobs do not meet: each takes what it takes alone.
TEST(OwnTransports, TwoJobsHaveTheirOwnSideBySide) {
  const std::string swift =
      "{name: s, type: incast, size: 300KB, ranks: 0-3, transport: {congestion_control: swift}}";
  const std::string none =
      "{name: n, type: incast, size: 300KB, ranks: 4-7, transport: {congestion_control: none, "
      "mtu: 1KiB}}";
  const Results both = run_own(fabric() + "jobs: [" + swift + ", " + none + "]\n");
  const Results first = run_own(fabric() + "jobs: [" + swift + "]\n");
  const Results second = run_own(fabric() + "jobs: [" + none + "]\n");
  ASSERT_EQ(both.jobs.size(), 2u);
  EXPECT_EQ(both.jobs[0].jct, first.jobs[0].jct);
  EXPECT_EQ(both.jobs[1].jct, second.jobs[0].jct);
  EXPECT_NE(both.jobs[0].jct, both.jobs[1].jct);
}

TEST(OwnTransports, WhatIsWrongWithThemIsSaidAtTheirPlace) {
  EXPECT_THAT(transport_error(fabric() + incast_over(", transport: {ack: {priority: middle}}")),
              HasSubstr("jobs[0].transport.ack.priority: `middle` is no traffic class"));
  EXPECT_THAT(transport_error(fabric("spray") + "transport: {receiver: any-order}\n" +
                              incast_over(", transport: datagram")),
              HasSubstr("jobs[0].transport: spraying reorders packets"));
  EXPECT_THAT(transport_error(fabric("spray", "{name: low}, {name: high, transport: datagram}") +
                              "transport: {receiver: any-order}\n" + incast_over("")),
              HasSubstr("fabric.load_balancing: spraying reorders packets"));
  EXPECT_THAT(transport_error(fabric() + incast_over(", queue_pairs: 2, transport: datagram")),
              HasSubstr("jobs[0].queue_pairs: has a meaning only with reliable connections"));
  std::string jobs = "jobs:\n";
  for (int i = 1; i <= 8; ++i) {
    jobs += "  - {name: j" + std::to_string(i) +
            ", type: permutation, size: 1KB, transport: " + "{window: " + std::to_string(i) +
            "}}\n";
  }
  EXPECT_THAT(transport_error(fabric() + jobs),
              HasSubstr("jobs[7].transport: is one more than the 8 different transports"));
}

TEST(OwnTransports, AWarningIsAboutTheTransportOfTheJob) {
  const auto warned = build_own(fabric("spray") + "transport: {receiver: any-order}\n" +
                                incast_over(", transport: {receiver: in-order}"));
  ASSERT_TRUE(warned.ok());
  EXPECT_THAT(warned.value().warnings, ElementsAre(HasSubstr("packets of class high are sprayed")));
  const auto fine = build_own(fabric("spray") + incast_over(", transport: {receiver: any-order}"));
  ASSERT_TRUE(fine.ok());
  EXPECT_TRUE(fine.value().warnings.empty());
}

}  // namespace
}  // namespace weft::scenarios
