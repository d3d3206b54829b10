// `algorithm: best` against every fixed choice, packet by packet, on fabrics that people build.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::testing {
namespace {

struct ChoiceFabric {
  const char* name;
  const char* text;
  std::vector<const char*> sizes;
};

const std::vector<ChoiceFabric> kFabrics = {
    {"HGX H100, 8 GPUs",
     "racks: {count: 1, servers: 1, server: hgx-h100}\n"
     "fabric: {topology: single-domain}\n",
     {"4KiB", "256KiB", "16MiB"}},
    {"HGX H100 x 4, rails",
     "racks: {count: 4, servers: 1, server: hgx-h100}\n"
     "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
     "fabric: {topology: rail-optimised, group: 4, spines: 4, switch: quantum-2,\n"
     "         load_balancing: spray}\n"
     "transport: {type: roce, receiver: any-order, congestion_control: none}\n",
     {"4KiB", "256KiB", "8MiB"}},
    {"NVL72",
     "racks: {count: 1, servers: 1, server: gb200-nvl72}\n"
     "fabric: {topology: single-domain}\n",
     {"4KiB", "256KiB", "8MiB"}},
    {"16 servers, leaf-spine",
     "racks: {count: 4, servers: 4, server: host-400g}\n"
     "links:\n"
     "  access: {rate: 400Gbps, length: 3m, cable: copper}\n"
     "  uplink: {rate: 400Gbps, length: 30m, cable: fibre}\n"
     "fabric: {topology: leaf-spine, spines: 4, switch: spectrum-4}\n"
     "transport: {type: roce, congestion_control: none}\n",
     {"4KiB", "256KiB", "8MiB"}},
};

struct ChoiceOutcome {
  double seconds = 0;  ///< 0: refused
  std::string algorithm;
};

ChoiceOutcome run_choice(const ChoiceFabric& fabric, const std::string& operation,
                         const std::string& size, const std::string& algorithm,
                         const std::string& execution) {
  const auto loaded = scenarios::load_scenario_text(
      std::string("name: t\n") + fabric.text + "jobs:\n  - {name: a, type: " + operation +
          ", size: " + size + ", algorithm: " + algorithm + execution + "}\n",
      "t.yaml");
  EXPECT_TRUE(loaded.ok()) << loaded.errors()[0].to_string();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment) return {};
  const scenarios::Results results = scenarios::simulate(experiment.value());
  EXPECT_EQ(results.outcome, scenarios::Outcome::kFinished);
  return {to_seconds(results.jobs[0].jct), results.jobs[0].algorithm};
}

// 10 %: the cost model knows no queues, paths and buffers.
TEST(BestChoiceOnPackets, IsWithinTenPercentOfTheBestFixedChoice) {
  std::printf("%-22s %-14s %-28s %8s  %-20s %-20s %s\n", "fabric", "operation", "execution", "size",
              "best", "fastest", "ratio");
  for (const ChoiceFabric& fabric : kFabrics) {
    for (const char* name : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"}) {
      const auto operation = collectives::operation_named(name).value();
      const bool is_all_to_all = operation == collectives::Operation::kAllToAll;
      for (const char* execution : {"", ", execution: {channels: 8, chunk: 128KiB}"}) {
        if (is_all_to_all && *execution != '\0') continue;
        for (const char* size : fabric.sizes) {
          // An all-to-all has a block for every rank.
          const std::string given = is_all_to_all && std::string(size).back() == 'B' &&
                                            std::string(size).find("MiB") != std::string::npos
                                        ? "1MiB"
                                        : size;
          ChoiceOutcome fastest;
          for (const collectives::Algorithm algorithm : collectives::algorithms_for(operation)) {
            const ChoiceOutcome fixed =
                run_choice(fabric, name, given, name_of(algorithm), execution);
            if (fixed.seconds == 0) continue;
            if (fastest.seconds == 0 || fixed.seconds < fastest.seconds) fastest = fixed;
          }
          const ChoiceOutcome best = run_choice(fabric, name, given, "best", execution);
          std::printf("%-22s %-14s %-28s %8s  %-20s %-20s %.3f\n", fabric.name, name,
                      *execution != '\0' ? "8 channels, 128 KiB" : "plain", given.c_str(),
                      best.algorithm.c_str(), fastest.algorithm.c_str(),
                      best.seconds / fastest.seconds);
          std::fflush(stdout);
          EXPECT_LE(best.seconds, 1.1 * fastest.seconds);
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::testing
