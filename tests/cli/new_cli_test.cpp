// A first scenario, and what else is done before one runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/pseudo_terminal.hpp"

namespace weft::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kShipped = std::string(WEFT_SOURCE_DIR) + "/scenarios/";

class New : public ::testing::Test {
 protected:
  New() : program_("new") {}

  Finished run(const std::vector<std::string>& arguments, int exit_code = 0) const {
    Finished f = program_.run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << arguments.front() << f.err;
    return f;
  }
  Finished shell(const std::string& script) const {
    return program_.wait_for(program_.start({"bash", "-c", script, WEFT_PROGRAM}));
  }

  Program program_;
};

// Whatever is asked for of what the catalogue has: a scenario that is valid, with switches that can
// be bought, or a refusal. `ualink-pod` has no NIC, others cannot be simulated yet.
TEST_F(New, EveryMachineOfTheCatalogueMakesAValidScenarioOrIsRefused) {
  std::istringstream names(run({"list", "servers", "--names"}).out);
  int made = 0;
  for (std::string machine; std::getline(names, machine);) {
    for (const std::string fabric : {"", "rail-optimised", "leaf-spine"}) {
      std::vector<std::string> command{"new", "--machine", machine, "--job", "incast"};
      if (!fabric.empty()) command.insert(command.end(), {"--fabric", fabric});
      const Finished f = program_.run(command);
      if (f.exit_code == 2) {
        EXPECT_FALSE(f.err.empty()) << machine;
        continue;
      }
      EXPECT_EQ(f.exit_code, 0) << machine << " " << fabric << f.err;
      program_.folder().write("x.yaml", f.out);
      const std::string checked = run({"check", "x.yaml"}).out;
      EXPECT_THAT(checked, HasSubstr("first is valid")) << machine;
      EXPECT_THAT(checked, Not(HasSubstr("no such switch can be bought"))) << machine << fabric;
      ++made;
    }
  }
  EXPECT_GE(made, 30);
}

TEST_F(New, AMachineWithoutNicsIsAFabricOfItsOwn) {
  run({"new", "--machine", "ualink-pod", "--job", "permutation", "-o", "pod.yaml"});
  EXPECT_THAT(run({"check", "pod.yaml"}).out, HasSubstr("1,024 hosts"));
  EXPECT_THAT(run({"new", "--machine", "ualink-pod", "--count", "2"}, 2).err,
              HasSubstr("`ualink-pod` has no NIC, and nothing joins several of them"));
  EXPECT_THAT(run({"new", "--machine", "ualink-pod", "--fabric", "leaf-spine"}, 2).err,
              HasSubstr("--fabric: `ualink-pod` has no NIC"));
}

TEST_F(New, ALeafThatNobodySellsIsRefusedAndLeavesAreAsAskedFor) {
  EXPECT_THAT(run({"new", "--machine", "gb300-nvl72", "--fabric", "leaf-spine"}, 2).err,
              HasSubstr("choose a larger one by --switch"));
  // Four rails of 18 NICs: a leaf has as many links up as down.
  run({"new", "--machine", "gb200-nvl72", "-o", "rails.yaml"});
  EXPECT_THAT(run({"check", "rails.yaml"}).out, HasSubstr("oversubscription 1:1"));
}

TEST_F(New, AnOversubscriptionThatNoLeafHasIsRefusedWithThoseThatAre) {
  const Finished f = run({"new", "--count", "4", "--oversubscription", "3"}, 2);
  EXPECT_THAT(f.err, HasSubstr("3 is not possible with 4 machines"));
  EXPECT_THAT(f.err, HasSubstr("possible: 2.67 or 4; or 3 with 6 machines"));
  EXPECT_THAT(run({"new", "--count", "37"}, 2).err, HasSubstr("or --count 38"));
}

TEST_F(New, ModelsAreWordsAndThoseWithExpertsDivideThem) {
  EXPECT_THAT(run({"new", "--job", "training", "--model", "mixtral"}, 2).err,
              HasSubstr("`mixtral` is not one of"));
  run({"new", "--job", "training", "--model", "deepseek-v3", "-o", "m.yaml"});
  EXPECT_THAT(program_.folder().read("m.yaml"), HasSubstr("expert: 32"));
  EXPECT_EQ(run({"check", "m.yaml"}).err, "");
}

TEST_F(New, AModelIsATrainingJobAndNoOptionIsPassedOverInSilence) {
  EXPECT_THAT(run({"new", "--count", "8", "--model", "gpt3-175b"}).out,
              AllOf(HasSubstr("type: training"), HasSubstr("gpt3-175b"),
                    Not(HasSubstr("type: all-reduce"))));
  EXPECT_THAT(run({"new", "--model", "llama2-7b", "--job", "incast", "--job", "training"}).out,
              AllOf(HasSubstr("type: incast"), HasSubstr("type: training")));
  EXPECT_THAT(
      run({"new", "--model", "gpt3-175b", "--job", "all-reduce", "--job", "incast"}, 2).err,
      HasSubstr("--model: gpt3-175b is trained, and --job asks for all-reduce, incast alone; add "
                "--job training"));
  EXPECT_THAT(run({"new", "--model", "llama2-7b", "--size", "1M"}, 2).err,
              HasSubstr("--size: a training job has none"));
  EXPECT_THAT(run({"new", "--machine", "ualink-pod", "--switch", "spectrum-4"}, 2).err,
              HasSubstr("--switch: `ualink-pod` has no NIC"));
}

// Whoever says a number of GPUs alone gets a machine that was not named.
TEST_F(New, ANumberOfGpusSaysWhichMachineIsTaken) {
  const Finished taken = run({"new", "--gpus", "64"});
  EXPECT_THAT(taken.out, HasSubstr("# 8 machines of hgx-h100: 64 GPUs"));
  EXPECT_THAT(taken.err, HasSubstr("8 machines of hgx-h100, as no --machine is given"));
  EXPECT_THAT(run({"new", "--gpus", "64", "--machine", "hgx-h200"}).err, Not(HasSubstr("as no")));
  EXPECT_THAT(run({"new"}).err, Not(HasSubstr("as no")));
  EXPECT_THAT(run({"new", "--gpus", "60"}, 2).err,
              HasSubstr("--gpus: 60 is no multiple of the 8 of hgx-h100; take 56 or 64, or another "
                        "machine (--machine"));
  EXPECT_THAT(run({"new", "--gpus", "64", "--machine", "gb200-nvl72"}, 2).err,
              HasSubstr("the 72 of gb200-nvl72; take 72, or another"));
}

TEST_F(New, ASweepIsBesideItsScenarioAndRunsAsItIsWritten) {
  const std::string said =
      run({"new", "--machine", "host-400g", "--job", "incast", "--size", "64KiB", "--sweep",
           "load-balancing", "--name", "few", "-o", "few.yaml"})
          .out;
  EXPECT_THAT(said,
              ::testing::ContainsRegex("\n  12 points, about [0-9.]+ m?s of processor time "));
  EXPECT_THAT(run({"sweep", "few-sweep.yaml", "--dry-run"}).out,
              HasSubstr("few-load-balancing: 12 points"));
  EXPECT_THAT(run({"sweep", "few-sweep.yaml"}).out, HasSubstr("12 of 12 points, 0 failed"));
  EXPECT_THAT(run({"summarize", "results/few-load-balancing"}).out, HasSubstr("incast-p99"));
  // Neither file is replaced.
  EXPECT_THAT(run({"new", "--sweep", "ecn", "-o", "few.yaml"}, 2).err, HasSubstr("few.yaml: is"));
  program_.folder().write("a-sweep.yaml", "mine");
  EXPECT_THAT(run({"new", "--sweep", "ecn", "-o", "a.yaml"}, 2).err,
              HasSubstr("a-sweep.yaml: is there"));
  EXPECT_FALSE(std::filesystem::exists(program_.path("a.yaml")));
  EXPECT_EQ(program_.folder().read("a-sweep.yaml"), "mine");
  EXPECT_THAT(run({"new", "--sweep", "ecm"}, 2).err, HasSubstr("did you mean `ecn`?"));
}

TEST_F(New, ASweepOnStandardOutputHasItsScenarioInIt) {
  const Finished f = shell(
      "\"$0\" new --machine host-400g --job permutation --sweep size | \"$0\" sweep - --dry-run");
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("first-size: 5 points"));
}

// `1M` of nccl-tests is 1 MiB, which is what the file says.
TEST_F(New, ASizeMayBeWrittenAsNcclTestsHasIt) {
  const std::string said = run({"new", "--size", "1M"}).out;
  EXPECT_EQ(said, run({"new", "--size", "1MiB"}).out);
  EXPECT_THAT(said, HasSubstr("size: 1MiB"));
  EXPECT_THAT(run({"new", "--size", "1MB"}).out, HasSubstr("size: 1MB"));
  EXPECT_THAT(run({"new", "--size", "1Q"}, 2).err, HasSubstr("unknown unit `Q`"));
}

TEST_F(New, EcnBesideStorageIsAskedInOneCommand) {
  run({"new", "--machine", "host-400g", "--job", "all-reduce", "--size", "1MiB", "--storage",
       "roce", "--sweep", "ecn", "-o", "both.yaml"});
  const std::string ran = run({"run", "both.yaml"}).out;
  EXPECT_THAT(ran, ::testing::ContainsRegex("storage +requests"));
  EXPECT_THAT(run({"check", "both-sweep.yaml"}).out, HasSubstr("is a valid sweep"));
  EXPECT_THAT(run({"new", "--storage-servers", "2"}, 2).err, HasSubstr("requires --storage"));
}

TEST_F(New, EveryFabricAndJobMakesAValidScenario) {
  for (const std::string machine : {"hgx-h100", "host-400g", "dgx-a100"}) {
    for (const std::string fabric : {"rail-optimised", "leaf-spine"}) {
      for (const std::string job : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                    "broadcast", "incast", "permutation", "training"}) {
        std::string file = machine;
        file.append(fabric).append(job).append(".yaml");
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

/// `weft new` on a terminal, with lines typed one after the other, each when it was asked for.
PseudoTerminal::End answered(const Program& program, const std::vector<std::string>& answers,
                             const std::vector<std::string>& options = {}) {
  std::vector<std::string> command{WEFT_PROGRAM, "new"};
  command.insert(command.end(), options.begin(), options.end());
  PseudoTerminal terminal(command, program.folder().path(), {{"NO_COLOR", "1"}});
  std::size_t asked = 0;
  for (const std::string& answer : answers) {
    // All questions end in `] `.
    if (!terminal.wait_for_more("] ", ++asked)) break;
    for (const char c : answer) terminal.type(c);
  }
  return terminal.finish();
}

TEST_F(New, OnATerminalEnterTakesWhatStandsInBrackets) {
  const auto end = answered(program_, std::vector<std::string>(8, "\n"), {"-o", "asked.yaml"});
  EXPECT_EQ(end.exit_code, 0) << end.text;
  EXPECT_TRUE(end.is_as_before);
  EXPECT_THAT(end.text, HasSubstr("asked.yaml; next:"));
  run({"new", "--machine", "hgx-h100", "-o", "told.yaml"});
  EXPECT_EQ(program_.folder().read("asked.yaml"), program_.folder().read("told.yaml"));
}

TEST_F(New, OnATerminalAnswersAreTaken) {
  const auto end = answered(
      program_,
      {" dgx-a100 \n", "2\n", "LEAF\n", "2\n", "training\n", "gpt3-175b\n", "tcp\n", "ecn\n"},
      {"-o", "asked.yaml"});
  EXPECT_EQ(end.exit_code, 0) << end.text;
  run({"new", "--machine", "dgx-a100", "--count", "2", "--fabric", "leaf-spine",
       "--oversubscription", "2", "--job", "training", "--model", "gpt3-175b", "--storage", "tcp",
       "--sweep", "ecn", "-o", "told.yaml"});
  EXPECT_EQ(program_.folder().read("asked.yaml"), program_.folder().read("told.yaml"));
  EXPECT_THAT(program_.folder().read("asked-sweep.yaml"), HasSubstr("scenario: asked.yaml"));
}

// What was wrong was the next default of some questions, and others took any number.
TEST_F(New, OnATerminalItAsksUntilAnAnswerWillDo) {
  const auto end = answered(
      program_, {"hgx-h10\n", "\n",    "none\n", "0\n",   "70000\n", "2\n",   "torus\n",
                 "rail\n",    "inf\n", "100\n",  "3\n",   "2\n",     "all\n", "all-gather\n",
                 "wide\n",    "0B\n",  "1MiB\n", "nfs\n", "none\n",  "none\n"},
      {"-o", "asked.yaml"});
  EXPECT_EQ(end.exit_code, 0) << end.text;
  for (const char* said :
       {"did you mean `hgx-h100`", "`70000` is not a whole number from 1 to 65536",
        "`torus` is not one of them", "`inf` is not a number from 1 to 64",
        "3 is not possible with 2 machines", "`all` is not one of them", "`nfs` is not one of them",
        "`wide` is not a size", "`0B` is nothing"}) {
    EXPECT_THAT(end.text, HasSubstr(said));
  }
  run({"new", "--machine", "hgx-h100", "--count", "2", "--oversubscription", "2", "--job",
       "all-gather", "--size", "1MiB", "-o", "told.yaml"});
  EXPECT_EQ(program_.folder().read("asked.yaml"), program_.folder().read("told.yaml"));
}

// A machine of one NIC gets leaves and spines, and there are two of it at least.
TEST_F(New, OnATerminalWhatIsOfferedSuitsTheMachine) {
  const auto end =
      answered(program_, {"host-400g\n", "1\n", "\n", "\n", "\n", "\n", "\n", "\n", "\n"},
               {"-o", "asked.yaml"});
  EXPECT_EQ(end.exit_code, 0) << end.text;
  EXPECT_THAT(end.text, HasSubstr("`1` is not a whole number from 2 to"));
  EXPECT_THAT(end.text, HasSubstr("[leaf-spine]"));
}

// It used to make up the answers that were missing.
TEST_F(New, OnATerminalNothingIsWrittenWhereTheAnswersEnd) {
  for (const std::size_t answers : {0U, 1U, 4U}) {
    std::vector<std::string> typed(answers, "\n");
    typed.emplace_back("\x04");
    const auto end = answered(program_, typed, {"-o", "ended.yaml"});
    EXPECT_EQ(end.exit_code, 2) << end.text;
    EXPECT_THAT(end.text, HasSubstr("nothing is written"));
    EXPECT_FALSE(std::filesystem::exists(program_.path("ended.yaml")));
  }
}

TEST_F(New, OnATerminalCtrlCEndsIt) {
  const auto end = answered(program_, {"\n", "\x03"}, {"-o", "ended.yaml"});
  EXPECT_EQ(end.exit_code, 128 + SIGINT);
  EXPECT_TRUE(end.is_as_before);
  EXPECT_FALSE(std::filesystem::exists(program_.path("ended.yaml")));
}

TEST_F(New, OnATerminalAFileThatIsThereIsNamedBeforeTheQuestions) {
  run({"new", "--gpus", "16", "-o", "there.yaml"});
  const auto end = answered(program_, {"\n"}, {"-o", "there.yaml"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.text, HasSubstr("replaces no file"));
  EXPECT_THAT(end.text, Not(HasSubstr("machine")));
}

}  // namespace
}  // namespace weft::testing
