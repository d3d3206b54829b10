#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/api/weft.hpp"
#include "tests/support/temporary_folder.hpp"

// The facade alone, as a program that has libweft sees it.

namespace weft::testing {
namespace {

using api::Document;

using api::Results;
using api::Scenario;

using ::testing::HasSubstr;

constexpr const char* kInCast = R"(name: few
seed: 3
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}
jobs: [{name: in, type: incast, senders: 5, receiver: 0, size: 256KiB}]
)";

Scenario scenario_of(const char* text) { return Scenario::from_text(text).value(); }

Results run_of(const Scenario& scenario, const api::RunOptions& options = {}) {
  auto results = scenario.run(options);
  EXPECT_TRUE(results.ok());
  return std::move(results).value();
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

TEST(Facade, RunsAScenarioToTablesInMemory) {
  const Results r = run_of(scenario_of(kInCast));
  EXPECT_EQ(r.outcome(), "finished");
  EXPECT_TRUE(r.is_success());
  EXPECT_EQ(r.scenario(), "few");
  EXPECT_EQ(r.seed(), 3U);
  EXPECT_EQ(r.digest().size(), 64U);
  const api::Table* const jobs = r.table("jobs");
  ASSERT_NE(jobs, nullptr);
  ASSERT_EQ(jobs->rows, 1U);
  EXPECT_EQ(jobs->column("job")->text(0), "in");
  // Five senders of 256 KiB at 400 Gbps: payload alone takes 26.2 us; headers take 1.5 % of that,
  // the way there and the last ACK some microseconds.
  const api::Column& jct = *jobs->column("jct_ps");
  EXPECT_EQ(jct.unit, "ps");
  EXPECT_GT(jct.integers[0], 26'200'000);
  EXPECT_LT(jct.integers[0], 32'000'000);
  const api::Table& messages = *r.table("messages");
  ASSERT_EQ(messages.rows, 5U);
  for (std::size_t i = 0; i < messages.rows; ++i) {
    EXPECT_EQ(messages.column("bytes")->integers[i], 256 * 1024);
    EXPECT_EQ(
        messages.column("fct_ps")->integers[i],
        messages.column("completion_ps")->integers[i] - messages.column("start_ps")->integers[i]);
  }
  EXPECT_EQ(r.table("isolated"), nullptr);
}

TEST(Facade, EveryTableAgreesWithItsDeclaration) {
  const Results r = run_of(scenario_of(kInCast));
  const std::vector<api::Table> declared = api::declared_tables();
  EXPECT_GE(declared.size(), 14U);
  for (const api::Table& table : r.tables()) {
    const auto found = std::ranges::find(declared, table.name, &api::Table::name);
    ASSERT_NE(found, declared.end()) << table.name;
    for (const api::Column& c : table.columns) {
      const api::Column* const same = found->column(c.name);
      ASSERT_NE(same, nullptr) << table.name << "." << c.name;
      EXPECT_EQ(same->type, c.type);
      EXPECT_EQ(same->unit, c.unit);
      const std::size_t rows = c.type == api::ColumnType::kFlag     ? c.flags.size()
                               : c.type == api::ColumnType::kNumber ? c.numbers.size()
                               : c.type == api::ColumnType::kText   ? c.codes.size()
                                                                    : c.integers.size();
      EXPECT_EQ(rows, table.rows) << table.name << "." << c.name;
      if (!c.may_be_missing) {
        for (std::size_t i = 0; i < rows; ++i) EXPECT_FALSE(c.is_missing(i)) << c.name;
      }
    }
  }
}

// Every packet of a run is in a bucket, and buckets do not overlap.
TEST(Facade, HistogramsHoldEveryPacket) {
  const Results r = run_of(scenario_of(kInCast));
  const api::Table& histograms = *r.table("histograms");
  std::int64_t count = 0;
  std::int64_t last = -1;
  for (std::size_t i = 0; i < histograms.rows; ++i) {
    if (!histograms.column("job")->is_missing(i)) continue;
    EXPECT_GT(histograms.column("first_ps")->integers[i], last);
    last = histograms.column("last_ps")->integers[i];
    EXPECT_GE(last, histograms.column("first_ps")->integers[i]);
    count += histograms.column("count")->integers[i];
  }
  EXPECT_GE(count, 5 * 64);  // 64 packets of 4 KiB each
}

TEST(Facade, ErrorsAreValuesWithPlaceAndSuggestion) {
  const auto none = Scenario::from_file("/nowhere/at/all.yaml");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.errors().front().to_string(), HasSubstr("/nowhere/at/all.yaml"));

  std::string text = kInCast;
  text.replace(text.find("seed"), 4, "sede");
  const auto odd = Scenario::from_text(text, "odd.yaml");
  ASSERT_TRUE(odd.ok());  // it is YAML
  const auto check = odd.value().check();
  ASSERT_FALSE(check.ok());
  const api::Error& error = check.errors().front();
  EXPECT_EQ(error.kind, api::ErrorKind::kScenario);
  EXPECT_EQ(error.file, "odd.yaml");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.column, 1);
  EXPECT_EQ(error.key, "sede");
  EXPECT_EQ(error.suggestion, "seed");
  EXPECT_FALSE(odd.value().run().ok());
  EXPECT_FALSE(odd.value().estimate().ok());
  EXPECT_FALSE(odd.value().to_yaml().ok());

  Scenario changed = scenario_of(kInCast);
  changed.set("jobs[0].size", "12 apples");
  const auto refused = changed.check();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().front().key, "jobs[0].size");
  EXPECT_THAT(refused.errors().front().file, HasSubstr("--set"));
}

TEST(Facade, CheckAndEstimateSayWhatWillBe) {
  const auto check = scenario_of(kInCast).check();
  ASSERT_TRUE(check.ok());
  EXPECT_EQ(check.value().hosts, 8U);
  EXPECT_EQ(check.value().switches, 4U);
  EXPECT_EQ(check.value().ranks, 6U);
  EXPECT_GT(check.value().packet_hops, 5 * 64 * 2);
  EXPECT_GT(check.value().lookahead_ps, 0);
  EXPECT_THAT(check.value().text, HasSubstr("few is valid\n  8 hosts, 2 switches of tier 1"));
  const auto estimate = scenario_of(kInCast).estimate({.run = true, .ideal = true});
  ASSERT_TRUE(estimate.ok());
  ASSERT_EQ(estimate.value().jobs.size(), 1U);
  EXPECT_EQ(estimate.value().jobs[0].type, "incast");
  // 5 x 256 KiB over 400 Gbps.
  EXPECT_GT(estimate.value().jobs[0].ideal_seconds.value(), 26.2e-6);
}

TEST(Facade, CheckCountsSwitchesOfServersApart) {
  // Four servers of eight GPUs and four NVSwitches each, under two leaves and two spines.
  const auto check = scenario_of(
                         "name: gpus\nracks: {count: 2, servers: 2, server: hgx-h100}\nfabric: "
                         "{topology: leaf-spine, spines: 2}\njobs: [{name: a, type: all-reduce, "
                         "size: 1MiB}]\n")
                         .check();
  ASSERT_TRUE(check.ok());
  EXPECT_EQ(check.value().switches, 20U);
  EXPECT_THAT(check.value().text,
              HasSubstr("32 hosts, 16 scale-up switches, 2 switches of tier 1"));
}

TEST(Facade, WhatIsBuiltInCodeRunsAsItsText) {
  Document d = Document::map();
  d["name"] = "few";
  d["seed"] = 3;
  d["racks"]["count"] = 2;
  d["racks"]["servers"] = 4;
  d["racks"]["server"] = "host-400g";
  d["fabric"]["topology"] = "leaf-spine";
  d["fabric"]["spines"] = 2;
  d["fabric"]["switch"] = "spectrum-4";
  Document job = Document::map();
  job["name"] = "in";
  job["type"] = "incast";
  job["senders"] = 5;
  job["receiver"] = 0;
  job["size"] = "256KiB";
  d["jobs"].push_back(job);
  const Results built = run_of(Scenario::from_document(d).value());
  const Results read = run_of(scenario_of(kInCast));
  EXPECT_EQ(built.digest(), read.digest());
  EXPECT_EQ(built.scenario_digest(), read.scenario_digest());

  d["jobs"][0]["sise"] = "1MiB";
  const auto wrong = Scenario::from_document(d).value().check();
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.errors().front().key, "jobs[0].sise");
  EXPECT_EQ(wrong.errors().front().suggestion, "size");
  EXPECT_THROW(d["name"]["key"] = 1, std::invalid_argument);
  EXPECT_THROW(d["racks"].push_back(1), std::invalid_argument);
}

TEST(Facade, ResolvedTextRunsToTheSame) {
  Scenario scenario = scenario_of(kInCast);
  scenario.set("jobs[0].size", "64KiB");
  const std::string text = scenario.to_yaml().value();
  EXPECT_EQ(run_of(scenario_of(text.c_str())).digest(), run_of(scenario).digest());
}

TEST(Facade, ProgressStopsARunWhichKeepsWhatIsComplete) {
  Scenario scenario = scenario_of(kInCast);
  scenario.set("jobs[0].size", "64MiB").set("fabric.spines", "1");
  int asked = 0;
  const Results stopped = run_of(scenario, {.progress = [&asked](const api::Progress& now) {
                                   return !now.stage.empty() || ++asked < 3;
                                 }});
  EXPECT_EQ(stopped.outcome(), "interrupted");
  EXPECT_FALSE(stopped.is_success());
  EXPECT_GT(stopped.packet_hops(), 0U);
  EXPECT_EQ(stopped.table("jobs")->rows, 1U);

  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(run_of(scenario, {.stop = stop.get_token()}).outcome(), "interrupted");
}

TEST(Facade, WhatProgressThrowsIsAnErrorOfThatRun) {
  const Scenario scenario = scenario_of(kInCast);
  const auto failed = scenario.run(
      {.progress = [](const api::Progress&) -> bool { throw std::runtime_error("no more"); }});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.errors().front().kind, api::ErrorKind::kCallback);
  EXPECT_THAT(failed.errors().front().message, HasSubstr("no more"));
  EXPECT_TRUE(scenario.run().ok());
}

TEST(Facade, RefusesWhatWouldNotFit) {
  const auto refused = scenario_of(kInCast).run({.memory_limit = 1'000'000});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().front().kind, api::ErrorKind::kRun);
  EXPECT_THAT(refused.errors().front().message, HasSubstr("memory_limit is"));
  EXPECT_FALSE(scenario_of(kInCast).run({.threads = 5'000}).ok());
}

TEST(Facade, RunsAtOnceHaveTheDigestsOfRunsInTurn) {
  const std::array<const char*, 3> sizes{"64KiB", "256KiB", "1MiB"};
  std::vector<std::string> in_turn;
  for (const char* size : sizes) {
    in_turn.push_back(run_of(scenario_of(kInCast).set("jobs[0].size", size)).digest());
  }
  for (int round = 0; round < 3; ++round) {
    std::vector<std::string> at_once(sizes.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        threads.emplace_back([&, i] {
          Scenario scenario = scenario_of(kInCast);
          scenario.set("jobs[0].size", sizes[i]);
          at_once[i] = run_of(scenario, {.threads = 2}).digest();
        });
      }
    }
    EXPECT_EQ(at_once, in_turn);
  }
  EXPECT_NE(in_turn[0], in_turn[1]);
}

TEST(Facade, WritesTheFilesOfARunWhenItIsOver) {
  const TemporaryFolder folder("facade");
  Scenario scenario = scenario_of(kInCast);
  scenario.set("observe.pauses", "true");
  const auto during = folder.path() / "during";
  const auto after = folder.path() / "after";
  const Results r = run_of(scenario, {.folder = during.string()});
  EXPECT_EQ(r.folder(), during.string());
  EXPECT_EQ(r.write(after.string()).value(), after.string());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(during)) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(content_of(entry.path()), content_of(after / name)) << name;
    ++files;
  }
  EXPECT_GE(files, 8);
  // Where something else lies nothing is written.
  std::filesystem::create_directory(folder.path() / "mine");
  std::ofstream(folder.path() / "mine" / "letter.txt") << "dear";
  EXPECT_FALSE(r.write((folder.path() / "mine").string()).ok());
  EXPECT_FALSE(scenario.run({.folder = (folder.path() / "mine").string()}).ok());
}

TEST(Facade, BytesAreTheSameResults) {
  const Results r = run_of(scenario_of(kInCast));
  const std::string bytes = r.to_bytes();
  const Results same = Results::from_bytes(bytes).value();
  EXPECT_EQ(same.digest(), r.digest());
  EXPECT_EQ(same.summary(), r.summary());
  EXPECT_EQ(same.to_bytes(), bytes);
  EXPECT_EQ(same.table("jobs")->column("jct_ps")->integers[0],
            r.table("jobs")->column("jct_ps")->integers[0]);
  EXPECT_FALSE(Results::from_bytes("results").ok());
  for (std::size_t cut = 0; cut < bytes.size(); cut += 97) {
    EXPECT_FALSE(Results::from_bytes(std::string_view(bytes).substr(0, cut)).ok()) << cut;
  }
}

TEST(Facade, IsolatedRunsFillTheirTable) {
  Scenario scenario = scenario_of(R"(name: two
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}
jobs:
  - {name: a, type: incast, senders: 2, receiver: 0, size: 256KiB}
  - {name: b, type: incast, senders: 2, receiver: 0, size: 256KiB}
)");
  const Results r = run_of(scenario, {.isolated = true});
  ASSERT_NE(r.table("isolated"), nullptr);
  EXPECT_EQ(r.table("isolated")->rows, 2U);
}

TEST(Facade, ExplainsBlameFromMemoryAsFromAFolder) {
  const TemporaryFolder folder("facade");
  Scenario scenario = scenario_of(kInCast);
  const Results without = run_of(scenario);
  ASSERT_FALSE(without.explain().ok());
  EXPECT_THAT(without.explain().errors().front().message, HasSubstr("observe.blame"));
  scenario.set("observe.blame", "true");
  const auto place = (folder.path() / "blamed").string();
  const Results blamed = run_of(scenario, {.folder = place});
  EXPECT_THAT(blamed.explain().value(), HasSubstr("Along its critical path"));
  EXPECT_EQ(blamed.explain().value(), api::explain_folder(place).value());
  EXPECT_EQ(blamed.digest(), without.digest());
  EXPECT_TRUE(api::explain_difference(blamed, blamed).ok());
}

TEST(Facade, ComparesFolders) {
  const TemporaryFolder folder("facade");
  const auto at = [&folder](const char* name) { return (folder.path() / name).string(); };
  Scenario scenario = scenario_of(kInCast);
  static_cast<void>(run_of(scenario).write(at("a")));
  static_cast<void>(run_of(scenario).write(at("same")));
  scenario.set("jobs[0].size", "512KiB");
  static_cast<void>(run_of(scenario).write(at("b")));
  EXPECT_FALSE(api::compare_folders({at("a"), at("same")}).value().has_differences);
  const api::Comparison differs = api::compare_folders({at("a"), at("b")}).value();
  EXPECT_TRUE(differs.has_differences);
  EXPECT_THAT(differs.text, HasSubstr("jobs[0].size"));
  EXPECT_FALSE(api::compare_folders({at("a")}).ok());
  EXPECT_FALSE(api::compare_folders({at("a"), at("none")}).ok());
}

TEST(Facade, SchemaIsThatOfScenarios) {
  const std::string schema = api::scenario_schema().value();
  EXPECT_THAT(schema, HasSubstr("\"fabric\""));
  EXPECT_THAT(schema, HasSubstr("2020-12"));
}

TEST(Facade, WarnsOfTracesThatNeedAFolder) {
  Scenario scenario = scenario_of(kInCast);
  scenario.set("observe.queues.ports", "all");
  const Results r = run_of(scenario);
  EXPECT_THAT(r.warnings(), ::testing::Contains(HasSubstr("folder of the results")));
}

}  // namespace
}  // namespace weft::testing
