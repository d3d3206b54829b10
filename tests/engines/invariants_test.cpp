#include "tests/engines/invariants.hpp"

#include <string>
#include <vector>

#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

TEST(Invariants, HoldOnShippedScenariosInBothEngines) {
  const std::vector<std::vector<std::string>> shipped{
      {"incast.yaml"},
      {"incast.yaml", "jobs[0].jitter=2us", "seed=7"},
      {"all-reduce.yaml", "jobs[0].size=8MiB"},
      {"permutation.yaml", "jobs[0].size=512KiB"},
      {"permutation.yaml", "jobs[0].size=512KiB", "fabric.load_balancing=spray",
       "transport.receiver=any-order"},
      {"straggler.yaml", "jobs[0].size=2MiB", "jobs[1].size=2MiB"},
      {"pfc-headroom.yaml", "jobs[0].size=1MiB"},
      {"pfc-victim.yaml", "jobs[0].size=2MiB", "jobs[1].list[0].size=2MiB"},
      {"pfc-storm.yaml"},
      {"credit-loop.yaml", "jobs[0].list[0].size=2MiB"},
      {"priorities.yaml"}};
  for (const std::vector<std::string>& s : shipped) {
    SCOPED_TRACE(s.front());
    check_both_engines(experiment_of(s.front(), {s.begin() + 1, s.end()}));
  }
}

bool is_long(const scenarios::Experiment& e) { return message_count(e) > 3000; }

class RandomInvariants : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomInvariants, HoldInBothEngines) {
  const std::string text = RandomScenario(GetParam()).text(RandomScenario::Graphs::kNone);
  SCOPED_TRACE(text);
  const scenarios::Experiment e = experiment_of_text(text);
  if (is_long(e)) {
    GTEST_SKIP() << "left to the full label: SimGrid solves anew at every message";
  }
  check_both_engines(e);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomInvariants, swarm_seeds(1, 60),
                         ::testing::PrintToStringParamName());

TEST(Invariants, AreSkippedInFewRandomScenarios) {
  expect_few_skipped(1, 60, [](std::uint64_t seed) {
    return is_long(experiment_of_text(RandomScenario(seed).text(RandomScenario::Graphs::kNone)));
  });
}

}  // namespace
}  // namespace weft::testing
