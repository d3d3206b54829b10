#include "scenarios/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

RunFolder run_of(std::vector<RunFolder::Job> jobs, std::vector<RunFolder::Message> messages) {
  RunFolder run;
  run.jobs = std::move(jobs);
  run.messages = std::move(messages);
  return run;
}

TEST(Comparison, JobsArePairedByNameAndTheWorstComesFirst) {
  const RunFolder a =
      run_of({{"same", "incast", 1.0}, {"slower", "incast", 1.0}, {"gone", "x", 3.0}}, {});
  const RunFolder b =
      run_of({{"slower", "incast", 2.0}, {"same", "incast", 1.0}, {"new", "x", 4.0}}, {});
  const Comparison c = compare_runs(a, b);
  ASSERT_EQ(c.jobs.size(), 4u);
  EXPECT_EQ(c.jobs[0].name, "slower");
  EXPECT_EQ(c.jobs[0].second, 2.0);
  EXPECT_EQ(c.jobs[1].name, "same");
  EXPECT_FALSE(c.jobs[2].second.has_value());
  EXPECT_EQ(c.jobs[3].name, "new");
}

TEST(Comparison, MessagesArePairedByRanksAndTheirOrder) {
  // Job numbers differ between the runs; the second message 0 -> 1 is not complete in the second
  // run.
  const RunFolder a =
      run_of({{"j", "", 1.0}, {"k", "", 1.0}},
             {{0, 0, 1, 10, 0.5, 2.0}, {0, 0, 1, 10, 0.0, 1.0}, {1, 3, 4, 10, 0.0, 5.0}});
  const RunFolder b =
      run_of({{"k", "", 1.0}, {"j", "", 1.0}},
             {{0, 3, 4, 10, 0.0, 5.5}, {1, 0, 1, 10, 0.0, 3.0}, {1, 0, 1, 10, 0.5, {}}});
  const Comparison c = compare_runs(a, b);
  EXPECT_EQ(c.paired, 2u);
  EXPECT_EQ(c.unpaired, 1u);
  ASSERT_EQ(c.worst_messages.size(), 2u);
  EXPECT_EQ(c.worst_messages[0].first, 1.0);
  EXPECT_EQ(c.worst_messages[0].second, 3.0);
  EXPECT_EQ(c.worst_messages[1].first, 5.0);
  EXPECT_EQ(c.completions.back().first, 5.0);
  EXPECT_EQ(c.completions.back().second, 5.5);
}

TEST(Comparison, AMessageThatIsFasterCountsAsMuchAsOneThatIsSlower) {
  const RunFolder a = run_of({{"j", "", 1.0}}, {{0, 0, 1, 1, 0.0, 1.0}, {0, 1, 2, 1, 0.0, 1.0}});
  const RunFolder b = run_of({{"j", "", 1.0}}, {{0, 0, 1, 1, 0.0, 1.9}, {0, 1, 2, 1, 0.0, 0.5}});
  EXPECT_EQ(compare_runs(a, b, 1).worst_messages.front().source_rank, 1u);
}

TEST(Comparison, SaysWhatIsMissing) {
  RunFolder a = run_of({{"j", "", 1.0}}, {});
  RunFolder b = run_of({{"j", "", {}}}, {});
  b.folder = "results/b";
  b.messages.reset();
  b.scenario_sha256 = "other";
  const std::string text = comparison_text(a, b, compare_runs(a, b));
  EXPECT_THAT(text, HasSubstr("results/b has no messages.csv"));
  EXPECT_THAT(text, HasSubstr("the scenarios differ"));
}

}  // namespace
}  // namespace weft::scenarios
