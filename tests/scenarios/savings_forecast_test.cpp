// What reuse is predicted to save, before the run.

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/forecast.hpp"
#include "scenarios/memo/run_reuse.hpp"
#include "scenarios/memo/savings_forecast.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/reuse_runs.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;
using weft::testing::reuse_servers;
using weft::testing::reuse_training;

std::string shipped_example() {
  const std::ifstream in(WEFT_SOURCE_DIR "/scenarios/reuse.yaml");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What is simulated with reuse lies between the predicted minimum and everything.
void expect_between(const std::string& text, double max_times_min) {
  Experiment e = experiment_of_text(text);
  e.scenario.run.reuse.mode = Reuse::kOn;
  const Forecast predicted = forecast(e);
  const Results r = simulate(e);
  const auto simulated = static_cast<double>(r.reuse.simulated_hops);
  EXPECT_LT(predicted.min_hops, predicted.packet_hops);
  EXPECT_LT(predicted.min_seconds, predicted.seconds);
  EXPECT_GE(simulated, predicted.min_hops) << text;
  EXPECT_LE(simulated, predicted.packet_hops) << text;
  EXPECT_LE(simulated, predicted.min_hops * max_times_min) << text;
}

// 520 all-reduces of one size, all in one server: one of them has to be simulated, of whose
// messages of 256 packets a quarter.
TEST(SavingsForecast, OfOneKindOfCallIsOneCall) {
  const Forecast predicted = forecast(experiment_of_text(shipped_example()));
  EXPECT_EQ(predicted.packet_hops, 29'935'360);
  EXPECT_EQ(predicted.min_hops, 29'935'360.0 / 520 / 4);
  EXPECT_LT(predicted.min_seconds, predicted.seconds / 10);
}

// How much more depends on how differently ranks come to their calls: seventeen ways there, and on
// how soon messages recur.
TEST(SavingsForecast, IsAtMostWhatARunSimulates) {
  expect_between(shipped_example(), 17 * 4);
  expect_between(reuse_servers(4, reuse_training("tensor: 8, pipeline: 2, data: 2")), 20);
  expect_between(reuse_servers(4, reuse_training("tensor: 8, data: 4")), 20);
  expect_between(reuse_servers(2, reuse_training("tensor: 8, data: 2, zero: 3")), 25);
}

// All calls of this run are inside servers that are alike.
TEST(SavingsForecast, LetsFindingEndsCostAnEighthOfTheRun) {
  Experiment e =
      experiment_of_text(reuse_servers(4, reuse_training("tensor: 8", ", iterations: 10")));
  e.scenario.run.reuse.mode = Reuse::kOff;
  const Results r = simulate(e);
  const std::vector<std::uint64_t> budgets = reuse_budgets(e, find_reusable(e).domains);
  ASSERT_EQ(budgets.size(), 1U);
  EXPECT_EQ(budgets[0], r.totals.packet_hops / 8);
}

/// Two all-reduces of eight GPUs in each of two iterations, and computing after each; `after`: what
/// the second waits for.
std::string two_sums(const std::string& after) {
  return reuse_servers(
      2,
      "  - name: step\n    type: graph\n    iterations: 2\n"
      "    groups: [{name: a, kind: tensor, size: 8}, {name: b, kind: expert, size: 8}]\n"
      "    nodes:\n      - {name: sum, type: all-reduce, size: 32MiB, group: a}\n"
      "      - {name: forward, type: compute, time: 100us, after: sum}\n"
      "      - {name: other, type: all-reduce, size: 32MiB, group: b" +
          after + "}\n      - {name: update, type: compute, time: 100us, after: other}\n");
}

// What an iteration sends costs more than finding ends may: the run gives up before the second one
// could take over anything, and simulates everything.
TEST(SavingsForecast, IsNothingWhereCallsOverlapAllTheTime) {
  Experiment overlapping = experiment_of_text(two_sums(""));
  Experiment ordered = experiment_of_text(two_sums(", after: forward"));
  overlapping.scenario.run.reuse.mode = ordered.scenario.run.reuse.mode = Reuse::kOn;
  const Forecast none = forecast(overlapping);
  EXPECT_EQ(none.min_hops, none.packet_hops);
  EXPECT_EQ(none.min_seconds, none.seconds);
  const Results given_up = simulate(overlapping);
  ASSERT_EQ(given_up.reuse.refusals.size(), 1U);
  EXPECT_NE(given_up.reuse.refusals[0].find("they overlap"), std::string::npos);
  // One of each kind, of two servers and two iterations.
  EXPECT_EQ(forecast(ordered).min_hops, none.packet_hops / 4);
  EXPECT_TRUE(simulate(ordered).reuse.refusals.empty());
}

TEST(SavingsForecast, IsEverythingWhereNothingIsReused) {
  const std::string text = reuse_servers(2, reuse_training("tensor: 8, data: 2"));
  for (const std::string rest : {"run: {reuse: off}\n", "run: {reuse: verify}\n",
                                 "run: {reuse: audit}\n", "observe: {credits: true}\n"}) {
    const Forecast predicted = forecast(experiment_of_text(text + rest));
    EXPECT_EQ(predicted.min_hops, predicted.packet_hops) << rest;
    EXPECT_EQ(predicted.min_seconds, predicted.seconds) << rest;
  }
}

// The same call at the same places, whoever is slow: noise is not predicted.
// At random, all flows share links with all: each start and end is a solve of everything.
TEST(SavingsForecast, SaysWhereTheFluidEngineTakesLonger) {
  const std::string text =
      "name: t\n"
      "racks: {count: 8, servers: 8, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4, load_balancing: round-robin, "
      "ecn: none}\n"
      "transport: {type: roce, receiver: any-order, congestion_control: none}\n";
  const auto times_of = [&](const std::string& job) {
    const Experiment e = experiment_of_text(text + job);
    const Forecast f = forecast(e);
    return std::pair(fluid_seconds(e, f.messages), f.seconds);
  };
  const auto [fluid, packets] =
      times_of("jobs: [{name: a, type: open-loop, size: 128KiB, load: 1, stop: 500us}]\n");
  EXPECT_GT(fluid, 3 * packets);
  // Uplinks are asked for 3.7 times what they carry, so that flows heap up: it takes 26 s.
  EXPECT_GT(fluid, 20);
  EXPECT_LT(fluid, 35);
  const auto [calm, long_ones] = times_of("jobs: [{name: a, type: permutation, size: 64MiB}]\n");
  EXPECT_LT(calm, long_ones / 3);
}

TEST(SavingsForecast, KnowsNoNoise) {
  const std::string text = reuse_servers(2, reuse_training("tensor: 8, data: 2"));
  const std::string noisy =
      reuse_servers(2, reuse_training("tensor: 8, data: 2", ", noise: [{ranks: 3, factor: 1.5}]"));
  const std::string on = "run: {reuse: on}\n";
  EXPECT_EQ(forecast(experiment_of_text(text + on)).min_hops,
            forecast(experiment_of_text(noisy + on)).min_hops);
}

}  // namespace
}  // namespace weft::scenarios
