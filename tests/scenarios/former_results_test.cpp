// Results that were renamed are found under their present names, also in folders that the release
// before wrote.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/compare/run_folder.hpp"
#include "scenarios/results/reference.hpp"
#include "scenarios/results/summary/former_names.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(FormerResults, AreReadUnderTheirPresentNames) {
  const testing::TemporaryFolder folder("weft former results");
  std::ofstream(folder.path() / "summary.json")
      << R"({"engine": "packet", "seed": 1, "cells": 9, "scenario_sha256": "s",)"
         R"( "results_sha256": "r", "jobs": [],)"
         R"( "reuse": {"components": 2, "phases": 8, "rail_phases_simulated": 3, "leaps": 4,)"
         R"( "periods_leapt": 5},)"
         R"( "periods": {"rounds_left_out": 6, "left_out_seconds": 0.5},)"
         R"( "collectives": [{"job": "cells", "critical_path_seconds": {"left_out": 0.25}}]})";
  std::ofstream(folder.path() / "ports.csv") << "port,path_left_out_s\na,7\n";
  const auto run = read_run_folder(folder.path());
  ASSERT_TRUE(run.ok()) << run.errors().front().to_string();
  std::vector<std::string> names;
  for (const auto& [name, number] : run.value().numbers) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("seed", "logical_processes", "reuse.gpu_sets", "reuse.epochs",
                          "reuse.rail_epochs_simulated", "reuse.skips", "reuse.periods_skipped",
                          "periods.rounds_skipped", "periods.skipped_seconds",
                          "collectives.0.critical_path_seconds.skipped"));
  EXPECT_THAT(run.value().port_columns, ElementsAre("path_skipped_s"));
}

// Every kind of former name: of a key, of a value, of what a tag names, and a map where a word was.
TEST(FormerResults, OfTheScenarioAreComparedUnderTheirPresentNames) {
  const auto keys_of = [](const std::string& resolved) {
    const testing::TemporaryFolder folder("weft former keys");
    std::ofstream(folder.path() / "summary.json")
        << R"({"engine": "packet", "seed": 1, "scenario_sha256": "s", "results_sha256": "r",)"
           R"( "jobs": []})";
    std::ofstream(folder.path() / "resolved.yaml") << resolved;
    const auto run = read_run_folder(folder.path());
    EXPECT_TRUE(run.ok()) << run.errors().front().to_string();
    return run.value().keys;
  };
  const auto with = [](const std::string& cells, const std::string& chips, const std::string& none,
                       const std::string& entropy, const std::string& both_ways) {
    return "name: t\nracks: [{count: 1, servers: 1, server: {gpus: 2, scale_up: {" + chips +
           ": 2}}}]\nfabric: {topology: " + none + "}\ntransport: {type: roce, " + entropy +
           ": {type: fixed}, queue_pair_use: " + both_ways +
           "}\njobs: [{name: a, type: all-reduce, size: 1MiB}]\nrun: {" + cells + ": finest}\n";
  };
  const auto former = keys_of(with("cells", "chips", "none", "entropy", "both-ways"));
  const auto now =
      keys_of(with("partition", "switches", "single-domain", "path_selection", "bidirectional"));
  EXPECT_EQ(former, now);
  EXPECT_THAT(now, Contains(std::pair<std::string, std::string>("run.partition", "finest")));
  // What no version knows stays, and so is a difference.
  EXPECT_THAT(keys_of("name: t\nfuture: {key: 1}\n"),
              Contains(std::pair<std::string, std::string>("future.key", "1")));
}

TEST(FormerResults, HaveNamesThatWeftWritesNow) {
  std::vector<std::string> fields;
  for (const FieldReference& field : summary_record().reference()) fields.push_back(field.name);
  for (const char* name :
       {"cells", "periods.rounds_left_out", "periods.iterations_left_out",
        "periods.left_out_seconds", "collectives[].critical_path_seconds.left_out"}) {
    EXPECT_THAT(fields, AllOf(Not(Contains(name)), Contains(current_result_name(name))));
  }
  EXPECT_THAT(result_reference_text(),
              AllOf(HasSubstr("path_skipped_s"), Not(HasSubstr("path_left_out_s"))));
}

// A job may have any name, and other results have these words, too.
TEST(FormerResults, AreThoseOfTheirPlaceOnly) {
  for (const char* name : {"jobs.cells.jct_seconds", "network.cells", "phases", "leaps",
                           "jobs.reuse.phases", "logical_processes", "reuse.epochs"}) {
    EXPECT_EQ(current_result_name(name), name);
    EXPECT_EQ(former_result_warning(name), "");
  }
  EXPECT_EQ(former_result_warning("reuse.leaps"),
            "the result `reuse.leaps` is called `reuse.skips` now; the next release does not know "
            "the former name");
}

}  // namespace
}  // namespace weft::scenarios
