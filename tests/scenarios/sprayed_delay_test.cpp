// Delay control of sprayed traffic where one of eight paths is slower than the target of all
// (Gerstein et al., "Congestion Control for Spraying with Congested Paths", arXiv 2509.07907):
// every eighth packet is 40 us late, the other seven see an idle network. What listens to the last
// delay alone takes that for congestion of all paths once per round trip and collapses; the median
// of many delays sees seven in eight, and loses only what its first windows, of which the last
// packets to come back are all late, cost.

#include <gtest/gtest.h>

#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

/// How many times its ideal time a message of 64 MiB takes.
double sprayed_slowdown(const std::string& added, int median_of) {
  const std::string text =
      "name: sprayed\n"
      "racks: {count: 2, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 8, switch: spectrum-4, load_balancing: spray}\n"
      "transport: {receiver: any-order, congestion_control: {type: swift, median_of: " +
      std::to_string(median_of) +
      "}}\n"
      "faults: [{type: link-latency, from: leaf0, to: spine3, added: " +
      added +
      ", at: 0s}]\n"
      "jobs: [{name: a, type: incast, ranks: [4, 0], senders: 1, receiver: 0, size: 64MiB}]\n";
  const auto loaded = load_scenario_text(text, "t.yaml");
  const auto experiment = build_experiment(loaded.value().scenario);
  const Results results = simulate(experiment.value());
  const JobResult& job = results.jobs[0];
  EXPECT_TRUE(job.is_finished);
  return to_seconds(job.jct) / to_seconds(job.ideal);
}

TEST(SprayedDelay, AMedianIsNotFooledByOnePathOfEight) {
  EXPECT_GT(sprayed_slowdown("40us", 1), 4);
  EXPECT_LT(sprayed_slowdown("40us", 31), 1.5);
}

TEST(SprayedDelay, WithoutSuchAPathBothAreAtLineRate) {
  EXPECT_LT(sprayed_slowdown("1ns", 1), 1.01);
  EXPECT_LT(sprayed_slowdown("1ns", 31), 1.01);
}

}  // namespace
}  // namespace weft::scenarios
