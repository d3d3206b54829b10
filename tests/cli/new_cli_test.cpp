// A first scenario, and what else is done before one runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kShipped = std::string(WEFT_SOURCE_DIR) + "/scenarios/";

class New : public ::testing::Test {
 protected:
  New() : program_("new") {}

  Finished run(const std::vector<std::string>& arguments, int exit_code = 0) const {
    const Finished f = program_.run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << arguments.front() << f.err;
    return f;
  }
  Finished shell(const std::string& script) const {
    return program_.wait_for(program_.start({"bash", "-c", script, WEFT_PROGRAM}));
  }

  Program program_;
};

TEST_F(New, EveryMachineFabricAndJobMakesAValidScenario) {
  for (const std::string machine : {"hgx-h100", "gb200-nvl72", "host-400g", "dgx-a100"}) {
    for (const std::string fabric : {"rail-optimised", "leaf-spine"}) {
      for (const std::string job : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                    "broadcast", "incast", "permutation", "training"}) {
        const std::string file = machine + fabric + job + ".yaml";
        run({"new", "--machine", machine, "--count", "2", "--fabric", fabric, "--job", job, "-o",
             file});
        EXPECT_THAT(run({"check", file}).out, HasSubstr("first is valid")) << file;
      }
    }
  }
}

TEST_F(New, AClusterOfSeveralJobsIsWhatWasAskedFor) {
  run({"new", "--machine", "H100", "--gpus", "256", "--fabric", "rail-optimised",
       "--oversubscription", "2", "--job", "all-reduce", "--job", "all-to-all", "--job", "incast",
       "--name", "cluster", "-o", "c.yaml"});
  const std::string checked = run({"check", "c.yaml"}).out;
  EXPECT_THAT(checked, HasSubstr("256 hosts"));
  EXPECT_THAT(checked, HasSubstr("oversubscription 2:1"));
  EXPECT_THAT(checked, HasSubstr("3 jobs, 256 ranks"));
  const std::string text = program_.folder().read("c.yaml");
  EXPECT_THAT(text, HasSubstr("# "));
  EXPECT_THAT(text, HasSubstr("2 times the bandwidth"));
}

TEST_F(New, WhatCannotBeIsRefusedAndNoFileIsReplaced) {
  EXPECT_THAT(run({"new", "--machine", "hgx-h10"}, 2).err, HasSubstr("did you mean"));
  EXPECT_THAT(run({"new", "--gpus", "12"}, 2).err, HasSubstr("no multiple of the 8"));
  EXPECT_THAT(run({"new", "--job", "all-reduse"}, 2).err, HasSubstr("did you mean `all-reduce`"));
  EXPECT_THAT(run({"new", "--machine", "host-400g", "--count", "1"}, 2).err,
              HasSubstr("1 rank for 1 job"));
  run({"new", "-o", "x.yaml"});
  EXPECT_THAT(run({"new", "-o", "x.yaml"}, 2).err, HasSubstr("replaces no file"));
}

TEST_F(New, ScenariosComeFromStandardInputToo) {
  const Finished f = shell(
      "\"$0\" new --machine host-400g --count 4 --job permutation --size 64KiB | \"$0\" run - "
      "--json");
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("\"outcome\": \"finished\""));
  const Finished bad = shell("echo 'name: x' | \"$0\" check -");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("standard input"));
  // What reads its scenario twice reads a pipe once.
  EXPECT_EQ(
      shell("\"$0\" run - --without pauses --quiet < '" + kShipped + "incast.yaml'").exit_code, 0);
}

// Every command that writes one file, to standard output; what writes folders says so.
TEST_F(New, ADashIsStandardOutput) {
  const std::string incast = kShipped + "incast.yaml";
  run({"run", incast, "--quiet", "-o", "results"});
  std::ofstream(program_.path("sweep.yaml"))
      << "name: sizes\nscenario: " << incast << "\naxes:\n"
      << "  - {name: size, path: \"jobs[0].size\", values: [64KiB, 128KiB]}\n"
      << "objectives:\n  - {name: jct, metric: jobs.incast.jct_seconds}\n";
  run({"sweep", "sweep.yaml", "-o", "swept", "--quiet"});
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands{
      {{"topo", incast}, "incast-32"},
      {{"topo", incast, "--format", "json"}, "{"},
      {{"platform", incast}, "<?xml"},
      {{"schema"}, "{"},
      {{"schema", "--results"}, "jobs.csv"},
      {{"new", "--gpus", "16"}, "# "},
      {{"help", "kmin"}, "kmin"},
      {{"completion", "bash"}, "complete"},
      {{"man", "run"}, ".TH"},
      {{"report", "results"}, "<!DOCTYPE html>"},
      {{"export", "swept"}, "point"},
      {{"plot", "swept", "--x", "size", "--y", "jct"}, "<svg"}};
  for (auto [command, text] : commands) {
    command.insert(command.end(), {"-o", "-"});
    EXPECT_NE(run(command).out.find(text), std::string::npos) << command.front();
    EXPECT_FALSE(std::filesystem::exists(program_.path("-"))) << command.front();
    EXPECT_FALSE(std::filesystem::exists(program_.path("-.svg"))) << command.front();
  }
  EXPECT_THAT(run({"run", incast, "-o", "-"}, 2).err, HasSubstr("`--json` prints them"));
  EXPECT_THAT(run({"sweep", "sweep.yaml", "-o", "-"}, 2).err, HasSubstr("are a folder"));
}

TEST_F(New, SweepsAndScenariosAreToldApart) {
  const std::string sweep = kShipped + "sweeps/dcqcn-ecn.yaml";
  EXPECT_THAT(run({"check", sweep}).out, HasSubstr("dcqcn-ecn is a valid sweep\n  51 points"));
  EXPECT_THAT(run({"check", sweep, "--set", "sweep.seeds=x"}, 2).err, HasSubstr("seeds"));
  EXPECT_THAT(run({"run", sweep}, 2).err, HasSubstr("is a sweep: `weft sweep"));
  EXPECT_THAT(run({"sweep", kShipped + "incast.yaml"}, 2).err, HasSubstr("is a scenario"));
}

TEST_F(New, AnOptionWithoutEffectSaysSo) {
  const std::string incast = kShipped + "incast.yaml";
  EXPECT_THAT(run({"run", incast, "--json", "--quiet", "-o", "a"}).err,
              HasSubstr("--quiet has no effect beside --json"));
  EXPECT_THAT(run({"topo", incast, "--boxes", "8"}).err,
              HasSubstr("--boxes has no effect on what is no picture"));
  EXPECT_THAT(run({"schedule", "--check", "--limit", "4"}).err, HasSubstr("--limit has no effect"));
  EXPECT_EQ(run({"topo", incast}).err, "");
}

TEST_F(New, EnumerationsAreWordsAndMistakesNameTheNearest) {
  EXPECT_THAT(run({"run", "--help"}).out, HasSubstr("packet|fluid|both"));
  EXPECT_THAT(run({"run", "x.yaml", "--engine", "fliud"}, 2).err,
              HasSubstr("`fliud` is not one of packet, fluid, both; did you mean `fluid`?"));
}

}  // namespace
}  // namespace weft::testing
