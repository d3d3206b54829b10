// What of an exchange nothing hides, by packets: max(0, T_comm - T_overlap) within 2 % of T_comm.
// T_comm is what the exchange takes with nothing beside it, in a run of its own; T_overlap is what
// the plan has beside it, by the times of layers that the scenario gives. Where an exchange goes in
// n parts, one of them has nothing beside it: T_overlap is an n-th less, and T_comm/n is exposed at
// least.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/model/completed.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using Kind = collectives::Communicator::Kind;
using weft::testing::experiment_of_text;

constexpr double kTolerance = 0.02;
constexpr double kLayers = 8;

/// Two servers of eight H100; microseconds of a layer, forward, and twice as many backward.
std::string job(double forward_us, const std::string& keys, const std::string& model = "") {
  const std::string f = std::to_string(static_cast<int>(1000 * forward_us));
  const std::string b = std::to_string(static_cast<int>(2000 * forward_us));
  return "name: t\n"
         "racks: {count: 2, servers: 1, server: hgx-h100}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 8, switch: quantum-2, "
         "load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "jobs:\n"
         "  - name: train\n"
         "    type: training\n"
         "    communication: {algorithm: ring}\n"
         "    model: {layers: 8, hidden: 1024, heads: 8, vocabulary: 64, sequence: 512" +
         model +
         "}\n"
         "    precision: {gradients: bf16}\n"
         "    compute: {layer: {forward: " +
         f + "ns, backward: " + b + "ns, backward_weights: " + f +
         "ns}, embedding: {forward: 1ns, backward: 1ns, backward_weights: 1ns}, output: {forward: "
         "1ns, backward: 1ns, backward_weights: 1ns}, optimizer: 1us}\n" +
         keys;
}

Results run(const std::string& text) { return simulate(experiment_of_text(text)); }

double exposed(const Results& r, Kind kind) {
  return to_seconds(r.iterations.at(0).exposed.at(static_cast<std::size_t>(kind)));
}

/// In n parts, each beside computing of other parts.
double left(double communication, double beside, double n) {
  return std::max(communication / n, communication - beside * (1 - 1 / n));
}

const std::vector<std::string> kDataPlans = {"data: 8", "data: 16"};

TEST(TrainingExposed, OfGradientsIsWhatTheBackwardPassLeaves) {
  for (const std::string& plan : kDataPlans) {
    const std::string keys =
        "    parallelism: {" + plan + "}\n    batch: {global: 16}\n    overlap: {bucket: 1KB";
    const double all = exposed(run(job(1, keys + ", gradients: false}\n")), Kind::kData);
    // Of the last micro-batch's backward pass: less than the exchange takes, about as much, more.
    for (const double share : {0.3, 0.9, 2.0}) {
      const double forward_us = share * all / kLayers / 2 * 1e6;
      const double found = exposed(run(job(forward_us, keys + "}\n")), Kind::kData);
      EXPECT_NEAR(found, left(all, share * all, kLayers), kTolerance * all) << plan << share;
    }
  }
}

TEST(TrainingExposed, OfParametersIsWhatTheForwardPassLeaves) {
  for (const std::string& plan : kDataPlans) {
    const std::string keys = "    parallelism: {" + plan +
                             ", zero: 1}\n    batch: {global: 16}\n"
                             "    overlap: {bucket: 1KB, gradients: false";
    // As many bytes are scattered as are gathered.
    const double both = exposed(run(job(1, keys + "}\n")), Kind::kData);
    const double all = both / 2;
    for (const double share : {0.3, 0.9, 2.0}) {
      const double forward_us = share * all / kLayers * 1e6;
      const double found =
          exposed(run(job(forward_us, keys + ", parameters: true}\n")), Kind::kData);
      EXPECT_NEAR(found - all, left(all, share * all, kLayers), 2 * kTolerance * all)
          << plan << share;
    }
  }
}

// Experts that all tokens go to are computed while tokens are on their way.
TEST(TrainingExposed, OfExpertsIsWhatSharedExpertsLeave) {
  const std::string model = ", experts: 16, top_k: 4, expert_ffn: 512, shared_experts: 4";
  for (const char* const plan :
       {"{data: 8, expert: 8}\n    batch: {global: 8}\n    racks: 1\n",
        "{data: 16, expert: 16}\n    batch: {global: 16}\n    experts: {exchange: low-latency}\n",
        "{data: 16, expert: 16}\n    batch: {global: 16}\n    experts: {exchange: "
        "high-throughput}\n"}) {
    std::string keys = "    parallelism: " + std::string(plan) + "    overlap: {gradients: false";
    std::string found_racks = "    racks: 1\n";
    const bool is_one_server = keys.find(found_racks) != std::string::npos;
    if (is_one_server) keys.erase(keys.find(found_racks), found_racks.size());
    const double all = exposed(run(job(1, keys + "}\n", model)), Kind::kExpert);
    const double out = all / kLayers / 4;  // of a way
    for (const double share : {0.4, 3.0}) {
      // What share of a layer shared experts take is as the GPU has it.
      const double probe_us = 100;
      Experiment e = experiment_of_text(job(probe_us, keys + ", shared_experts: true}\n", model));
      auto spec = std::get<collectives::TrainingSpec>(e.scenario.jobs[0].kind);
      spec.model = collectives::completed(spec.model);
      const auto shared = collectives::layer_parts(spec, true).shared;
      const double forward_us = probe_us * share * out / to_seconds(shared.forward);
      const double ratio = to_seconds(shared.backward()) / to_seconds(shared.forward);
      const double found =
          exposed(run(job(forward_us, keys + ", shared_experts: true}\n", model)), Kind::kExpert);
      const double hidden =
          kLayers * (std::min(out, share * out) + std::min(out, ratio * share * out));
      EXPECT_NEAR(found, all - hidden, kTolerance * all) << plan << share;
    }
  }
}

}  // namespace
}  // namespace weft::scenarios
