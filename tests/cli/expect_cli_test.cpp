// `--expect` of `weft run` and `weft compare`: verdicts, exit codes, and what is wrong with an
// expression.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// 1 MB over two hops of 100 Gbps without a queue: 80 us of serialisation, and less than 10 us of
/// cables, headers and a switch.
constexpr const char* kOneJob = R"(weft: 1
name: one
racks: {count: 2, servers: 1}
links: {access: {rate: 100Gbps, length: 2m}, uplink: {rate: 100Gbps, length: 10m}}
fabric: {topology: leaf-spine, spines: 1}
jobs:
  - {name: send-one, type: messages, list: [{from: 0, to: 1, size: 1MB}]}
)";

class Expect : public ::testing::Test {
 protected:
  Expect() { program_.folder().write("one.yaml", kOneJob); }

  Finished run(std::vector<std::string> arguments, int exit_code) const {
    const Finished f = program_.run(std::move(arguments));
    EXPECT_EQ(f.exit_code, exit_code) << f.out << f.err;
    return f;
  }
  Finished expect(const std::string& expression, int exit_code) const {
    return run({"run", "one.yaml", "--quiet", "--expect", expression}, exit_code);
  }

  const Program program_{"expect"};
};

TEST_F(Expect, AStarAsksEveryJob) {
  program_.folder().write("two.yaml", std::string(kOneJob) +
                                          "  - {name: b.2, type: messages, start: 1ms, list: "
                                          "[{from: 0, to: 1, size: 2MB}]}\n");
  const auto two = [this](const std::string& condition, int exit_code) {
    return run({"run", "two.yaml", "--out", "out", "--expect", condition}, exit_code);
  };
  const Finished some = two("jobs.*.jct < 100us", 1);
  EXPECT_THAT(some.out, HasSubstr("`jobs.send-one.jct_seconds < 100us` holds"));
  EXPECT_THAT(some.err, HasSubstr("`jobs.b.2.jct_seconds < 100us` does not hold"));
  two("jobs.*.jct < 200us", 0);
  two("jobs.*.jct <= 1.01 * jobs.*.ideal and jobs.*.fct_seconds.p99 > 0us", 0);
  EXPECT_THAT(two("jobs.*.jtc < 1ms", 2).err,
              HasSubstr("character 1: no number of summary.json matches `jobs.*.jtc`; did you mean "
                        "`jobs.*.jct`?"));
  EXPECT_THAT(two("jobs.*.jct < 1ms and jobs.*.p99 < 1ms", 2).err,
              HasSubstr("character 22: no number of summary.json matches `jobs.*.p99`"));
  EXPECT_THAT(two("training.*.mfu > 10%", 2).err, HasSubstr("matches `training.*.mfu`"));
  // A product is one still.
  two("2 * jobs.send-one.jct < 1ms", 0);
  run({"run", "two.yaml", "--out", "other", "--quiet"}, 0);
  run({"compare", "out", "other", "--expect", "b.jobs.*.jct <= 1.02 * a.jobs.*.jct"}, 0);
  EXPECT_THAT(run({"compare", "out", "other", "--expect", "b.jobs.*.jct < a.jobs.*.jct"}, 1).err,
              HasSubstr("b.jobs.send-one.jct_seconds < a.jobs.send-one.jct_seconds"));
}

TEST_F(Expect, ARunExitsByWhetherAllExpectationsHold) {
  expect("jobs.send-one.jct_seconds < 90us", 0);
  expect("jobs.send-one.jct_seconds > 80us and network.packets_dropped == 0", 0);
  expect("messages.slowdown.p99 - 1 < 5%", 0);
  const Finished failed =
      run({"run", "one.yaml", "--out", "out", "--expect", "jobs.send-one.jct_seconds < 80us",
           "--expect", "network.timeouts == 0"},
          1);
  EXPECT_THAT(failed.err, HasSubstr("expectation failed: out: `jobs.send-one.jct_seconds < 80us` "
                                    "does not hold: jobs.send-one.jct_seconds is 8"));
  EXPECT_THAT(failed.err, HasSubstr(" us\n"));
  EXPECT_THAT(failed.out, HasSubstr("expectation: out: `network.timeouts == 0` holds"));
  EXPECT_FALSE(program_.folder().read("out/summary.json").empty()) << "results come first";
}

// Units are those that weft prints; of another kind than the number they are refused, and the place
// is in what was written.
TEST_F(Expect, TakesTheUnitsThatArePrinted) {
  expect("messages.slowdown.p99 < 2x and messages.slowdown.p99 >= 1x", 0);
  EXPECT_THAT(expect("jobs.send-one.jct < 5%", 2).err, HasSubstr("compares s with a ratio"));
  EXPECT_THAT(expect("jobs.send-one.jct < 2x", 2).err, HasSubstr("compares s with a ratio"));
  EXPECT_THAT(expect("jobs.send-one.jct < 1GB/s", 2).err, HasSubstr("compares s with B/s"));
  expect("jobs.send-one.jct < 105% * 90us", 0);
  EXPECT_THAT(expect("jobs.send-one.jct < 90us and nothing.there > 1", 2).err,
              HasSubstr("`jobs.send-one.jct < 90us and nothing.there > 1`, character 30: "));
}

TEST_F(Expect, NamesMayLeaveOutTheirUnit) {
  expect("jobs.send-one.jct < 90us and jobs.send-one.jct > 80us", 0);
  EXPECT_THAT(expect("jobs.send-one.jct < 80us", 1).err,
              HasSubstr("`jobs.send-one.jct_seconds < 80us` does not hold: "
                        "jobs.send-one.jct_seconds is 8"));
  EXPECT_THAT(expect("jobs.send-one.jct < 1GB", 2).err, HasSubstr("of different kinds"));
  // In a hurry: a blank before the unit, a slip in the name of the job, or no job at all.
  expect("jobs.send-one.jct < 90 us", 0);
  EXPECT_THAT(expect("jobs.send-one.jct < 80 us and 1 < 2", 1).err, HasSubstr("does not hold"));
  EXPECT_THAT(expect("jobs.sendone.jct < 90us", 2).err,
              HasSubstr("; did you mean `jobs.send-one.jct`?"));
  EXPECT_THAT(expect("jct < 90us", 2).err,
              HasSubstr("; did you mean `jobs.send-one.jct_seconds`?"));
  EXPECT_THAT(expect("p99 < 90us", 2).err, HasSubstr("; there are "));
}

// For who looks at the results later, such as the page of `weft report`.
TEST_F(Expect, TheFolderKeepsWhatWasExpectedOfItsRun) {
  run({"run", "one.yaml", "--quiet", "--out", "out", "--expect", "jobs.send-one.jct < 80us",
       "--expect", "network.timeouts == 0"},
      1);
  const json kept = json::parse(program_.folder().read("out/expectations.json"));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0]["expectation"], "jobs.send-one.jct_seconds < 80us");
  EXPECT_EQ(kept[0]["holds"], false);
  EXPECT_GT(kept[0]["values"]["jobs.send-one.jct_seconds"], 80e-6);
  EXPECT_EQ(kept[1]["holds"], true);
  run({"report", "out", "-o", "page.html"}, 0);
  EXPECT_THAT(
      program_.folder().read("page.html"),
      HasSubstr(
          R"("expectations":[{"expectation":"jobs.send-one.jct_seconds \u003c 80us","holds":false)"));
  // A run of which nothing is expected replaces them.
  run({"run", "one.yaml", "--quiet", "--out", "out"}, 0);
  EXPECT_FALSE(std::filesystem::exists(program_.folder().path() / "out/expectations.json"));
  program_.folder().write("out/expectations.json", R"([{"expectation": "a", "holds": 1}])");
  EXPECT_THAT(run({"report", "out", "-o", "page.html"}, 2).err,
              HasSubstr("expectations.json: is no list of expectations of weft"));
}

TEST_F(Expect, JsonListsExpectationsWithValuesAndVerdicts) {
  const Finished f = run({"run", "one.yaml", "--json", "--expect",
                          "jobs.send-one.jct_seconds < 80us", "--expect", "network.timeouts == 0"},
                         1);
  const json expectations = json::parse(f.out).at("expectations");
  ASSERT_EQ(expectations.size(), 2U);
  EXPECT_EQ(expectations[0]["holds"], false);
  EXPECT_GT(expectations[0]["values"]["jobs.send-one.jct_seconds"], 80e-6);
  EXPECT_EQ(expectations[1]["holds"], true);
  EXPECT_EQ(expectations[1]["values"]["network.timeouts"], 0);
  EXPECT_THAT(program_.folder().read("results/one/summary.json"), Not(HasSubstr("expectations")));
}

TEST_F(Expect, ABadExpressionSaysWhereBeforeTheRun) {
  EXPECT_THAT(expect("jobs.send-one.jct_second < 1ms", 2).err,
              HasSubstr("character 1: no number of summary.json is called "
                        "`jobs.send-one.jct_second`; did you mean `jobs.send-one.jct_seconds`?"));
  EXPECT_THAT(expect("thread_seconds.imbalance < 2", 2).err,
              HasSubstr("no number of summary.json is called `thread_seconds.imbalance`"))
      << "what depends on the machine is expected by nobody";
  EXPECT_THAT(expect("network.timeout == 0", 2).err, HasSubstr("did you mean `network.timeouts`?"));
  EXPECT_THAT(expect("messages.fct_seconds < 1ms", 2).err,
              HasSubstr("there are messages.fct_seconds.p50, "));
  EXPECT_THAT(
      expect("network.timeouts == 0 or jobs.one.jct_seconds < 1ms", 2).err,
      HasSubstr("character 26: no number of summary.json is called `jobs.one.jct_seconds`"));
  EXPECT_THAT(
      expect("messages.fct_seconds.p50 < 1furlong", 2).err,
      HasSubstr("character 28: it has `1furlong`, which is not a number with a known unit"));
  EXPECT_THAT(expect("network.timeouts", 2).err, HasSubstr("character 17: it has no comparison"));
  EXPECT_THAT(expect("messages.fct_seconds.p50 < 1MB", 2).err,
              HasSubstr("it compares s with B, which are of different kinds"));
  EXPECT_THAT(expect("1 < 2", 2).err, HasSubstr("it names no number; accepted are"));
  EXPECT_THAT(
      run({"run", "one.yaml", "--engine", "both", "--expect", "network.timeouts == 0"}, 2).err,
      HasSubstr("`weft compare` asks both"));
  EXPECT_THAT(run({"run", "one.yaml", "--cut-off"}, 2).err, HasSubstr("--expect"));
  EXPECT_EQ(program_.folder().read("results/one/summary.json"), "") << "nothing has run";
}

TEST_F(Expect, RunsThatWereCutOffFailUnlessAsked) {
  const std::vector<std::string> cut{"run", "one.yaml", "--quiet", "--set", "run.until=20us"};
  const auto cut_run = [&](const std::string& expression, bool is_asked, int exit_code) {
    std::vector<std::string> arguments = cut;
    arguments.insert(arguments.end(), {"--expect", expression});
    if (is_asked) arguments.emplace_back("--cut-off");
    return run(arguments, exit_code).err;
  };
  EXPECT_THAT(cut_run("network.timeouts == 0", false, 1),
              HasSubstr("network.timeouts is of a part: the run was cut off (horizon, of 0 of 1 "
                        "messages); --cut-off asks it nevertheless"));
  cut_run("network.timeouts == 0", true, 0);
  EXPECT_THAT(cut_run("jobs.send-one.jct_seconds < 1s", true, 1),
              HasSubstr("jobs.send-one.jct_seconds has no value: the run was cut off"));
}

TEST_F(Expect, CompareRelatesRunsByLetters) {
  run({"run", "one.yaml", "--quiet", "--out", "before"}, 0);
  run({"run", "one.yaml", "--quiet", "--out", "after", "--set", "links.uplink.rate=50Gbps"}, 0);
  const auto compare = [&](const std::string& expression, int exit_code) {
    return run({"compare", "before", "after", "--expect", expression}, exit_code);
  };
  // Half the rate of one hop: more than 1.5 and less than 2.5 times as long.
  compare("b.jobs.send-one.jct_seconds < 2.5 * a.jobs.send-one.jct_seconds", 0);
  const Finished slower =
      compare("b.jobs.send-one.jct_seconds <= 1.02 * a.jobs.send-one.jct_seconds", 1);
  EXPECT_THAT(slower.err, HasSubstr("does not hold: b.jobs.send-one.jct_seconds is 1"));
  EXPECT_THAT(slower.err, HasSubstr(", a.jobs.send-one.jct_seconds is 8"));
  const Finished each = compare("jobs.send-one.jct_seconds < 100us", 1);
  EXPECT_THAT(each.out, HasSubstr("before: `jobs.send-one.jct_seconds < 100us` holds"));
  EXPECT_THAT(each.err, HasSubstr("after: `jobs.send-one.jct_seconds < 100us` does not hold"));
  EXPECT_THAT(compare("b.network.timeouts == network.timeouts", 2).err,
              HasSubstr("character 23: `network.timeouts` says no run beside names that do"));
  EXPECT_THAT(compare("c.network.timeouts == 0", 2).err, HasSubstr("`c.network.timeouts`"));
  const json all = json::parse(
      run({"compare", "before", "after", "--json", "--expect", "network.timeouts == 0"}, 0).out);
  ASSERT_EQ(all.at("expectations").size(), 2U);
  EXPECT_EQ(all["expectations"][1]["run"], "after");
  EXPECT_EQ(all["expectations"][1]["holds"], true);
}

}  // namespace
}  // namespace weft::testing
