// What the program says of itself: keys, completion, manual pages, its version.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class Manual : public ::testing::Test {
 protected:
  Manual() : program_("manual") {}

  Finished run(const std::vector<std::string>& arguments, int exit_code = 0) const {
    const Finished f = program_.run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << f.err;
    return f;
  }
  Finished shell(const std::string& script) const {
    return program_.wait_for(program_.start({"bash", "-c", script, "bash", WEFT_PROGRAM}));
  }
  /// What bash offers behind these words.
  std::string completed(const std::string& words) const {
    return shell("weft() { \"" WEFT_PROGRAM
                 "\" \"$@\"; }; source <(weft completion bash); compopt() { :; }; COMP_WORDS=(" +
                 words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weft; echo ${COMPREPLY[@]}")
        .out;
  }
  /// `weft new ...`, as a topic has it.
  void makes_a_scenario(const std::string& command) const {
    std::istringstream words(command.substr(5));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    EXPECT_NE(run(arguments).out, "") << command;
  }
  std::vector<std::string> commands() const {
    std::istringstream lines(run({"--help"}).out);
    std::vector<std::string> names;
    bool is_list = false;
    for (std::string line; std::getline(lines, line);) {
      if (is_list && line.starts_with("  ") && line[2] != ' ') {
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
      }
      if (line == "Subcommands:") is_list = true;
      if (line.empty() && !names.empty()) break;
    }
    EXPECT_GT(names.size(), 15U);
    return names;
  }

  Program program_;
};

TEST_F(Manual, HelpSaysWhatAKeyOrTypeOrCommandIs) {
  EXPECT_THAT(run({"help", "fabric.ecn.kmin"}).out, HasSubstr("default"));
  EXPECT_THAT(run({"help", "fabric.ecn"}).out, HasSubstr("`weft help fabric.ecn.red`"));
  EXPECT_THAT(run({"help", "fabric.ecn.red"}).out, HasSubstr("kmax"));
  EXPECT_THAT(run({"help", "jobs.incast"}).out, HasSubstr("receiver"));
  EXPECT_THAT(run({"help", "sweep.axes"}).out, HasSubstr("zip"));
  EXPECT_THAT(run({"help", "plot"}).out, HasSubstr("--heatmap"));
  EXPECT_THAT(run({"help", "hgx-h100"}).out, HasSubstr("weft show hgx-h100"));
  EXPECT_THAT(run({"help"}).out, HasSubstr("keys of a scenario"));
  EXPECT_THAT(run({"help", "fabric.ecn.kmim"}, 2).err,
              HasSubstr("did you mean `fabric.ecn.kmin`?\n"));
}

// The key that says what a map is has an answer of its own: what may stand there, and what each is.
TEST_F(Manual, HelpSaysWhatATypeMayBe) {
  const std::string jobs = run({"help", "jobs.type"}).out;
  EXPECT_THAT(jobs, ::testing::StartsWith("jobs[0].type\n  what it does\n  value    one of\n"));
  EXPECT_THAT(jobs, HasSubstr("    incast          many senders, one receiver\n"));
  EXPECT_THAT(jobs, HasSubstr("  default  none: it must be given\n"));
  EXPECT_THAT(jobs, HasSubstr("  keys of a type: `weft help jobs.incast`\n"));
  EXPECT_EQ(run({"help", "jobs[0].type"}).out, jobs);
  const std::string topology = run({"help", "fabric.topology"}).out;
  EXPECT_THAT(topology, ::testing::StartsWith("fabric.topology\n"));
  EXPECT_THAT(topology, HasSubstr("    leaf-spine  "));
  EXPECT_THAT(run({"help", "fabric.ecn.type"}).out, HasSubstr("  default  "));
  EXPECT_THAT(run({"help", "fabric.type"}, 2).err, HasSubstr("is no key, type, command"));
}

// What results are called is known, with its unit or without: where it stands, and what it is.
TEST_F(Manual, HelpSaysWhatAResultIs) {
  const std::string mfu = run({"help", "mfu"}).out;
  EXPECT_THAT(mfu, HasSubstr("training.csv: mfu"));
  EXPECT_THAT(mfu, HasSubstr("summary.json: training[].mfu"));
  EXPECT_THAT(mfu, HasSubstr("of its peak in the format that it computes in"));
  for (const char* word : {"jct", "jct_s", "jct_seconds"}) {
    const std::string jct = run({"help", word}).out;
    EXPECT_THAT(jct, HasSubstr("job completion time")) << word;
    EXPECT_THAT(jct, HasSubstr("in s")) << word;
  }
  EXPECT_THAT(run({"help", "dollars_per_step"}).out, HasSubstr("in $"));
  EXPECT_THAT(run({"help", "mfuu"}, 2).err, HasSubstr("did you mean `mfu`?"));
}

TEST_F(Manual, HelpFindsTopicsAndMisspellings) {
  EXPECT_THAT(run({"help", "storage"}).out, HasSubstr("weft help jobs.requests "));
  EXPECT_THAT(run({"help", "oversubscription"}).out, HasSubstr("weft help fabric.spines "));
  EXPECT_THAT(run({"help", "storage"}).out, HasSubstr("weft new --storage tcp "));
  EXPECT_THAT(run({"help", "oversubscribed"}).out, HasSubstr("weft new --count 8 --oversubscr"));
  EXPECT_THAT(run({"help", "gpt"}).out, HasSubstr("weft new --count 8 --model gpt3-175b "));
  EXPECT_THAT(run({"help", "ecn"}).out, HasSubstr("weft new --job incast --sweep ecn "));
  EXPECT_THAT(run({"help", "import"}).out, HasSubstr("weft help jobs.messages "));
  EXPECT_THAT(run({"help", "machine"}).out, HasSubstr("weft new --help "));
  EXPECT_THAT(run({"help", "moe"}).out, HasSubstr("weft new --help "));
  EXPECT_THAT(run({"help", "mixture"}).out, HasSubstr("weft compare --help "));
  EXPECT_THAT(run({"help", "incident"}).out, HasSubstr("weft help faults.flapping "));
  EXPECT_THAT(run({"help", "Packet Loss"}).out, HasSubstr("scenarios/loss.yaml"));
  const std::string ecmp = run({"help", "ECMP"}).out;
  EXPECT_THAT(ecmp, HasSubstr("type: ecmp")) << "a key in upper case";
  EXPECT_THAT(ecmp, HasSubstr("weft help fabric.hash ")) << "and the topic of that name";
  EXPECT_THAT(run({"help", "kmn"}, 2).err, HasSubstr("did you mean `kmin`?\n"));
  EXPECT_THAT(run({"help", "stragler"}, 2).err, HasSubstr("did you mean `straggler`?\n"));
  EXPECT_THAT(run({"help", "oversubscribtion"}, 2).err, HasSubstr("mean `oversubscription`?\n"));
  EXPECT_THAT(run({"help", "benchcollective"}, 2).err, HasSubstr("mean `bench-collective`?\n"));
  EXPECT_THAT(run({"help", "hgx-h10"}, 2).err, HasSubstr("did you mean `hgx-h100`?\n"));
  EXPECT_THAT(run({"help", "xyzzyqwe"}, 2).err, HasSubstr("`weft help --topics` all topics\n"));
}

/// `jobs.requests` of `jobs[0].requests`: as help takes it.
std::string without_indices(std::string key) {
  for (std::size_t at = 0; (at = key.find("[0]")) != std::string::npos;) key.erase(at, 3);
  return key;
}

// What `auto` costs is not what closed forms do: the default of an execution depends on it.
TEST_F(Manual, DefaultsOfExecutionsSayWhenTheyCostNothing) {
  const std::string spoken = run({"help", "jobs.all-reduce.execution"}).out;
  EXPECT_THAT(spoken, HasSubstr("default  NCCL's and what it costs, where `algorithm: auto`"));
  EXPECT_THAT(run({"help", "jobs.all-reduce.execution.preset"}).out,
              HasSubstr("default  auto (`plain` costs nothing"));
  EXPECT_THAT(run({"help", "jobs.training.communication.execution"}).out,
              HasSubstr("default  costs nothing, as closed forms have it\n"));
}

// Whoever reads a diagnosis asks for the words in it.
TEST_F(Manual, KindsOfCulpritsAreExplained) {
  std::ifstream page(std::string(WEFT_SOURCE_DIR) + "/tools/cli/diagnose/DIAGNOSE.md");
  std::size_t kinds = 0;
  bool is_catalogue = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_catalogue = line == "## The catalogue";
    if (!is_catalogue || !line.starts_with("| `")) continue;
    const std::string kind = line.substr(3, line.find('`', 3) - 3);
    EXPECT_THAT(run({"help", kind}).out, HasSubstr(kind + ": what `weft diagnose` may find: "));
    ++kinds;
  }
  EXPECT_GE(kinds, 13U);
  EXPECT_THAT(run({"help", "gpu-direct"}).out, HasSubstr("gpu-direct-off: "));
  EXPECT_THAT(run({"help", "slow_nic"}).out, HasSubstr("weft diagnose --help"));
}

TEST_F(Manual, WhatTopicsLeadToExists) {
  std::set<std::string> keys;
  std::istringstream all_keys(run({"help", "--keys"}).out);
  for (std::string key; std::getline(all_keys, key);) keys.insert(without_indices(key));
  const std::vector<std::string> known_commands = commands();
  std::istringstream topics(run({"help", "--topics"}).out);
  std::set<std::string> words;
  std::size_t topic_count = 0;
  for (std::string topic; std::getline(topics, topic); ++topic_count) {
    for (std::size_t from = 0; from < topic.size();) {
      const std::size_t to = std::min(topic.find(", ", from), topic.size());
      EXPECT_TRUE(words.insert(topic.substr(from, to - from)).second) << topic.substr(from);
      from = to + 2;
    }
    const std::string name = topic.substr(0, topic.find(','));
    const std::string text = run({"help", name}).out;
    const std::size_t begin = ("\n" + text).find("\n" + name + ": ");
    ASSERT_NE(begin, std::string::npos) << text;
    std::istringstream lines(text.substr(text.find('\n', begin) + 1));
    std::size_t targets = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("   ")) continue;  // continues the one before
      const std::string target = line.substr(2, line.find("  ", 2) - 2);
      ++targets;
      if (target.starts_with("weft help ")) {
        const std::string key = target.substr(10);
        if (!keys.contains(without_indices(key))) run({"help", key});
      } else if (target.starts_with("weft new ") && !target.ends_with(" --help")) {
        makes_a_scenario(target);
      } else if (target.starts_with("weft ")) {
        EXPECT_TRUE(target.ends_with(" --help")) << target;
        EXPECT_THAT(known_commands, Contains(target.substr(5, target.size() - 12))) << name;
      } else {
        EXPECT_TRUE(fs::is_regular_file(fs::path(WEFT_SOURCE_DIR) / target)) << name << target;
      }
    }
    EXPECT_GT(targets, 0U) << name;
  }
  EXPECT_GT(topic_count, 35U);
}

TEST_F(Manual, TheReferenceHasScenariosAndSweeps) {
  const std::string page = run({"help", "--reference"}).out;
  EXPECT_THAT(page, HasSubstr("## Keys of a scenario"));
  EXPECT_THAT(page, HasSubstr("## Keys of a sweep"));
  EXPECT_THAT(page, HasSubstr("| `kmin` |"));
}

TEST_F(Manual, EveryCommandHasAPageThatManAccepts) {
  run({"man", "-o", "pages"});
  for (const std::string& command : commands()) {
    const fs::path page = program_.path("pages") / ("weft-" + command + ".1");
    ASSERT_TRUE(fs::exists(page)) << command;
  }
  ASSERT_TRUE(fs::exists(program_.path("pages/weft.1")));
  EXPECT_THAT(run({"man", "run"}).out, HasSubstr("\\-\\-memory\\-limit"));
  EXPECT_THAT(run({"man", "rum"}, 2).err, HasSubstr("did you mean `run`"));
  const Finished groff = shell(
      "command -v groff >/dev/null || exit 77; for page in pages/*.1; do groff -man -ww -z $page "
      "|| "
      "exit 1; done");
  if (groff.exit_code == 77) GTEST_SKIP() << "groff is not installed";
  EXPECT_EQ(groff.exit_code, 0);
  EXPECT_EQ(groff.err, "") << "warnings of groff";
}

TEST_F(Manual, BashCompletesCommandsOptionsWordsKeysAndParts) {
  EXPECT_EQ(completed("weft expo"), "export\n");
  EXPECT_THAT(completed("weft run --eng"), HasSubstr("--engine"));
  EXPECT_EQ(completed("weft run --engine fl"), "fluid\n");
  EXPECT_EQ(completed("weft run --set fabric.ecn.kmi"), "fabric.ecn.kmin=\n");
  EXPECT_EQ(completed("weft help jobs.inca"), "jobs.incast\n");
  EXPECT_EQ(completed("weft run --set 'jobs[0].sender'"), "jobs[0].senders=\n");
  EXPECT_THAT(completed("weft show gb200"), HasSubstr("gb200-nvl72"));
  EXPECT_EQ(completed("weft man estim"), "estimate\n");
}

TEST_F(Manual, EveryShellKnowsEveryCommandAndOption) {
  for (const std::string shell_name : {"bash", "zsh", "fish"}) {
    const std::string script = run({"completion", shell_name}).out;
    for (const std::string& command : commands()) {
      EXPECT_THAT(script, HasSubstr(command)) << shell_name;
    }
    for (const char* option : {"memory-limit", "heatmap", "isolated", "against"}) {
      EXPECT_THAT(script, HasSubstr(option)) << shell_name;
    }
    const Finished parsed =
        shell("command -v " + shell_name + " >/dev/null || exit 0; \"$1\" completion " +
              shell_name + " > script && " + shell_name + " -n script");
    EXPECT_EQ(parsed.exit_code, 0) << shell_name << parsed.err;
  }
  EXPECT_THAT(run({"completion", "csh"}, 2).err, HasSubstr("`csh` is not one of bash, zsh, fish"));
}

TEST_F(Manual, TheVersionNamesTheCommit) {
  const Finished git = shell("git -C '" WEFT_SOURCE_DIR "' rev-parse --short=12 HEAD 2>/dev/null");
  const std::string version = run({"--version"}).out;
  EXPECT_THAT(version, HasSubstr("weft 0."));
  if (git.exit_code != 0) GTEST_SKIP() << "no checkout";
  EXPECT_THAT(version, MatchesRegex("weft [0-9.]+ \\(commit [0-9a-f]+(, changed)?, .*\\)\n"));
}

/// What the program writes to a terminal of its own.
std::string on_terminal(std::vector<std::string> arguments, const char* no_color) {
  int master = -1;
  const pid_t child = ::forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::setenv("NO_COLOR", no_color, 1);
    std::vector<char*> argv;
    std::string program = WEFT_PROGRAM;
    argv.push_back(program.data());
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(master, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(master);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST_F(Manual, ColoursAreForTerminalsAndNoColorIsObeyed) {
  const std::vector<std::string> unknown{"help", "fabric.ecn.kmim"};
  EXPECT_THAT(on_terminal(unknown, ""),
              HasSubstr("\033[32mdid you mean `fabric.ecn.kmin`?\033[0m"));
  EXPECT_THAT(on_terminal(unknown, "1"), Not(HasSubstr("\033")));
  EXPECT_THAT(run(unknown, 2).err, Not(HasSubstr("\033")));
  EXPECT_THAT(on_terminal({"list", "switches"}, ""), HasSubstr("\033[1m"));
}

}  // namespace
}  // namespace weft::testing
