// Scenarios of a few lines that ask for much: they are answered at once, and in little memory.
// What a run cannot have ends it with a sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/measured_run.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHeavy = std::string(WEFT_SOURCE_DIR) + "/tests/scenarios/heavy/";

const std::string kShippedFolder = std::string(WEFT_SOURCE_DIR) + "/scenarios/";

/// The folder of this test.
fs::path own_folder() {
  const fs::path folder = fs::temp_directory_path() / ("weft heavy " + std::to_string(::getpid()));
  fs::create_directories(folder);
  return folder;
}

MeasuredRun run(const std::string& program, std::vector<std::string> arguments) {
  return run_measured(program, std::move(arguments), own_folder() / "output.txt");
}

MeasuredRun check(const std::string& name, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"check", kHeavy + name + ".yaml"});
  return run(WEFT_PROGRAM, std::move(more));
}

/// Through a shell, with `%` for the program.
MeasuredRun run_shell(std::string command) {
  for (std::size_t at = 0; (at = command.find('%')) != std::string::npos;) {
    command.replace(at, 1, "'" WEFT_PROGRAM "'");
  }
  return run("/bin/sh", {"-c", command});
}

/// A second on an idle machine; others may slow the processor down to half its speed.
constexpr double kSoon = kIsSanitized ? 60 : 2;

TEST(Heavy, AStrongSkewIsDrawnAtOnce) {
  const MeasuredRun f = check("strong-skew");
  EXPECT_EQ(f.exit_code, 0) << f.text;
  EXPECT_LT(f.processor_seconds, kSoon);
}

// Each took seconds, since all was drawn, twice or three times.
TEST(Heavy, DrawsByTheMillionAreForeseenAtOnce) {
  for (const char* name : {"many-arrivals", "many-tokens"}) {
    const MeasuredRun f = check(name);
    EXPECT_EQ(f.exit_code, 0) << f.text;
    EXPECT_LT(f.processor_seconds, kSoon) << name;
    const bool is_grouped =
        f.text.find("2 that follow one another choose alike") != std::string::npos;
    EXPECT_EQ(is_grouped, std::string(name) == "many-tokens") << f.text;
  }
}

TEST(Heavy, PairsThatNeverMeetTakeNoMemory) {
  const MeasuredRun f = check("thousands-open-loop");
  EXPECT_EQ(f.exit_code, 0) << f.text;
  EXPECT_LT(f.processor_seconds, kSoon);
  EXPECT_LT(f.peak_kilobytes, kIsSanitized ? 2'000'000 : 200'000) << "4 GB with all pairs";
}

TEST(Heavy, ABufferThatIsTooSmallIsRefusedBeforeAllRoutesAreFollowed) {
  const MeasuredRun f = check("small-buffer");
  EXPECT_EQ(f.exit_code, 2);
  EXPECT_THAT(f.text, HasSubstr("fabric.switch.buffer: is"));
  EXPECT_LT(f.processor_seconds, kSoon);
}

// Each took from 5 s to minutes: time by the square of ranks, of servers, of kinds, or of the sizes
// of an all-to-all-v; or what is the same for all was looked for again at each of 5 million
// connections.
TEST(Heavy, LargeJobsAreCheckedInTimeLinearInWhatTheySend) {
  for (const char* name : {"many-neighbours", "many-servers", "failing-spine", "many-relays"}) {
    const MeasuredRun f = check(name);
    EXPECT_EQ(f.exit_code, 0) << f.text;
    EXPECT_LT(f.processor_seconds, 2 * kSoon) << name;
  }
}

// Comparing all kinds with all took minutes; looking through a NIC node's 4,096 ports for each of
// its hosts, and copying what is called for every communicator and each time that it is counted,
// 2 s more.
TEST(Heavy, ThousandsOfCommunicatorsOnSharedNicsAreCheckedInSeconds) {
  for (const char* name : {"pairs-in-domains", "calls-side-by-side"}) {
    const MeasuredRun f = check(name);
    EXPECT_EQ(f.exit_code, 0) << f.text;
    EXPECT_LT(f.processor_seconds, 3 * kSoon) << name;  // 3.4 s beside another test
    // 243 MB: lists of connections keep up to an eighth of room, as giving it back copies them.
    EXPECT_LT(f.peak_kilobytes, kIsSanitized ? 2'000'000 : 260'000) << name;
  }
}

// An all-to-all of two levels brings the blocks for all domains over one connection: more packets
// than a bound that knew nothing of that.
TEST(Heavy, AHierarchicalAllToAllBeyondAllNumbersIsRefusedAtItsJob) {
  const MeasuredRun f = check("hierarchical-blocks");
  EXPECT_EQ(f.exit_code, 2) << f.text;
  EXPECT_THAT(f.text, HasSubstr("hierarchical-blocks.yaml:6:5: jobs[0]: would send up to"));
}

TEST(Heavy, StandardInputIsReadToItsLimitAndNoFurther) {
  const MeasuredRun f = run_shell("head -c 100000000 /dev/zero | % check -");
  EXPECT_EQ(f.exit_code, 2);
  EXPECT_THAT(f.text, HasSubstr("standard input: is longer than 4 MiB, and no more is read"));
  EXPECT_EQ(run_shell("yes '# x' | % check -").exit_code, 2) << "it has no end";
}

TEST(Heavy, MorePacketsThanAQueuePairCanNumberAreRefused) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--set", "jobs[0].ranks=[0,9,1]", "--set",
                                                "pxn.enabled=true", "--set", "pxn.chunk=1GB"}}) {
    const MeasuredRun f = check("many-packets", more);
    EXPECT_EQ(f.exit_code, 2);
    EXPECT_THAT(f.text, HasSubstr("jobs[0]: would send up to 2.44e+09 packets on one connection"));
  }
}

TEST(Heavy, ARunThatWouldNotFitIsRefused) {
  const fs::path out = own_folder() / "refused";
  const MeasuredRun f = run(WEFT_PROGRAM, {"run", kShippedFolder + "all-reduce-1024.yaml",
                                           "--memory-limit", "100MB", "--out", out.string()});
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_THAT(f.text, HasSubstr("the run would take about "));
  EXPECT_THAT(f.text, HasSubstr("set --memory-limit"));
  EXPECT_FALSE(fs::exists(out));
}

TEST(Heavy, MemoryThatCannotBeHadEndsTheRunWithASentence) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer needs the address space";
  const MeasuredRun f =
      run_shell("ulimit -d 20000; % check '" + kHeavy + "thousands-open-loop.yaml'");
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_THAT(f.text, HasSubstr("weft: out of memory"));
}

TEST(Heavy, OutputThatCannotBeWrittenFailsTheCommandAndKeepsTheResults) {
  const fs::path out = own_folder() / "kept";
  const std::string command =
      "% run '" + kShippedFolder + "permutation.yaml' --out '" + out.string() + "'";
  EXPECT_EQ(run_shell(command + " > /dev/full").exit_code, 1);
  EXPECT_TRUE(fs::exists(out / "summary.json"));
  fs::remove_all(out);
  // The reader has gone before the first byte comes, and had its reasons.
  const MeasuredRun f = run_shell("{ sleep 0.2; " + command + "; echo code $? >&2; } | true");
  EXPECT_THAT(f.text, Not(HasSubstr("cannot be written")));
  EXPECT_THAT(f.text, HasSubstr("code 1"));
  EXPECT_TRUE(fs::exists(out / "summary.json"));
  fs::remove_all(own_folder());
}

}  // namespace
}  // namespace weft::testing
