// `weft run --live` and `weft sweep --live`, on a terminal and without one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/pseudo_terminal.hpp"

namespace weft::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// What xterm's description has for taking the whole screen, and for leaving it.
constexpr const char* kEnter = "\x1b[?1049h";
constexpr const char* kLeave = "\x1b[?1049l";
constexpr char kCtrlC = '\x03';

class LiveCli : public ::testing::Test {
 protected:
  LiveCli() {
    std::ofstream(weft_.path("sweep.yaml"))
        << "name: tiny\nscenario: " << kIncast
        << "\naxes: [{path: fabric.spines, values: [2, 4]}]\nseeds: 2\n"
           "objectives: [{name: p99, metric: messages.slowdown.p99}]\n";
    // Half a minute: longer than it takes to be interrupted.
    std::ofstream(weft_.path("long.yaml"))
        << "name: long\nracks: {count: 2, servers: 4, server: host-400g}\n"
           "fabric: {topology: leaf-spine, spines: 2}\n"
           "transport: {type: roce, congestion_control: none}\n"
           "jobs: [{name: ring, type: all-reduce, algorithm: ring, size: 1MiB, iterations: "
           "5000}]\n";
  }

  [[nodiscard]] PseudoTerminal on_terminal(
      std::vector<std::string> arguments,
      const std::vector<std::pair<std::string, std::string>>& environment = {},
      unsigned short columns = 100) const {
    arguments.insert(arguments.begin(), WEFT_PROGRAM);
    return {std::move(arguments), weft_.folder().path(), environment, columns};
  }
  [[nodiscard]] std::string digest_of(const std::string& folder) const {
    const auto summary = nlohmann::json::parse(weft_.folder().read(folder + "/summary.json"));
    return summary["results_sha256"].get<std::string>();
  }
  [[nodiscard]] static std::string after(const std::string& text, const std::string& mark) {
    const auto at = text.rfind(mark);
    return at == std::string::npos ? "" : text.substr(at + mark.size());
  }

  static inline const std::string kIncast = std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml";
  Program weft_{"weft live"};
};

TEST_F(LiveCli, ShowsJobsPortsAndTailsOnAScreenThatIsGoneAfterwards) {
  EXPECT_EQ(weft_.run({"run", kIncast, "--quiet", "--out", "plain"}).exit_code, 0);
  PseudoTerminal terminal = on_terminal({"run", kIncast, "--live", "--out", "live"});
  const auto end = terminal.finish();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(end.is_as_before);
  EXPECT_THAT(end.text, HasSubstr(kEnter));
  for (const char* shown : {"incast-32", "hottest ports", "slowdown p50", "finished"}) {
    EXPECT_THAT(end.text, HasSubstr(shown));
  }
  // The summary stands below the command, where it would without.
  EXPECT_THAT(after(end.text, kLeave), HasSubstr("results in live"));
  EXPECT_THAT(after(end.text, kLeave), Not(HasSubstr("hottest ports")));
  EXPECT_EQ(digest_of("live"), digest_of("plain"));
  EXPECT_EQ(weft_.folder().read("live/messages.csv"), weft_.folder().read("plain/messages.csv"));
}

TEST_F(LiveCli, ShowsStepsAsTheyEndAndStopsWhenAsked) {
  PseudoTerminal terminal = on_terminal({"run", "long.yaml", "--live", "--out", "long"});
  ASSERT_TRUE(terminal.wait_until("packets in flight"));
  terminal.type(kCtrlC);
  const auto end = terminal.finish();
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_TRUE(end.is_as_before);
  EXPECT_THAT(end.text, HasSubstr("last step"));
  EXPECT_THAT(after(end.text, kLeave), HasSubstr("interrupted at "));
}

// Of 80 columns a job has no room for its mean step, but for its tail; 40 have it, too.
TEST_F(LiveCli, KeepsTheTailsOfJobsOnANarrowTerminal) {
  for (const unsigned short columns : {std::uint16_t{80}, std::uint16_t{40}}) {
    PseudoTerminal terminal = on_terminal({"run", kIncast, "--live", "--out", "live"}, {}, columns);
    const auto end = terminal.finish();
    EXPECT_EQ(end.exit_code, 0);
    const std::string screen = end.text.substr(0, end.text.rfind(kLeave));
    for (const char* shown : {"hottest ports", "p99", "max", "25.46"}) {
      EXPECT_THAT(screen, HasSubstr(shown)) << columns;
    }
    EXPECT_THAT(screen, Not(HasSubstr("mean"))) << columns;
  }
}

TEST_F(LiveCli, LeavesTheScreenWhenItIsKilled) {
  PseudoTerminal terminal = on_terminal({"run", "long.yaml", "--live", "--out", "long"});
  ASSERT_TRUE(terminal.wait_until("packets in flight"));
  terminal.type('\x1c');  // Ctrl-\, which nobody handles but by dying
  const auto end = terminal.finish();
  EXPECT_EQ(end.exit_code, 128 + SIGQUIT);
  EXPECT_TRUE(end.is_as_before);
  EXPECT_THAT(end.text, HasSubstr(kLeave));
}

TEST_F(LiveCli, IsALineNowAndThenWhereThereIsNoScreen) {
  const std::vector<std::pair<std::string, std::string>> kinds[] = {{{"TERM", "dumb"}},
                                                                    {{"NO_COLOR", "1"}}};
  for (const auto& environment : kinds) {
    PseudoTerminal terminal = on_terminal({"run", kIncast, "--live", "--out", "live"}, environment);
    const auto end = terminal.finish();
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_THAT(end.text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(end.text, HasSubstr("live: "));
  }
  const Finished piped = weft_.run({"run", kIncast, "--live", "--json", "--out", "piped"});
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_THAT(piped.err, HasSubstr("incast: 32 messages, slowdown p50 "));
  EXPECT_THAT(piped.err, HasSubstr("; hottest "));
  EXPECT_EQ(nlohmann::json::parse(piped.out)["scenario"], "incast-32");
}

TEST_F(LiveCli, FollowsEveryEngine) {
  const Finished fluid =
      weft_.run({"run", kIncast, "--live", "--engine", "fluid", "--out", "fluid"});
  EXPECT_EQ(fluid.exit_code, 0) << fluid.err;
  EXPECT_THAT(fluid.err, HasSubstr("incast: 32 messages"));
  PseudoTerminal terminal =
      on_terminal({"run", kIncast, "--live", "--blame", "--engine", "both", "--out", "both"});
  const auto end = terminal.finish();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(end.is_as_before);
  EXPECT_THAT(after(end.text, kLeave), HasSubstr("results in both"));
}

TEST_F(LiveCli, ShowsTheBestPointsOfASweep) {
  EXPECT_EQ(weft_.run({"sweep", "sweep.yaml", "--quiet", "-j", "2", "--out", "plain"}).exit_code,
            0);
  PseudoTerminal terminal =
      on_terminal({"sweep", "sweep.yaml", "--live", "-j", "2", "--out", "live"});
  const auto end = terminal.finish();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(end.is_as_before);
  for (const char* shown : {"weft sweep  tiny", "best so far", "p99", "4 of 4 points"}) {
    EXPECT_THAT(end.text, HasSubstr(shown));
  }
  EXPECT_THAT(after(end.text, kLeave), HasSubstr("results sha256"));
  const Finished piped = weft_.run({"sweep", "sweep.yaml", "--live", "-j", "2", "--out", "piped"});
  EXPECT_THAT(piped.err, HasSubstr("live: "));
  EXPECT_THAT(piped.err, HasSubstr("; p99: ")) << "the points are as good as one another";
  const auto points = [&](const char* folder) {
    return weft_.run({"export", folder, "--csv"}).out.size();
  };
  EXPECT_EQ(points("live"), points("plain"));
}

TEST_F(LiveCli, IsNotQuiet) {
  EXPECT_EQ(weft_.run({"run", kIncast, "--live", "--quiet"}).exit_code, 2);
  EXPECT_EQ(weft_.run({"sweep", "sweep.yaml", "--live", "--quiet"}).exit_code, 2);
}

}  // namespace
}  // namespace weft::testing
