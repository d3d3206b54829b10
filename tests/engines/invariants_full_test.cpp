#include <string>

#include "tests/engines/invariants.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

class ManyRandomInvariants : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyRandomInvariants, HoldInBothEngines) {
  // Which queue pair a message takes is known of jobs with one lane only.
  const std::string text = RandomScenario(GetParam()).text(RandomScenario::Graphs::kNone);
  SCOPED_TRACE(text);
  const scenarios::Experiment e = experiment_of_text(text);
  // The largest take minutes of solving and show nothing more.
  if (message_count(e) > 20'000) GTEST_SKIP() << "too many messages for SimGrid";
  check_both_engines(e);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyRandomInvariants, swarm_seeds(100, 300),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace weft::testing
