// Where results go unless somebody says so, and what says where they come from.

#include "tools/io/result_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSmall =
    "name: small\n"
    "racks: {count: 2, servers: 2, server: host-400g}\n"
    "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
    "jobs: [{name: p, type: permutation, size: 100KB}]\n";

class ResultName : public ::testing::Test {
 protected:
  ResultName() : program_("result name") { program_.folder().write("s.yaml", kSmall); }

  Finished run(const std::vector<std::string>& arguments, int exit_code = 0) const {
    Finished f = program_.run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << f.err;
    return f;
  }
  bool has(const std::string& folder) const {
    return fs::exists(program_.path(folder + "/summary.json"));
  }
  nlohmann::json summary(const std::string& folder) const {
    return nlohmann::json::parse(program_.folder().read(folder + "/summary.json"));
  }
  std::ptrdiff_t folders() const {
    return std::distance(fs::directory_iterator(program_.path("results")), {});
  }

  Program program_;
};

TEST_F(ResultName, SaysWhatWasSet) {
  run({"run", "s.yaml"});
  run({"run", "s.yaml", "--set", "jobs[0].size=64KiB", "--seed", "7"});
  run({"run", "s.yaml", "--engine", "fluid", "--seed", "7"});
  EXPECT_TRUE(has("results/small"));
  EXPECT_TRUE(has("results/small-jobs0.size=64KiB-seed=7"));
  EXPECT_TRUE(has("results/small-seed=7-fluid"));
  EXPECT_EQ(summary("results/small").at("seed"), 1);
}

TEST_F(ResultName, TheSummaryHasTheCommandLine) {
  run({"run", "s.yaml", "--set", "jobs[0].size=64KiB", "--name", "mine"});
  const nlohmann::json mine = summary("results/mine");
  EXPECT_EQ(mine.at("command_line"), "weft run s.yaml --set 'jobs[0].size=64KiB' --name mine");
  EXPECT_EQ(mine.at("overrides"), nlohmann::json({"jobs[0].size=64KiB"}));
  EXPECT_TRUE(fs::path(mine.at("scenario_file")).is_absolute());
}

TEST_F(ResultName, OverridesThatLookAlikeHaveFoldersOfTheirOwn) {
  const std::string first = "jobs=[{name: p, type: permutation, size: 1KB}]";
  const std::string second = "jobs=[{name: p, type: permutation, size: 2KB}]";
  EXPECT_NE(overridden_name("s", {first}), overridden_name("s", {second}));
  run({"run", "s.yaml", "--set", first});
  run({"run", "s.yaml", "--set", second});
  run({"run", "s.yaml", "--set", "seed=1"});
  run({"run", "s.yaml", "--set", "seed=2"});
  EXPECT_EQ(folders(), 4);
}

TEST_F(ResultName, AnotherScenarioOfTheSameNameDoesNotTakeItsPlace) {
  run({"run", "s.yaml"});
  program_.folder().write("t.yaml", std::string(kSmall) + "seed: 3\n");
  EXPECT_THAT(run({"run", "t.yaml"}).out, HasSubstr("results in results/small-2\n"));
  EXPECT_EQ(summary("results/small").at("seed"), 1);
  EXPECT_EQ(summary("results/small-2").at("seed"), 3);
  // Its own place again, and that of a file that was edited.
  EXPECT_THAT(
      run({"run", "t.yaml"}).out,
      HasSubstr("results in results/small-2\n  where they replace those of `weft run t.yaml`"));
  program_.folder().write("s.yaml", std::string(kSmall) + "seed: 4\n");
  run({"run", "s.yaml"});
  EXPECT_EQ(summary("results/small").at("seed"), 4);
  EXPECT_EQ(folders(), 2);
}

TEST_F(ResultName, WhatIsNotOfWeftIsGoneAround) {
  fs::create_directories(program_.path("results/small"));
  program_.folder().write("results/small/notes.txt", "mine");
  run({"run", "s.yaml"});
  EXPECT_TRUE(has("results/small-2"));
  EXPECT_EQ(folders(), 2);
}

TEST_F(ResultName, AnExplicitFolderIsReplacedAndThatIsSaid) {
  EXPECT_THAT(run({"run", "s.yaml", "-o", "x"}).out, Not(HasSubstr("replace")));
  EXPECT_THAT(run({"run", "s.yaml", "--seed", "2", "--out", "x"}).out,
              HasSubstr("results in x\n  where they replace those of `weft run s.yaml -o x`\n"));
  EXPECT_THAT(run({"run", "s.yaml", "--out", "x", "--json"}).err,
              HasSubstr("x: the results of `weft run s.yaml --seed 2 --out x` are replaced"));
  EXPECT_EQ(run({"run", "s.yaml", "--out", "x", "--quiet"}).err, "");
}

TEST_F(ResultName, NamesThatAreNoneAreRefused) {
  EXPECT_THAT(run({"run", "s.yaml", "--name", "../x"}, 2).err, HasSubstr("is not a name"));
  EXPECT_THAT(run({"run", "s.yaml", "--name", "x", "--out", "y"}, 2).err, HasSubstr("excludes"));
}

TEST_F(ResultName, OverriddenSweepsHaveFoldersOfTheirOwn) {
  program_.folder().write("w.yaml",
                          "name: w\nscenario: s.yaml\naxes: [{name: size, path: \"jobs[0].size\", "
                          "values: [1KB, 2KB]}]\n");
  run({"sweep", "w.yaml", "-j", "1"});
  run({"sweep", "w.yaml", "-j", "1", "--set", "seed=2"});
  EXPECT_TRUE(fs::exists(program_.path("results/w/sweep.db")));
  EXPECT_TRUE(fs::exists(program_.path("results/w-seed=2/sweep.db")));
}

TEST(ShellText, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_text({"weft", "a b", "it's", "", "x[0]=1"}), "weft 'a b' 'it'\\''s' '' 'x[0]=1'");
}

}  // namespace
}  // namespace weft::testing
