// What `weft run` and `weft sweep` say to do next: the commands that they print run as they stand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two jobs send to one host at once, so that each takes about twice its ideal time.
constexpr const char* kSharedLinks = R"(weft: 1
name: shared
racks: {count: 1, servers: 3}
fabric: {topology: leaf-spine, spines: 1}
jobs:
  - {name: first, type: messages, list: [{from: 0, to: 2, size: 1MB}]}
  - {name: second, type: messages, list: [{from: 1, to: 2, size: 1MB}]}
)";

class NextStep : public ::testing::Test {
 protected:
  NextStep() { program_.folder().write("shared.yaml", kSharedLinks); }

  Finished run(std::vector<std::string> arguments) const {
    const Finished f = program_.run(std::move(arguments));
    EXPECT_EQ(f.exit_code, 0) << f.out << f.err;
    return f;
  }
  /// As a user would give it who has weft in the path.
  Finished shell(const std::string& command) const {
    const Finished f = program_.wait_for(
        program_.start({"bash", "-c", "PATH=\"$(dirname '" WEFT_PROGRAM "'):$PATH\"; " + command}));
    EXPECT_EQ(f.exit_code, 0) << command << f.out << f.err;
    return f;
  }

  const Program program_{"next step"};
};

/// The commands between backquotes of the line that says what is next.
std::vector<std::string> commands_in(const std::string& out) {
  std::vector<std::string> commands;
  const std::size_t begin = out.find("  next: ");
  if (begin == std::string::npos) return commands;
  const std::string line = out.substr(begin, out.find('\n', begin) - begin);
  for (std::size_t at = line.find('`'); at != std::string::npos;) {
    const std::size_t end = line.find('`', at + 1);
    commands.push_back(line.substr(at + 1, end - at - 1));
    at = line.find('`', end + 1);
  }
  return commands;
}

TEST_F(NextStep, OfARunWithoutTroubleIsItsReport) {
  const std::string out = run({"run", "shared.yaml", "--set", "jobs[1].skip=true"}).out;
  ASSERT_THAT(commands_in(out), ElementsAre("weft report results/shared-jobs1.skip=true")) << out;
  shell(commands_in(out).front());
  EXPECT_THAT(program_.folder().read("report.html"), HasSubstr("<html"));
}

TEST_F(NextStep, OfASlowJobIsToFindOutWhy) {
  const std::string slow = run({"run", "shared.yaml", "--set", "jobs[1].list[0].size=1100KB"}).out;
  ASSERT_THAT(commands_in(slow),
              ElementsAre("weft run shared.yaml --set 'jobs[1].list[0].size=1100KB' --blame"))
      << slow;
  EXPECT_THAT(slow, HasSubstr(" says why "));
  const std::string blamed = shell(commands_in(slow).front()).out;
  EXPECT_THAT(blamed, HasSubstr("more: `weft explain results/shared-"));
  EXPECT_THAT(commands_in(blamed), ElementsAre()) << "the line above says it";
}

TEST_F(NextStep, IsSaidToPeopleOnly) {
  EXPECT_THAT(run({"run", "shared.yaml", "--json"}).out, Not(HasSubstr("next:")));
  EXPECT_EQ(run({"run", "shared.yaml", "--quiet"}).out, "");
  const std::string piped = shell("weft run - < shared.yaml").out;
  EXPECT_THAT(commands_in(piped), ElementsAre("weft report results/shared"))
      << "standard input cannot be read again" << piped;
}

TEST_F(NextStep, OfASweepIsToRankAndDrawItsPoints) {
  program_.folder().write(
      "sizes.yaml",
      "name: sizes\nscenario: shared.yaml\n"
      "axes: [{path: \"jobs[0].list[0].size\", name: size, values: [1KB, 2KB]}]\n"
      "objectives: [{metric: jobs.first.jct_seconds, name: jct, goal: min}]\n");
  const std::string out = run({"sweep", "sizes.yaml"}).out;
  ASSERT_THAT(commands_in(out), ElementsAre("weft summarize results/sizes",
                                            "weft plot results/sizes --x size --y jct"))
      << out;
  EXPECT_THAT(shell(commands_in(out)[0]).out, HasSubstr("jct"));
  const Finished plot = program_.wait_for(program_.start(
      {"bash", "-c", "PATH=\"$(dirname '" WEFT_PROGRAM "'):$PATH\"; " + commands_in(out)[1]}));
  if (plot.err.find("gnuplot, which is not installed") == std::string::npos) {
    EXPECT_EQ(plot.exit_code, 0) << plot.err;
  }
  EXPECT_EQ(run({"sweep", "sizes.yaml", "--quiet", "--name", "again"}).out, "");
  program_.folder().write("bare.yaml",
                          "name: bare\nscenario: shared.yaml\naxes: [{path: "
                          "\"jobs[1].list[0].size\", values: [1KB]}]\n");
  const std::string bare = run({"sweep", "bare.yaml"}).out;
  ASSERT_THAT(commands_in(bare), ElementsAre("weft summarize results/bare"))
      << "one value cannot be drawn: " << bare;
  EXPECT_THAT(shell(commands_in(bare).front()).out, HasSubstr("bare"));
}

TEST_F(NextStep, OfPointsWithNamesDrawsThemByName) {
  program_.folder().write(
      "named.yaml",
      "name: named\nscenario: shared.yaml\n"
      "axes: [{zip: [{path: \"jobs[0].list[0].size\", name: size, values: [1KB, 1KB, 1KB, 2KB]}, "
      "{path: \"jobs[0].start\", name: begin, values: [0s, 1us, 2us, 3us]}]}]\n"
      "objectives: [{metric: jobs.first.jct_seconds, name: jct, goal: min}]\n");
  const std::string out = run({"sweep", "named.yaml"}).out;
  EXPECT_THAT(commands_in(out), ElementsAre("weft summarize results/named",
                                            "weft plot results/named --x begin --y jct"))
      << out;
}

}  // namespace
}  // namespace weft::testing
