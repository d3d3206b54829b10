// Who is to blame in the fluid engine, which shares rates evenly: closed forms.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/run/fluid_simulation.hpp"
#include "tests/fluid/fluid_blame_check.hpp"
#include "tests/properties/blame_check.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

/// Messages of 8 MiB from two jobs to one host, and one to another that nobody shares.
constexpr const char* kTwoJobs = R"(
name: t
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 4, switch: spectrum-4}
transport: {type: roce, congestion_control: none}
jobs:
  - {name: a, type: messages, ranks: [h1, h0], list: [{from: 0, to: 1, size: 8MiB}]}
  - {name: b, type: messages, ranks: [h2, h0], list: [{from: 0, to: 1, size: 8MiB}]}
  - {name: alone, type: messages, ranks: [h3, h4], list: [{from: 0, to: 1, size: 8MiB}]}
)";

// At half of the rate half of the time is the message's own, and half the other job's.
TEST(FluidBlame, IsHalfTheOtherJobWhereTwoShare) {
  (void)in_own_process([] {
    scenarios::Experiment e = experiment_of_text(kTwoJobs);
    e.scenario.observe.blame = true;
    const scenarios::Results r = scenarios::simulate_fluid(e);
    EXPECT_EQ(blamed_times(r), measured_times(r));
    for (const std::uint32_t job : {0U, 1U}) {
      Picoseconds queueing;
      for (const scenarios::BlameResult& b : r.blame) {
        if (b.job != job || b.cause != "queueing") continue;
        EXPECT_EQ(b.culprit, r.jobs[1 - job].name);
        EXPECT_EQ(b.port, "leaf0[0]->h0");
        queueing += b.time;
      }
      EXPECT_NEAR(to_seconds(queueing), to_seconds(r.jobs[job].jct) / 2,
                  0.03 * to_seconds(r.jobs[job].jct));
    }
    for (const scenarios::BlameResult& b : r.blame) {
      EXPECT_FALSE(b.job == 2 && b.cause == "queueing");
    }
    return std::vector<std::int64_t>();
  });
}

class FluidBlameOfRandom : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FluidBlameOfRandom, AddsUp) {
  const std::string text = RandomScenario(GetParam()).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  check_fluid_blame(build_loaded(loaded.value()), text);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FluidBlameOfRandom, swarm_seeds(1, 40),
                         ::testing::PrintToStringParamName());

TEST(FluidBlame, IsSkippedInFewRandomScenarios) {
  expect_few_skipped(1, 40, [](std::uint64_t seed) {
    return !scenarios::check_fluid(experiment_of_text(RandomScenario(seed).text())).empty();
  });
}

}  // namespace
}  // namespace weft::testing
