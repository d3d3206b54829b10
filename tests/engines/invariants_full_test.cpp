#include <string>

#include "tests/engines/invariants.hpp"

namespace weft::testing {
namespace {

class ManyRandomInvariants : public ::testing::TestWithParam<int> {};

TEST_P(ManyRandomInvariants, HoldInBothEngines) {
  // Which queue pair a message takes is known of jobs with one lane only.
  const std::string text =
      RandomScenario(static_cast<std::uint64_t>(GetParam())).text(RandomScenario::Graphs::kNone);
  SCOPED_TRACE(text);
  const scenarios::Experiment e = experiment_of_text(text);
  // The largest take minutes of solving and show nothing more.
  if (message_count(e) > 20'000) GTEST_SKIP() << "too many messages for SimGrid";
  check_both_engines(e);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyRandomInvariants, ::testing::Range(100, 400));

}  // namespace
}  // namespace weft::testing
