// Estimates of training steps beside runs by packets, term by term: exchanges of tokens, sends
// between stages.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/estimate/training_estimate.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using Kind = collectives::Communicator::Kind;
using weft::testing::experiment_of_text;

/// Two servers of eight H100; layers compute for 20 us forward.
std::string plan(const std::string& keys,
                 const std::string& model = "layers: 8, hidden: 1024, sequence: 2048",
                 const std::string& algorithm = "ring") {
  return "name: t\n"
         "racks: {count: 2, servers: 1, server: hgx-h100}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 8, switch: quantum-2, "
         "load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "jobs:\n"
         "  - name: train\n"
         "    type: training\n"
         "    communication: {algorithm: " +
         algorithm +
         "}\n"
         "    model: {heads: 8, vocabulary: 64, " +
         model +
         "}\n"
         "    compute: {layer: {forward: 20us, backward: 40us, backward_weights: 20us}, embedding: "
         "{forward: 1ns, backward: 1ns, backward_weights: 1ns}, output: {forward: 1ns, backward: "
         "1ns, backward_weights: 1ns}, optimizer: 1us}\n" +
         keys;
}

struct Beside {
  collectives::StepEstimate estimate;
  IterationResult run;
  double step = 0;  ///< of the run

  /// What the mean rank neither computes nor waits for messages.
  [[nodiscard]] double idle() const {
    return step - to_seconds(run.compute + run.exposed_in_all());
  }
  [[nodiscard]] double exposed(Kind kind) const {
    return to_seconds(run.exposed.at(static_cast<std::size_t>(kind)));
  }
};

Beside beside(const std::string& text) {
  const Experiment experiment = experiment_of_text(text);
  const Results results = simulate(experiment);
  return {estimate_training(experiment.scenario.jobs[0]).step, results.iterations.at(0),
          to_seconds(results.jobs.at(0).jct)};
}

// Algorithms that cannot exchange tokens leave that to messages sent all at once, in estimates and
// in runs. An estimate by the best algorithm was a quarter of a run in pairs.
TEST(TrainingEstimate, OfTokensIsThatOfTheAlgorithmThatCarriesThem) {
  const std::string model =
      "layers: 1, hidden: 1024, sequence: 512, experts: 16, top_k: 4, expert_ffn: 128";
  for (const std::string exchange : {"all-to-all", "low-latency"}) {
    for (const std::string algorithm : {"ring", "best"}) {
      const Beside b =
          beside(plan("    parallelism: {data: 16, expert: 16}\n    batch: {global: "
                      "16}\n    experts: {exchange: " +
                          exchange + "}\n",
                      model, algorithm));
      const double found = b.exposed(Kind::kExpert);
      EXPECT_NEAR(b.estimate.term("expert").exposed, found, 0.1 * found) << exchange << algorithm;
    }
  }
}

// A rank has one message between stages on its way at a time: forward passes of GPipe that follow
// each other send faster than links carry. What a stage waits for is a bubble until its neighbour
// has computed it, and then a send, whether these block or not.
TEST(TrainingEstimate, OfStagesHasTheirSendsAndBubblesAsRuns) {
  for (const std::string schedule : {"1f1b", "gpipe", "zb-h1"}) {
    for (const std::string stages : {"2", "4"}) {
      for (const std::string overlaps : {"true", "false"}) {
        const std::string data = stages == "2" ? "8" : "4";
        const Beside b = beside(plan("    parallelism: {pipeline: " + stages + ", data: " + data +
                                     ", schedule: " + schedule +
                                     "}\n    batch: {micro: 1, global: 32}\n    overlap: "
                                     "{gradients: false, pipeline: " +
                                     overlaps + "}\n"));
        const std::string name = schedule + stages + overlaps;
        EXPECT_NEAR(b.estimate.seconds, b.step, 0.04 * b.step) << name;
        EXPECT_NEAR(b.estimate.term("pipeline").exposed, b.exposed(Kind::kPipeline), 0.06 * b.step)
            << name;
        // What the mean rank idles once it is through is a bubble of the estimate.
        EXPECT_NEAR(b.estimate.term("bubble").exposed, b.idle(), 0.06 * b.step) << name;
      }
    }
  }
}

}  // namespace
}  // namespace weft::scenarios
