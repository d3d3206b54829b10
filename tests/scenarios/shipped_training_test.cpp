// What shipped training scenarios say they show, smaller where that shows it as well.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using Kind = collectives::Communicator::Kind;
using Overrides = std::vector<std::string>;

Scenario shipped_scenario(const std::string& name, const Overrides& overrides) {
  const auto loaded =
      load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/" + name + ".yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  return loaded.value().scenario;
}

IterationResult first_iteration(const std::string& name, const Overrides& overrides) {
  const auto experiment = build_experiment(shipped_scenario(name, overrides));
  EXPECT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
  return simulate(experiment.value()).iterations.at(0);
}

double seconds_of(const IterationResult& i) { return to_seconds(i.end - i.start); }

double exposed_share(const IterationResult& i, Kind kind) {
  return to_seconds(i.exposed.at(static_cast<std::size_t>(kind))) / seconds_of(i);
}

double estimated_seconds(const std::string& name, const Overrides& overrides) {
  const auto estimate = estimate_scenario(shipped_scenario(name, overrides), {});
  EXPECT_TRUE(estimate.ok()) << estimate.errors().front().to_string();
  return estimate.value().jobs.at(0).training->step.seconds;
}

/// Four servers, 16 ranks per stage, and a sixteenth of the experts' exchange.
Overrides small_deepseek(const std::string& schedule) {
  return {"racks.count=4",
          "fabric.group=4",
          "jobs[0].model.experts=16",
          "jobs[0].model.sequence=256",
          "jobs[0].parallelism.data=16",
          "jobs[0].parallelism.expert=16",
          "jobs[0].batch.global=128",
          "jobs[0].parallelism.schedule=" + schedule};
}

// DualPipe hides a part of dispatch and combine behind another micro-batch; 1F1B hardly more than
// what the last layer of a stage sends on while the next micro-batch is computed.
TEST(ShippedTraining, DualPipeHidesWhatExpertsExchange) {
  const IterationResult dual = first_iteration("moe-deepseek", small_deepseek("dualpipe"));
  const IterationResult plain = first_iteration("moe-deepseek", small_deepseek("1f1b"));
  const auto expert = static_cast<std::size_t>(Kind::kExpert);
  EXPECT_GT(dual.hidden.at(expert), 0_ps);
  EXPECT_LT(plain.hidden.at(expert), dual.hidden.at(expert) / 10);
  EXPECT_LT(exposed_share(dual, Kind::kExpert), 0.85 * exposed_share(plain, Kind::kExpert));
  EXPECT_LT(seconds_of(dual), seconds_of(plain));
}

// 1F1B, where nothing overlaps: run and estimate agree on what popular experts cost, too.
TEST(ShippedTraining, PopularExpertsMakeAllWait) {
  Overrides popular = small_deepseek("1f1b");
  popular.emplace_back("jobs[0].routing.skew=1");
  popular.emplace_back("jobs[0].routing.capacity=1.25");
  const IterationResult uneven = first_iteration("moe-deepseek", popular);
  const IterationResult even = first_iteration("moe-deepseek", small_deepseek("1f1b"));
  EXPECT_GT(seconds_of(uneven), 1.05 * seconds_of(even));
  EXPECT_NEAR(seconds_of(uneven) / estimated_seconds("moe-deepseek", popular), 1, 0.05);
}

// With fewer gradients, which still are most of what is exposed.
TEST(ShippedTraining, EcmpMakesTheExchangeOfGradientsLongerThanSpraying) {
  const Overrides small{"jobs[0].model.hidden=2048", "jobs[0].model.ffn=6656",
                        "jobs[0].model.heads=16",    "jobs[0].model.vocabulary=2048",
                        "jobs[0].model.layers=4",    "jobs[0].model.sequence=64",
                        "jobs[0].batch.global=16"};
  Overrides sprayed = small;
  sprayed.emplace_back("fabric.load_balancing=spray");
  sprayed.emplace_back("transport.receiver=any-order");
  const IterationResult ecmp = first_iteration("llama3-405b-slice", small);
  const IterationResult spray = first_iteration("llama3-405b-slice", sprayed);
  EXPECT_GT(exposed_share(ecmp, Kind::kData), 0.3);
  EXPECT_GT(seconds_of(ecmp), 1.05 * seconds_of(spray));
  EXPECT_NEAR(seconds_of(spray) / estimated_seconds("llama3-405b-slice", sprayed), 1, 0.1);
}

Overrides racks_of_72(Overrides overrides) {
  overrides.insert(overrides.end(), {"racks.server={part: gb200-nvl72, gpus: 64, nics: 64}",
                                     "racks.count=1", "fabric.group=1"});
  return overrides;
}

/// How many times as long a step takes on servers of eight.
double estimated_ratio(int tensor, int batch) {
  const Overrides plan{"jobs[0].parallelism.tensor=" + std::to_string(tensor),
                       "jobs[0].parallelism.data=" + std::to_string(64 / tensor),
                       "jobs[0].batch.global=" + std::to_string(batch)};
  return estimated_seconds("scale-up-or-out", plan) /
         estimated_seconds("scale-up-or-out", racks_of_72(plan));
}

// Gradients are exchanged once per step: the more it computes, the less it matters where. What
// tensor parallelism exchanges grows with the batch.
TEST(ShippedTraining, ServersBreakEvenWithRacksOnlyWhereTensorParallelismStaysInside) {
  EXPECT_GT(estimated_ratio(8, 8), 4);
  EXPECT_GT(estimated_ratio(8, 128), 1.4);
  EXPECT_LT(estimated_ratio(8, 2048), 1.05);
  EXPECT_GT(estimated_ratio(16, 2048), 1.9);
}

TEST(ShippedTraining, AStepOnARackTakesAFractionByPacketsToo) {
  const Overrides small{"jobs[0].batch.global=8", "jobs[0].model.layers=2"};
  EXPECT_GT(seconds_of(first_iteration("scale-up-or-out", small)),
            2 * seconds_of(first_iteration("scale-up-or-out", racks_of_72(small))));
}

}  // namespace
}  // namespace weft::scenarios
