#include "scenarios/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparedRun run_of(std::vector<RunFolder::Job> jobs, std::vector<RunFolder::Message> messages) {
  ComparedRun run;
  run.folder.engine = "packet";
  run.folder.jobs = std::move(jobs);
  run.folder.messages = std::move(messages);
  return run;
}

TEST(Comparison, JobsArePairedByNameAndTheMostDifferentComesFirst) {
  const ComparedRun a =
      run_of({{"same", "incast", 1.0}, {"slower", "incast", 1.0}, {"gone", "x", 3.0}}, {});
  const ComparedRun b =
      run_of({{"slower", "incast", 2.0}, {"same", "incast", 1.0}, {"new", "x", 4.0}}, {});
  const Comparison c = compare_runs({a, b});
  ASSERT_EQ(c.jobs.size(), 3u) << "what is the same is not listed";
  EXPECT_EQ(c.jobs[0].name, "slower");
  EXPECT_EQ(c.jobs[0].values[1], 2.0);
  EXPECT_EQ(c.jobs[1].name, "gone");
  EXPECT_FALSE(c.jobs[1].values[1].has_value());
  EXPECT_EQ(c.jobs[2].name, "new");
  EXPECT_FALSE(c.jobs[2].values[0].has_value());
  // But said to be so: who compares two jobs hears of both.
  EXPECT_THAT(c.same_jobs, ::testing::ElementsAre("same"));
  EXPECT_THAT(comparison_text({a, b}, c), ::testing::HasSubstr("\n  the same in all runs: same\n"));
  EXPECT_THAT(comparison_text({a, a}, compare_runs({a, a})),
              ::testing::Not(::testing::HasSubstr("the same in all runs")));
}

TEST(Comparison, TrainingHasItsRateAndWhatItCosts) {
  ComparedRun a = run_of({{"gpt", "training", 1.0}}, {});
  ComparedRun b = a;
  a.folder.numbers = {{"training.gpt.step_seconds.mean", 2},
                      {"training.gpt.tokens_per_second", 4e6},
                      {"training.gpt.mfu", 0.4},
                      {"training.gpt.dollars_per_step", 0.5},
                      {"training.gpt.dollars_per_million_tokens", 0.0625}};
  b.folder.numbers = {{"training.gpt.step_seconds.mean", 4},
                      {"training.gpt.tokens_per_second", 2e6},
                      {"training.gpt.mfu", 0.2}};
  const Comparison c = compare_runs({a, b});
  const std::string text = comparison_text({a, b}, c);
  EXPECT_THAT(text, ::testing::ContainsRegex("gpt, trains at +4 M tokens/s +2 M tokens/s +0.500"));
  EXPECT_THAT(text, ::testing::ContainsRegex("gpt, MFU +40.0 % +20.0 % +0.500"));
  EXPECT_THAT(text, ::testing::ContainsRegex("gpt, a step costs +.0.5 +- +-"));
  EXPECT_THAT(text, ::testing::ContainsRegex("gpt, 1 M tokens cost +.0.0625 +- +-"));
  EXPECT_EQ(comparison_json({a, b}, c)["jobs"].back()["unit"], "$");
}

TEST(Comparison, MessagesArePairedByRanksAndTheirOrder) {
  // Job numbers differ between the runs; the second message 0 -> 1 is not complete in the second
  // run.
  const ComparedRun a =
      run_of({{"j", "", 1.0}, {"k", "", 1.0}},
             {{0, 0, 1, 10, 0.5, 2.0}, {0, 0, 1, 10, 0.0, 1.0}, {1, 3, 4, 10, 0.0, 5.0}});
  const ComparedRun b =
      run_of({{"k", "", 1.0}, {"j", "", 1.0}},
             {{0, 3, 4, 10, 0.0, 5.5}, {1, 0, 1, 10, 0.0, 3.0}, {1, 0, 1, 10, 0.5, {}}});
  const Comparison c = compare_runs({a, b});
  EXPECT_EQ(c.paired, 2u);
  EXPECT_EQ(c.unpaired, 1u);
  ASSERT_EQ(c.worst_messages.size(), 2u);
  EXPECT_EQ(c.worst_messages[0].first, 1.0);
  EXPECT_EQ(c.worst_messages[0].second, 3.0);
  EXPECT_EQ(c.worst_messages[1].first, 5.0);
}

TEST(Comparison, AMessageThatIsFasterCountsAsMuchAsOneThatIsSlower) {
  const ComparedRun a = run_of({{"j", "", 1.0}}, {{0, 0, 1, 1, 0.0, 1.0}, {0, 1, 2, 1, 0.0, 1.0}});
  const ComparedRun b = run_of({{"j", "", 1.0}}, {{0, 0, 1, 1, 0.0, 1.9}, {0, 1, 2, 1, 0.0, 0.5}});
  EXPECT_EQ(compare_runs({a, b}, 1).worst_messages.front().source_rank, 1u);
}

TEST(Comparison, RunsThatAreTheSameListNothing) {
  ComparedRun a = run_of({{"j", "", 1.0}}, {{0, 0, 1, 1, 0.0, 1.0}});
  a.folder.keys = {{"seed", "1"}};
  a.folder.numbers = {{"network.ecn_marked", 7}, {"messages.fct_seconds.p999", 2}};
  a.folder.port_columns = {"utilisation"};
  a.folder.ports = {{"leaf0[0]->h0", {0.5}}};
  const Comparison c = compare_runs({a, a, a});
  EXPECT_FALSE(c.has_differences());
  const std::string text = comparison_text({a, a, a}, c);
  EXPECT_THAT(text, HasSubstr("no difference"));
  EXPECT_THAT(text, Not(HasSubstr("note")));
  EXPECT_TRUE(comparison_json({a, a, a}, c)["same"].get<bool>());
}

TEST(Comparison, PercentilesOfARunThatWasCutOffSayOfWhatTheyAre) {
  ComparedRun a = run_of({{"j", "", 1.0}}, {});
  a.folder.outcome = "finished";
  a.folder.numbers = {
      {"messages.count", 32}, {"messages.completed", 32}, {"messages.fct_seconds.p999", 2}};
  ComparedRun b = a;
  b.folder.outcome = "horizon";
  b.folder.numbers = {
      {"messages.count", 32}, {"messages.completed", 7}, {"messages.fct_seconds.p999", 1}};
  const Comparison c = compare_runs({a, b});
  EXPECT_THAT(comparison_text({a, b}, c), HasSubstr("1 s, of 7 of 32 messages"));
  const auto json = comparison_json({a, b}, c);
  EXPECT_TRUE(json["messages"][0]["cut_off"][0].is_null());
  EXPECT_EQ(json["messages"][0]["cut_off"][1], "of 7 of 32 messages");
}

TEST(Comparison, SaysWhatDiffersInScenariosTailsNetworkAndPorts) {
  ComparedRun a = run_of({{"j", "", 1.0}}, {});
  a.folder.keys = {{"fabric.spines", "4"}, {"seed", "1"}};
  a.folder.numbers = {{"messages.fct_seconds.p999", 1},
                      {"jobs.j.fct_seconds.p99", 1},
                      {"network.pfc_pauses", 0},
                      {"network.packets_injected", 10}};
  a.folder.port_columns = {"bytes", "utilisation", "peak_queue_bytes"};
  a.folder.ports = {
      {"p0", {9, 0.5, 100}}, {"p1", {9, 0.5, 100}}, {"p2", {9, 0.5, 0}}, {"p3", {9, 0.5, 0}}};
  ComparedRun b = a;
  b.folder.keys[0].second = "8";
  b.folder.keys.emplace_back("faults[0].type", "link-down");
  b.folder.numbers = {{"messages.fct_seconds.p999", 3},
                      {"jobs.j.fct_seconds.p99", 1},
                      {"network.pfc_pauses", 5},
                      {"network.packets_injected", 12}};
  b.folder.ports = {{"p0", {8, 0.5, 90}}, {"p1", {8, 1.0, 100}}, {"p2", {8, 0.5, 0}}};
  const Comparison c = compare_runs({a, b});
  ASSERT_EQ(c.scenario.size(), 2u);
  EXPECT_EQ(c.scenario[0].path, "fabric.spines");
  EXPECT_EQ(c.scenario[1].values, (std::vector<std::string>{"", "link-down"}));
  ASSERT_EQ(c.tails.size(), 1u);
  EXPECT_EQ(c.tails[0].name, "all messages, p99.9");
  ASSERT_EQ(c.network.size(), 1u);
  EXPECT_EQ(c.network[0].name, "pfc_pauses");
  ASSERT_EQ(c.ports.size(), 2u);
  EXPECT_EQ(c.ports[0].name, "p1") << "its use doubled, the queue of p0 went down by a tenth";
  EXPECT_EQ(c.ports[1].numbers[0].name, "peak_queue_bytes");
  EXPECT_EQ(c.lone_ports, 1u) << "p3";
}

TEST(Comparison, CriticalPathsAddUpByJobAndCause) {
  ComparedRun a = run_of({{"j", "", 1.0}}, {});
  ComparedRun b = a;
  const auto entry = [](const char* cause, const char* culprit, std::int64_t ps) {
    BlameEntry e;
    e.job = "j";
    e.cause = cause;
    e.culprit = culprit;
    e.time = Picoseconds(ps);
    return e;
  };
  a.blame = {{entry("queueing", "p0", 100), entry("queueing", "p0", 50), entry("compute", "", 5)}};
  b.blame = {{entry("queueing", "p0", 400), entry("compute", "", 5)}};
  const Comparison c = compare_runs({a, b});
  ASSERT_EQ(c.critical_path.size(), 1u);
  EXPECT_EQ(c.critical_path[0].name, "j: queueing");
  EXPECT_DOUBLE_EQ(*c.critical_path[0].values[0], 150e-12);
  EXPECT_DOUBLE_EQ(*c.critical_path[0].values[1], 400e-12);
}

TEST(Comparison, SeveralRunsStandBesideTheFirst) {
  const std::vector<ComparedRun> runs{run_of({{"j", "", 1.0}}, {}), run_of({{"j", "", 2.0}}, {}),
                                      run_of({{"j", "", 3.0}}, {})};
  const std::string text = comparison_text(runs, compare_runs(runs));
  EXPECT_THAT(text, HasSubstr("C/A"));
  EXPECT_THAT(text, HasSubstr("3.000"));
}

TEST(Comparison, SaysWhatIsMissing) {
  ComparedRun a = run_of({{"j", "", 1.0}}, {});
  ComparedRun b = run_of({{"j", "", 2.0}}, {});
  b.folder.folder = "results/b";
  b.folder.messages.reset();
  const std::string text = comparison_text({a, b}, compare_runs({a, b}));
  EXPECT_THAT(text, HasSubstr("results/b has no messages.csv"));
  EXPECT_THAT(text, HasSubstr("--blame"));
}

}  // namespace
}  // namespace weft::scenarios
