// Names that were made to do harm: nothing of them acts on a terminal, on a reader's eye, on a
// parser or on a program that weft starts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A terminal's escape, C1's CSI, an override of direction, a line of its own, markup, entities,
/// quotes and commands.
const std::string kName =
    "\x1b[31m\xc2\x9b"
    "2J\xe2\x80\xae\nFORGED\t<b>&#27;]]>\"'\\`touch PWNED`$(touch PWNED)";

/// The same in YAML's double quotes.
constexpr const char* kYamlName =
    "\\e[31m\\x9b2J\\u202e\\nFORGED\\t<b>&#27;]]>\\\"'\\\\`touch PWNED`$(touch PWNED)";

std::string scenario() {
  const std::string name = std::string("\"") + kYamlName + "\"";
  return "name: hostile\n"
         "fabric:\n"
         "  topology: custom\n"
         "  switch: ideal\n"
         "  nodes: [{name: " +
         name +
         ", kind: host}, {name: b, kind: host}, "
         "{name: s, kind: switch}]\n"
         "  links:\n"
         "    - {from: " +
         name +
         ", to: s, rate: 100Gbps, latency: 1us}\n"
         "    - {from: b, to: s, rate: 100Gbps, latency: 1us}\n"
         "jobs: [{name: p, type: permutation, size: 1KB}]\n";
}

std::string sweep() {
  return "name: hostile\nscenario: s.yaml\naxes:\n"
         "  - {path: \"jobs[0].size\", name: \"" +
         std::string(kYamlName) +
         "\", values: [1KB, 2KB, 3KB]}\n"
         "objectives: [{metric: simulated_seconds, name: \"y" +
         kYamlName + "\"}]\n";
}

class Hostile : public ::testing::Test {
 protected:
  Hostile() : program_("hostile") {
    program_.folder().write("s.yaml", scenario());
    program_.folder().write("sweep.yaml", sweep());
  }
  ~Hostile() override { EXPECT_FALSE(fs::exists(program_.path("PWNED"))); }

  static void expect_harmless(const std::string& what, const std::string& text) {
    // Nothing is left to escape but ends of lines.
    EXPECT_EQ(escaped_lines(text), text) << what;
    // And no line is a name's.
    EXPECT_EQ(("\n" + text).find("\nFORGED"), std::string::npos) << what << ": " << text;
  }
  Finished run(const std::vector<std::string>& arguments, int exit_code = 0) const {
    const Finished f = program_.run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << arguments.front() << ": " << f.err;
    expect_harmless("stdout of " + arguments.front(), f.out);
    expect_harmless("stderr of " + arguments.front(), f.err);
    return f;
  }
  /// Well-formed and harmless; whoever has libxml2's program looks again.
  void expect_xml(const std::string& file) const {
    const std::string text = program_.folder().read(file);
    EXPECT_FALSE(text.empty()) << file;
    expect_harmless(file, text);
    const Finished f = program_.wait_for(program_.start({"xmllint", "--noout", "--nonet", file}));
    EXPECT_TRUE(f.exit_code == 0 || f.exit_code == 127) << f.err;
  }

  Program program_;
};

TEST_F(Hostile, NothingOfANameReachesTheTerminalOrTheResults) {
  EXPECT_THAT(run({"run", "s.yaml"}).out, HasSubstr("\\x1b[31m\\x9b2J\\u202e"));
  for (const auto& entry : fs::directory_iterator(program_.path("results/hostile"))) {
    const std::string name = "results/hostile/" + entry.path().filename().string();
    expect_harmless(name, program_.folder().read(name));
  }
  run({"check", "s.yaml"});
  run({"run", "s.yaml", "--json", "--out", "json"});
  run({"run", "s.yaml", "--engine", "both", "--out", "both"});
  run({"compare", "both", "both-fluid"});
  // What is written can be read again.
  run({"run", "results/hostile/resolved.yaml", "--out", "again"});
}

TEST_F(Hostile, ErrorsShowWhatTheyQuote) {
  run({"check", "s.yaml", "--set", "fabric.\x1b[2J=1"}, 2);
  run({"check", "s.yaml", "--\x1b[2J"}, 2);
  run({"run", "\x1b[2J.yaml"}, 2);
  run({"topo", "s.yaml", "--highlight", kName + ":c"}, 2);
}

TEST_F(Hostile, NoNameBeginsALineOfAnError) {
  std::string wrong = scenario();
  wrong.replace(wrong.rfind("from: b"), 7, "from: \"" + std::string(kYamlName) + "2\"");
  program_.folder().write("wrong.yaml", wrong);
  const std::string err = run({"check", "wrong.yaml"}, 2).err;
  EXPECT_THAT(err, HasSubstr("\\x0aFORGED"));
  EXPECT_EQ(std::ranges::count(err, '\n'), 1) << err;
  run({"check", "s.yaml", "--set", "jobs[0].ranks=[\"" + std::string(kYamlName) + "\"]"}, 2);
  run({"check", kName}, 2);
  run({kName}, 2);
  run({"run", "s.yaml", "--engine", kName}, 2);
}

TEST_F(Hostile, PlatformsAreWellFormed) {
  run({"platform", "s.yaml", "--out", "p.xml"});
  expect_xml("p.xml");
  run({"platform", "s.yaml"});
}

TEST_F(Hostile, PicturesAreWellFormed) {
  for (const char* format : {"text", "dot", "json"}) run({"topo", "s.yaml", "--format", format});
  const Finished f = program_.run({"topo", "s.yaml", "--output", "t.svg"});
  if (f.exit_code == 1) GTEST_SKIP() << f.err;
  EXPECT_EQ(f.exit_code, 0) << f.err;
  expect_xml("t.svg");
}

TEST_F(Hostile, SweepsShowNamesAndRunNothingOfThem) {
  run({"sweep", "sweep.yaml", "--dry-run"});
  run({"sweep", "sweep.yaml"});
  run({"summarize", "results/hostile"});
  run({"summarize", "results/hostile", "--json"});
  const Finished csv = run({"export", "results/hostile"});
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 4);
  run({"export", "results/hostile", "--json"});
  run({"export", "results/hostile", "--scenario", "1"});
  run({"plot", "results/hostile", "--x", kName, "--y", "y" + kName, "--out", "plot"});
  expect_xml("plot.svg");
  // Without --out the files are named after the data: in this folder all the same.
  run({"plot", "results/hostile", "--x", kName, "--y", "simulated_seconds"});
}

TEST_F(Hostile, ADatabaseThatSomebodyChangedRunsNothing) {
  run({"sweep", "sweep.yaml", "--quiet"});
  // Every text of it, and formats that a printer of numbers would follow.
  program_.folder().write(
      "evil.sql",
      "DROP TRIGGER results_are_final;\n"
      "UPDATE value SET number = NULL, text = char(27) || '`touch PWNED`%s%n%9999d''\"' || point;\n"
      "UPDATE sweep SET value = 'x' || char(10) || 'system \"touch PWNED\"' || char(155) || "
      "'`touch PWNED`' WHERE key = 'name';\n"
      "UPDATE point SET message = char(27) || '[2J', outcome = 'finished', status = 'done';\n"
      "UPDATE parameter SET name = 'evil' || char(8238) || '''; system \"touch PWNED\" #';\n");
  const Finished changed =
      program_.wait_for(program_.start({"sqlite3", "results/hostile/sweep.db", ".read evil.sql"}));
  if (changed.exit_code == 127) GTEST_SKIP() << "the program sqlite3 is not installed";
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  run({"plot", "results/hostile", "--x", "jobs[0].size", "--y", "simulated_seconds", "--out",
       "plot"});
  expect_xml("plot.svg");
  run({"summarize", "results/hostile"});
  run({"export", "results/hostile"});
  run({"export", "results/hostile", "--json"});
}

// A view that has no end, a column that is computed and a table that is none: each is refused, and
// nothing of them is read.
TEST_F(Hostile, ADatabaseThatComputesWhatItHoldsIsRefused) {
  run({"sweep", "sweep.yaml", "--quiet"});
  const std::string good = program_.folder().read("results/hostile/sweep.db");
  const std::vector<std::pair<std::string, std::string>> kEvil{
      {"DROP TABLE metric;\nCREATE VIEW metric AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
       "SELECT "
       "x + 1 FROM c) SELECT 1 AS point, 'y' AS name, x AS value FROM c;\n",
       "`metric` is a view and no table"},
      {"DROP TABLE metric;\nCREATE TABLE metric (point INTEGER, name TEXT, value REAL, x TEXT AS "
       "(hex(zeroblob(1000000000))) VIRTUAL);\nINSERT INTO metric (point) VALUES (1);\n",
       "column `x` of `metric` is computed"},
      {"DROP TABLE metric;\nCREATE VIRTUAL TABLE metric USING fts5(point, name, value);\n",
       "the rows of `metric` are not in the file"}};
  for (const auto& [sql, reason] : kEvil) {
    program_.folder().write("results/hostile/sweep.db", good);
    program_.folder().write("evil.sql", sql);
    const Finished changed = program_.wait_for(
        program_.start({"sqlite3", "results/hostile/sweep.db", ".read evil.sql"}));
    if (changed.exit_code == 127) GTEST_SKIP() << "the program sqlite3 is not installed";
    if (changed.exit_code != 0) continue;  // an sqlite3 without fts5
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"summarize", "results/hostile"},
          {"export", "results/hostile"},
          {"export", "results/hostile", "--scenario", "1"},
          {"plot", "results/hostile", "--x", "jobs[0].size", "--y", "simulated_seconds"},
          {"report", "results/hostile"},
          {"sweep", "sweep.yaml"}}) {
      EXPECT_THAT(run(command, 2).err, HasSubstr(reason)) << command[0];
    }
  }
  // A trigger would run when the sweep continues.
  program_.folder().write("results/hostile/sweep.db", good);
  program_.folder().write("evil.sql",
                          "CREATE TRIGGER t BEFORE INSERT ON session BEGIN SELECT RAISE(IGNORE); "
                          "END;\n");
  const Finished changed =
      program_.wait_for(program_.start({"sqlite3", "results/hostile/sweep.db", ".read evil.sql"}));
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_THAT(run({"sweep", "sweep.yaml"}, 2).err, HasSubstr("it has a trigger `t`"));
  run({"summarize", "results/hostile"});
}

// What stands in a folder of results may have come from anybody.
TEST_F(Hostile, FilesOfResultsThatAreNoneAreRefusedAtOnce) {
  run({"run", "s.yaml", "--out", "good", "--quiet"});
  const auto refused = [this](const std::string& file, const std::string& make,
                              const std::string& reason) {
    fs::remove_all(program_.path("bad"));
    fs::copy(program_.path("good"), program_.path("bad"));
    fs::remove(program_.path("bad/" + file));
    const Finished made = program_.wait_for(program_.start({"bash", "-c", "cd bad && " + make}));
    ASSERT_EQ(made.exit_code, 0) << made.err;
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"compare", "good", "bad"}, {"report", "bad"}}) {
      EXPECT_THAT(run(command, 2).err, HasSubstr("bad/" + file)) << command[0];
      EXPECT_THAT(run(command, 2).err, HasSubstr(reason)) << command[0];
    }
  };
  refused("messages.csv", "mkfifo messages.csv", "is not a regular file");
  refused("messages.csv", "ln -s /dev/zero messages.csv", "is not a regular file");
  refused("messages.csv", "truncate -s 10G messages.csv", "has a line of more than 1 MiB");
  refused("summary.json", "mkfifo summary.json", "is not a regular file");
  refused("summary.json", "mkdir summary.json", "is a directory");
  refused("summary.json", "printf '{\"a\": 1,' > summary.json", "is no JSON from here on");
  refused("summary.json", "printf '[%.0s' $(seq 100000) > summary.json",
          "is nested more than 64 levels deep");
  refused("summary.json", "echo 7 > summary.json", "is not a summary of weft");
  refused("ports.csv", "ln -s /dev/zero ports.csv", "is not a regular file");
}

TEST_F(Hostile, WhatLibrariesSayIsNotWhatUsersRead) {
  for (const std::string file : {"/proc/self/mem", "/proc/self", "/dev/zero"}) {
    const std::string err = run({"check", file}, 2).err;
    EXPECT_THAT(err, HasSubstr(file + ": "));
    EXPECT_EQ(err.find("basic_"), std::string::npos) << err;
  }
}

// gnuplot takes a doubled quote for a quote, but not at the beginning of a text.
TEST_F(Hostile, QuotesAnywhereInAnAxisArePlotted) {
  program_.folder().write("quotes.yaml",
                          "name: quotes\nscenario: s.yaml\naxes: [{name: \"'a''4`touch PWNED`1\", "
                          "path: \"jobs[0].size\", values: [1KB, 2KB]}]\n");
  run({"sweep", "quotes.yaml", "--quiet"});
  const Finished f = program_.run({"plot", "results/quotes", "--x", "'a''4`touch PWNED`1", "--y",
                                   "simulated_seconds", "--out", "plot"});
  if (f.err.find("gnuplot, which is not installed") != std::string::npos) GTEST_SKIP() << f.err;
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(program_.folder().read("plot.svg"), HasSubstr("'a''4`touch PWNED`1"));
}

// The first cell of a line of ports.csv is a name, and spreadsheets compute what begins with `=`.
TEST_F(Hostile, ANameIsNoFormula) {
  std::string text = scenario();
  const std::string name = "\"" + std::string(kYamlName) + "\"";
  for (std::size_t at = 0; (at = text.find(name)) != std::string::npos;) {
    text.replace(at, name.size(), "\"=HYPERLINK(1)\"");
  }
  program_.folder().write("formula.yaml", text);
  run({"run", "formula.yaml", "--out", "formula"});
  EXPECT_THAT(program_.folder().read("formula/ports.csv"), HasSubstr("\n'=HYPERLINK(1)"));
  run({"compare", "formula", "formula"});
}

// Ctrl-C ends the wait for somebody's lock on the folder, and what has been simulated is kept.
TEST_F(Hostile, ALockThatSomebodyHoldsIsWaitedForUntilASignal) {
  run({"run", "s.yaml", "--out", "r", "--quiet"});
  const pid_t holder = program_.start({"flock", "r", "sleep", "60"});
  for (int i = 0; i < 500; ++i) {
    const Finished held = program_.wait_for(program_.start({"flock", "-n", "r", "true"}));
    if (held.exit_code == 127) GTEST_SKIP() << "the program flock is not installed";
    if (held.exit_code == 1) break;
    ::usleep(10'000);
  }
  const pid_t waiting = program_.start({WEFT_PROGRAM, "run", "s.yaml", "--out", "r", "--quiet"});
  for (int i = 0; i < 2'000 && program_.folder().read("err.txt").empty(); ++i) ::usleep(10'000);
  ::kill(waiting, SIGTERM);
  const Finished f = program_.wait_for(waiting);
  ::kill(holder, SIGKILL);
  EXPECT_NE(program_.wait_for(holder).exit_code, 0);
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_THAT(f.err, HasSubstr("r is locked by another program; waiting for it"));
  EXPECT_THAT(f.err, HasSubstr("they are kept in"));
}

}  // namespace
}  // namespace weft::testing
