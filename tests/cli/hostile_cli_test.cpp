// Names that were made to do harm: nothing of them acts on a terminal, on a reader's eye, on a
// parser or on a program that weft starts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simcore/base/escape.hpp"
#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A terminal's escape, C1's CSI, an override of direction, markup, entities, quotes and commands.
const std::string kName =
    "\x1b[31m\xc2\x9b"
    "2J\xe2\x80\xae<b>&#27;]]>\"'\\`touch PWNED`$(touch PWNED)";

/// The same in YAML's double quotes.
constexpr const char* kYamlName =
    "\\e[31m\\x9b2J\\u202e<b>&#27;]]>\\\"'\\\\`touch PWNED`$(touch PWNED)";

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

}  // namespace
}  // namespace weft::testing
