// The program as a user meets it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kScenarios = std::string(WEFT_SOURCE_DIR) + "/scenarios/";

class Cli : public ::testing::Test {
 protected:
  Finished run(const std::vector<std::string>& arguments) const { return program_.run(arguments); }
  std::string read(const std::string& name) const { return program_.folder().read(name); }
  std::string digest(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"run"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.emplace_back("--json");
    const Finished f = run(all);
    EXPECT_EQ(f.exit_code, 0) << f.err;
    return nlohmann::json::parse(f.out).at("results_sha256").get<std::string>();
  }

  const Program program_{"cli"};
  const fs::path& folder_ = program_.folder().path();
};

TEST_F(Cli, RunPrintsTheSummaryAndWritesAllFiles) {
  const Finished f = run({"run", kScenarios + "incast.yaml"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  for (const char* part : {"JCT/ideal", "p99.9", "PFC pauses", "busiest ports", "packet-hops"}) {
    EXPECT_THAT(f.out, HasSubstr(part));
  }
  for (const char* file :
       {"summary.json", "jobs.csv", "messages.csv", "ports.csv", "resolved.yaml"}) {
    EXPECT_FALSE(read(std::string("results/incast-32/") + file).empty()) << file;
  }
  const auto summary = nlohmann::json::parse(read("results/incast-32/summary.json"));
  for (const char* key : {"scenario", "engine", "seed", "scenario_sha256", "simulated_seconds",
                          "wall_seconds", "events", "packet_hops", "jobs", "messages",
                          "packet_latency_seconds", "network", "results_sha256"}) {
    EXPECT_TRUE(summary.contains(key)) << key;
  }
  EXPECT_EQ(summary["messages"]["count"], 32);
  EXPECT_GE(summary["messages"]["slowdown"]["p50"], 1.0);
}

TEST_F(Cli, TwoProcessesAndTheResolvedScenarioGiveTheSameDigestAndAnotherSeedDoesNot) {
  const std::string scenario = kScenarios + "incast.yaml";
  const std::vector<std::string> jitter{"--set", "jobs[0].jitter=5us"};
  const std::string first = digest({scenario, jitter[0], jitter[1], "--out", "a"});
  EXPECT_EQ(digest({scenario, jitter[0], jitter[1], "--out", "b"}), first);
  EXPECT_EQ(digest({"a/resolved.yaml", "--out", "c"}), first);
  EXPECT_NE(digest({scenario, jitter[0], jitter[1], "--seed", "2", "--out", "d"}), first);
}

TEST_F(Cli, MalformedScenariosExitWithTwoAndNameThePlaceWithinASecond) {
  int count = 0;
  for (const auto& entry :
       fs::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/tests/scenarios/malformed")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto begin = std::chrono::steady_clock::now();
    const Finished f = run({"run", entry.path().string()});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(f.exit_code, 2) << entry.path() << f.err;
    EXPECT_THAT(f.err, HasSubstr("/malformed/"));  // the scenario, or a file that it names
    EXPECT_LT(taken.count(), 1.0) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 20);
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

TEST_F(Cli, WrongArgumentsExitWithTwo) {
  EXPECT_EQ(run({}).exit_code, 2);
  EXPECT_EQ(run({"run"}).exit_code, 2);
  EXPECT_EQ(run({"simulate", "x.yaml"}).exit_code, 2);
  EXPECT_EQ(run({"run", "missing.yaml"}).exit_code, 2);
  EXPECT_EQ(run({"run", folder_.string()}).exit_code, 2);
  EXPECT_EQ(run({"run", kScenarios + "incast.yaml", "--log", "loud"}).exit_code, 2);
  EXPECT_EQ(run({"run", kScenarios + "incast.yaml", "--engine", "steam"}).exit_code, 2);
  EXPECT_EQ(run({"run", kScenarios + "incast.yaml", "--seed", "x"}).exit_code, 2);
  const Finished typo = run({"run", kScenarios + "incast.yaml", "--set", "fabric.spinez=8"});
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_THAT(typo.err, HasSubstr("spines"));
  EXPECT_EQ(run({"--help"}).exit_code, 0);
  EXPECT_EQ(run({"--version"}).exit_code, 0);
}

TEST_F(Cli, WordsThatItDoesNotKnowAreNamedWithTheNearestThatItKnows) {
  const Finished command = run({"rum", kScenarios + "incast.yaml"});
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_EQ(command.err, "weft: `rum` is no command; did you mean `run`?\n");
  EXPECT_EQ(run({"nwe"}).err, "weft: `nwe` is no command; did you mean `new`?\n");
  const Finished option = run({"run", kScenarios + "incast.yaml", "--thread=3"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_EQ(option.err, "weft: `--thread` is no option of `run`; did you mean `--threads`?\n");
  EXPECT_THAT(run({}).err, HasSubstr("subcommand"));
}

// The examples of a command, and not those of all others.
TEST_F(Cli, HelpOfACommandShowsHowThatOneIsUsed) {
  for (const std::string command :
       {"run", "check", "compare", "platform", "schema", "estimate", "topo", "sweep", "export",
        "summarize", "plot", "show", "schedule", "bench-collective"}) {
    const std::string help = run({command, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("weft " + command)) << command;
    EXPECT_THAT(help, ::testing::Not(HasSubstr("weft list")));
  }
}

TEST_F(Cli, AFolderThatHoldsSomethingElseIsLeftAlone) {
  fs::create_directories(folder_ / "mine");
  std::ofstream(folder_ / "mine" / "thesis.tex") << "precious";
  const Finished f = run({"run", kScenarios + "incast.yaml", "--out", "mine"});
  EXPECT_EQ(f.exit_code, 2);
  EXPECT_THAT(f.err, HasSubstr("thesis.tex"));
  EXPECT_EQ(read("mine/thesis.tex"), "precious");
}

// A horizon that the scenario names is no failure.
TEST_F(Cli, ARunThatComesToItsHorizonSaysHowFarItsJobsCame) {
  const Finished f = run({"run", kScenarios + "incast.yaml", "--set", "run.until=100us"});
  EXPECT_EQ(f.exit_code, 0);
  EXPECT_EQ(f.err, "");
  EXPECT_THAT(f.out, HasSubstr("incast-32  (seed 1, packet engine)  horizon"));
  EXPECT_THAT(f.out, HasSubstr("incast is cut at the horizon of 100 us: 0 of 32 messages that it "
                               "posted are completed"));
  EXPECT_THAT(f.out, ::testing::ContainsRegex("message completion +- +- +- +-"));
  const std::string summary = read("results/incast-32-run.until=100us/summary.json");
  EXPECT_THAT(summary, HasSubstr("\"outcome\": \"horizon\""));
  const auto messages = nlohmann::json::parse(summary)["messages"];
  EXPECT_TRUE(messages["fct_seconds"]["p99"].is_null());
}

TEST_F(Cli, ARunThatDoesNotFinishExitsWithOneSaysWhoWaitsAndKeepsItsResults) {
  const Finished f = run({"run", kScenarios + "pfc-deadlock.yaml"});
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_THAT(f.err, HasSubstr("the run did not finish: deadlocked"));
  EXPECT_THAT(f.err, HasSubstr("waits"));
}

TEST_F(Cli, CtrlCLeavesTheFinishedWorkOnDisk) {
  const Finished f = program_.stopped({WEFT_PROGRAM, "run", kScenarios + "all-reduce.yaml", "--set",
                                       "jobs[0].size=64GiB", "--out", "cut"},
                                      SIGINT, "cut");
  EXPECT_EQ(f.exit_code, 1) << f.err;
  EXPECT_THAT(read("cut/summary.json"), HasSubstr("interrupted"));
  // Who waited for whom at that moment says nothing: it took ten lines.
  EXPECT_THAT(f.err, AllOf(HasSubstr("interrupted at "), Not(HasSubstr("waits"))));
  EXPECT_LE(std::count(f.err.begin(), f.err.end(), '\n'), 2) << f.err;
}

TEST_F(Cli, CheckSaysHowTheFabricIsCut) {
  const Finished f = run({"check", kScenarios + "incast.yaml", "--set", "run.partition=uplinks"});
  EXPECT_EQ(f.exit_code, 0);
  EXPECT_THAT(f.out, HasSubstr("logical processes"));
  EXPECT_THAT(f.out, HasSubstr("lookahead"));
  EXPECT_THAT(f.out, HasSubstr("leaf0[8]->spine0[0]"));
}

TEST_F(Cli, CheckSaysWhichLinksChange) {
  const Finished f = run({"check", kScenarios + "straggler.yaml", "--set",
                          "faults=[{type: link-down, from: h3, at: 1s}]"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("links.changes[0] (h40): 2 directions of the scale-out network"));
  EXPECT_THAT(f.out, HasSubstr("faults[0] (h3): 2 directions of the scale-out network"));
}

TEST_F(Cli, SchemaIsADraft202012Schema) {
  const Finished f = run({"schema"});
  EXPECT_EQ(f.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(f.out).at("$schema"),
            "https://json-schema.org/draft/2020-12/schema");
}

TEST_F(Cli, TheFluidEngineLeavesOutWhatOnlyPacketsTell) {
  const Finished f = run({"run", kScenarios + "incast.yaml", "--engine", "fluid"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("fluid engine"));
  EXPECT_THAT(f.out, HasSubstr("fabric.ecn and transport.congestion_control have no effect"));
  const auto summary = nlohmann::json::parse(read("results/incast-32-fluid/summary.json"));
  EXPECT_EQ(summary["engine"], "fluid");
  for (const char* key :
       {"network", "packet_latency_seconds", "packet_hops", "logical_processes"}) {
    EXPECT_FALSE(summary.contains(key)) << key;
  }
  for (const char* word : {"queue", "mark", "pause", "drop", "packets"}) {
    EXPECT_THAT(read("results/incast-32-fluid/ports.csv"), Not(HasSubstr(word)));
  }
}

TEST_F(Cli, IsolatedSaysHowMuchSlowerEachJobIsBesideTheOthers) {
  const std::string scenario = kScenarios + "priorities.yaml";
  const Finished f = run({"run", scenario, "--isolated", "--out", "x"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("against running alone"));
  EXPECT_THAT(read("x/isolated.csv"), HasSubstr("\ntraining,"));
  const auto summary = nlohmann::json::parse(read("x/summary.json"));
  ASSERT_EQ(summary["isolated"].size(), 3U);
  const auto& training = summary["isolated"][1];
  EXPECT_EQ(training["job"], "training");
  EXPECT_EQ(training["jct_seconds"]["shared"], summary["jobs"][1]["jct_seconds"]);
  EXPECT_NEAR(training["slowdown"].get<double>(), 4.0 / 3, 0.02);  // three quarters of the link
  // Messages are those of the run with all jobs: two long ones and five short ones.
  const std::string messages = read("x/messages.csv");
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1 + 7);
}

// It was refused, as a process runs one fluid only.
TEST_F(Cli, IsolatedRunsEachJobAloneAsAFluidToo) {
  const std::string scenario = kScenarios + "priorities.yaml";
  const Finished f = run({"run", scenario, "--isolated", "--engine", "fluid", "--out", "x"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("against running alone"));
  const auto summary = nlohmann::json::parse(read("x/summary.json"));
  EXPECT_EQ(summary["engine"], "fluid");
  ASSERT_EQ(summary["isolated"].size(), 3U);
  for (std::size_t job = 0; job < 3; ++job) {
    const auto& row = summary["isolated"][job];
    EXPECT_EQ(row["jct_seconds"]["shared"], summary["jobs"][job]["jct_seconds"]);
    EXPECT_GE(row["slowdown"].get<double>(), 0.999);
  }
  EXPECT_EQ(digest({scenario, "--isolated", "--engine", "fluid", "--out", "y"}),
            summary["results_sha256"]);
}

TEST_F(Cli, IsolatedBesideBothEnginesIsOfEachAndCompared) {
  const std::string scenario = kScenarios + "priorities.yaml";
  const Finished f = run({"run", scenario, "--isolated", "--engine", "both", "--out", "x"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("against running alone"));
  EXPECT_THAT(f.out, HasSubstr("training, slowdown"));
  for (const std::string folder : {"x", "x-fluid"}) {
    EXPECT_THAT(read(folder + "/isolated.csv"), HasSubstr("\ntraining,")) << folder;
  }
}

// The row was called `0, a step`.
TEST_F(Cli, CompareCallsAStepByItsJob) {
  std::ofstream(folder_ / "train.yaml")
      << "name: t\n"
         "racks: {count: 1, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n"
         "  - name: train\n"
         "    type: training\n"
         "    ranks: 0-3\n"
         "    model: {layers: 2, hidden: 128, heads: 4, vocabulary: 512, sequence: 32}\n"
         "    parallelism: {tensor: 2, data: 2}\n"
         "    batch: {global: 4}\n";
  for (const std::string rate : {"400Gbps", "100Gbps"}) {
    run({"run", "train.yaml", "--quiet", "--set", "links.access.rate=" + rate, "-o", rate});
  }
  EXPECT_THAT(run({"compare", "400Gbps", "100Gbps"}).out, HasSubstr("train, a step"));
}

TEST_F(Cli, FluidRunsGiveTheSameDigestTwice) {
  const std::string scenario = kScenarios + "permutation.yaml";
  const std::string first = digest({scenario, "--engine", "fluid", "--out", "a"});
  EXPECT_EQ(digest({scenario, "--engine", "fluid", "--out", "b"}), first);
  EXPECT_NE(digest({scenario, "--engine", "fluid", "--seed", "2", "--out", "c"}), first);
}

TEST_F(Cli, BothEnginesWriteTheirFoldersAndAreCompared) {
  const Finished f = run({"run", kScenarios + "incast.yaml", "--engine", "both", "--out", "x"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("fluid/packet"));
  EXPECT_THAT(f.out, HasSubstr("32 messages compared, 0 completed in one run only"));
  EXPECT_TRUE(fs::exists(folder_ / "x" / "summary.json"));
  EXPECT_TRUE(fs::exists(folder_ / "x-fluid" / "summary.json"));
  const Finished again = run({"compare", "x", "x-fluid"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(f.out, HasSubstr(again.out));
  const Finished cut = run({"run", kScenarios + "incast.yaml", "--engine", "both", "--set",
                            "run.until=100us", "--out", "y"});
  EXPECT_EQ(cut.exit_code, 0);
  EXPECT_THAT(cut.out, HasSubstr("32 messages"));
  // Either engine that does not finish makes the exit code 1.
  EXPECT_EQ(
      run({"run", kScenarios + "pfc-deadlock.yaml", "--engine", "both", "--out", "z"}).exit_code,
      1);
}

TEST_F(Cli, CompareNamesWhatItCannotRead) {
  ASSERT_EQ(run({"run", kScenarios + "incast.yaml", "--out", "x", "--quiet"}).exit_code, 0);
  const Finished missing = run({"compare", "x", "nowhere"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("nowhere/summary.json"));
  std::ofstream(folder_ / "x" / "messages.csv", std::ios::app) << "incast,1,2\n";
  const Finished row = run({"compare", "x", "x"});
  EXPECT_EQ(row.exit_code, 2);
  EXPECT_THAT(row.err, HasSubstr("x/messages.csv:34: is not a row"));
  std::ofstream(folder_ / "x" / "summary.json") << "[]";
  EXPECT_EQ(run({"compare", "x", "x"}).exit_code, 2);
}

TEST_F(Cli, PlatformWritesAFileOrStandardOutput) {
  const Finished f = run({"platform", kScenarios + "incast.yaml"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("<platform version=\"4.1\">"));
  EXPECT_EQ(run({"platform", kScenarios + "incast.yaml", "--out", "p.xml"}).exit_code, 0);
  EXPECT_EQ(read("p.xml"), f.out);
  EXPECT_EQ(run({"platform", kScenarios + "incast.yaml", "--out", "no/p.xml"}).exit_code, 1);
  const Finished large =
      run({"platform", kScenarios + "incast.yaml", "--set", "racks.count=200", "--out", "q.xml"});
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.err, HasSubstr("at most 1024 hosts"));
  EXPECT_FALSE(fs::exists(folder_ / "q.xml"));
}

TEST_F(Cli, CtrlCStopsTheFluidEngineToo) {
  // A hundred iterations, of which each takes more than a second.
  const Finished f =
      program_.stopped({WEFT_PROGRAM, "run", kScenarios + "all-reduce.yaml", "--engine", "fluid",
                        "--set", "racks.count=64", "--set", "jobs[0].size=1GiB", "--set",
                        "jobs[0].iterations=100", "--quiet", "--name", "cut"},
                       SIGINT, "cut-fluid");
  EXPECT_EQ(f.exit_code, 1) << f.err;
  EXPECT_THAT(read("results/cut-fluid/summary.json"), HasSubstr("interrupted"));
}

}  // namespace
}  // namespace weft::testing
