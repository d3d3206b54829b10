// Percentiles of runs that were cut off say what they are of, in everything that has them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/results/coverage.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Four senders of 64 KiB and one of 8 MiB to one host: at 100 us the four are over.
std::string five_senders(const std::string& run) {
  return "name: t\n"
         "racks: {count: 1, servers: 8, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n"
         "  - {name: short, type: incast, ranks: 0-4, senders: 4, receiver: 0, size: 64KiB}\n"
         "  - {name: long, type: messages, ranks: [5, 0], list: [{from: 0, to: 1, size: 64KiB}, "
         "{from: 0, to: 1, size: 8MiB}]}\n" +
         run;
}

Results five_senders_until(const std::string& until) {
  const std::string run = until.empty() ? "" : "run: {until: " + until + "}\n";
  return simulate(weft::testing::experiment_of_text(five_senders(run)));
}

TEST(CutOff, PercentilesSayOfWhichMessagesTheyAre) {
  const Results r = five_senders_until("100us");
  ASSERT_EQ(r.outcome, Outcome::kHorizon);
  const std::string text = summary_text(r);
  EXPECT_THAT(text, HasSubstr("message completion, of 5 of 6 messages"));
  EXPECT_THAT(text, HasSubstr("message slowdown, of 5 of 6 messages"));
  EXPECT_THAT(text, HasSubstr("packet latency, of 5 of 6 messages"));
  EXPECT_THAT(text, HasSubstr("long, of 1 of 2 messages"));
  EXPECT_THAT(text, Not(HasSubstr("short, of")));
  const nlohmann::ordered_json json = summary_json(r);
  EXPECT_EQ(json["messages"]["fct_seconds"][kCutOff], "of 5 of 6 messages");
  EXPECT_EQ(json["messages"]["slowdown"][kCutOff], "of 5 of 6 messages");
  EXPECT_EQ(json["packet_latency_seconds"][kCutOff], "of 5 of 6 messages");
  EXPECT_FALSE(json["jobs"][0]["fct_seconds"].contains(kCutOff));
  EXPECT_EQ(json["jobs"][1]["fct_seconds"][kCutOff], "of 1 of 2 messages");
  EXPECT_EQ(json["jobs"][1]["slowdown"][kCutOff], "of 1 of 2 messages");
}

// The last column of jobs.csv says it; the digest, which knows both numbers, does not cover it.
TEST(CutOff, TablesSayItInTheirLastColumn) {
  const Results r = five_senders_until("100us");
  const auto row = [&](const JobResult& job) {
    std::string text;
    JobsTable::declaration().append(text, job);
    return text;
  };
  EXPECT_STREQ(JobsTable::declaration().columns.back().name, kCutOff);
  EXPECT_FALSE(JobsTable::declaration().columns.back().is_digested);
  EXPECT_TRUE(row(r.jobs[0]).ends_with(",\n")) << row(r.jobs[0]);
  EXPECT_TRUE(row(r.jobs[1]).ends_with(",of 1 of 2 messages\n")) << row(r.jobs[1]);
}

TEST(CutOff, RunsThatFinishedSayNothing) {
  const Results r = five_senders_until("");
  ASSERT_EQ(r.outcome, Outcome::kFinished);
  EXPECT_THAT(summary_text(r), Not(HasSubstr(", of ")));
  EXPECT_THAT(summary_json(r).dump(), Not(HasSubstr(kCutOff)));
}

std::optional<double> number_at(const nlohmann::ordered_json& json, const std::string& path) {
  const auto job = [&](const std::string& start, const auto& row) -> std::optional<double> {
    const std::string key = path.substr(start.size());
    if (!row.contains(key) || !row[key].is_number()) return {};
    return row[key].template get<double>();
  };
  for (const auto& row : json["jobs"]) {
    const std::string start = "jobs." + row["name"].get<std::string>() + ".";
    if (path.starts_with(start)) return job(start, row);
  }
  if (path.starts_with("messages.")) return job("messages.", json["messages"]);
  return {};
}

// By its numbers alone a summary says the same: those that were written before it said so.
TEST(CutOff, NumbersOfASummaryTellTheSame) {
  const nlohmann::ordered_json json = summary_json(five_senders_until("100us"));
  const auto said = [&](const std::string& path) {
    return cut_off_text(coverage_at(
        path, "horizon", [&](const std::string& other) { return number_at(json, other); }));
  };
  EXPECT_EQ(said("messages.fct_seconds.p99"), "of 5 of 6 messages");
  EXPECT_EQ(said("packet_latency_seconds.max"), "of 5 of 6 messages");
  EXPECT_EQ(said("simulated_seconds"), "of 5 of 6 messages");
  EXPECT_EQ(said("jobs.long.slowdown.p50"), "of 1 of 2 messages");
  EXPECT_EQ(said("jobs.short.slowdown.p50"), std::nullopt);
  EXPECT_EQ(said("jobs.long.jct_seconds"), std::nullopt);
  EXPECT_EQ(said("network.ecn_marked"), std::nullopt);
}

TEST(CutOff, RowsOfEveryListFindTheirCounts) {
  const auto said = [](const std::string& path) {
    return cut_off_text(coverage_at(path, "horizon", [](const std::string& other) {
      if (other == "sizes.a.b.2.messages") return std::optional(9.0);
      if (other == "sizes.a.b.2.completed") return std::optional(4.0);
      if (other == "training.a.b.iterations") return std::optional(3.0);
      if (other == "jobs.a.b.messages") return std::optional(1200.0);
      if (other == "jobs.a.b.completed_messages") return std::optional(1100.0);
      if (other == "jobs.done.messages" || other == "jobs.done.completed_messages") {
        return std::optional(5.0);
      }
      if (other == "jobs.done.jct_seconds") return std::optional(1.0);
      return std::optional<double>();
    }));
  };
  EXPECT_EQ(said("sizes.a.b.2.slowdown.p99"), "of 4 of 9 messages");
  EXPECT_EQ(said("training.a.b.step_seconds.p99"), "of 3 iterations, cut off");
  EXPECT_EQ(said("training.a.b.step_seconds.mean"), std::nullopt);
  EXPECT_EQ(said("isolated.a.b.fct_p99_seconds.shared"), "of 1,100 of 1,200 messages");
  EXPECT_EQ(said("isolated.a.b.fct_p99_slowdown"), "of 1,100 of 1,200 messages");
  EXPECT_EQ(said("jobs.done.fct_seconds.p99"), std::nullopt);
}

}  // namespace
}  // namespace weft::scenarios
