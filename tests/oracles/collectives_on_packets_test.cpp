// Closed forms of collectives, packet by packet, on one switch with links of one rate.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::testing {
namespace {

/// The duration of one collective among `n` ranks under a switch, in seconds.
double run(int n, const std::string& job) {
  const std::string text =
      "name: t\n"
      "racks: {count: 1, servers: " +
      std::to_string(n) +
      ", server: host-400g}\n"
      "links:\n"
      "  access: {rate: 400Gbps, length: 3m, cable: copper}\n"
      "  uplink: {rate: 400Gbps, length: 30m, cable: fibre}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
      "transport: {type: roce, congestion_control: none}\n"
      "jobs:\n"
      "  - {name: a, " +
      job + "}\n";
  const auto loaded = scenarios::load_scenario_text(text, "t.yaml");
  EXPECT_TRUE(loaded.ok()) << loaded.errors()[0].to_string();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  EXPECT_TRUE(experiment.ok()) << experiment.errors()[0].to_string();
  const scenarios::Results results = scenarios::simulate(experiment.value());
  EXPECT_EQ(results.outcome, scenarios::Outcome::kFinished);
  return to_seconds(results.jobs[0].jct);
}

struct Form {
  const char* type;
  const char* algorithm;
  double (*latencies)(double n);  ///< how many times alpha
  double (*vectors)(double n);    ///< how many times S / C
};

const std::vector<Form> kForms = {
    {"all-reduce", "ring", [](double n) { return 2 * (n - 1); },
     [](double n) { return 2 * (n - 1) / n; }},
    {"reduce-scatter", "ring", [](double n) { return n - 1; },
     [](double n) { return (n - 1) / n; }},
    {"all-reduce", "halving-doubling", [](double n) { return 2 * std::log2(n); },
     [](double n) { return 2 * (n - 1) / n; }},
    {"all-reduce", "recursive-doubling", [](double n) { return std::log2(n); },
     [](double n) { return std::log2(n); }},
};

// T = a alpha + b S/C, with the headers of 82 bytes per 4,096 and the 86 bytes of the ACK that
// comes the other way in C, where data goes both ways. alpha is what a message of one packet takes
// (or of the part, if it is shorter) less its bytes over C: measured by a send/receive. 2 %.
TEST(ClosedFormOnPackets, HoldsOnOneSwitch) {
  for (const Form& form : kForms) {
    for (const int n : {4, 16}) {
      for (const std::int64_t size :
           {std::int64_t{16} << 10, std::int64_t{1} << 20, std::int64_t{16} << 20}) {
        const double per_byte = (4178.0 + 86) / 4096 * 8 / 400e9;
        const double parts = form.vectors(n) / form.latencies(n);
        const auto packet =
            static_cast<std::int64_t>(std::min(4096.0, static_cast<double>(size) * parts));
        const double alpha = run(n, "type: send-recv, size: " + std::to_string(packet) + "B") -
                             static_cast<double>(packet) * per_byte;
        const double expected =
            form.latencies(n) * alpha + form.vectors(n) * static_cast<double>(size) * per_byte;
        const double time =
            run(n, std::string("type: ") + form.type + ", algorithm: " + form.algorithm +
                       ", size: " + std::to_string(size) + "B");
        EXPECT_NEAR(time / expected, 1, 0.02)
            << form.type << " by " << form.algorithm << ", n = " << n << ", " << size << " bytes";
      }
    }
  }
}

// A root with 2 children in a tree of 4: NICs serve queue pairs in turn, so both of its messages
// end together after 2 S/C, not one after the other, and the grandchild has its message S/C later:
// 3 S/C where the closed form of one send at a time has 2 S/C. 3 %: latencies.
TEST(ClosedFormOnPackets, ANicThatServesQueuePairsInTurnHoldsABinomialTreeUp) {
  const double vector = 16.0 * (1 << 20) * 4178 / 4096 * 8 / 400e9;
  const double time = run(4, "type: broadcast, algorithm: binomial-tree, size: 16MiB");
  EXPECT_NEAR(time / vector, 3, 0.09);
}

}  // namespace
}  // namespace weft::testing
