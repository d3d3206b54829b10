// `weft schedule` and `weft bench-collective` as a user meets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Ended {
  int exit_code = -1;
  std::string text;  ///< both streams, unless told otherwise
};

Ended weft(const std::string& arguments, const std::string& streams = "2>&1") {
  const std::string command = std::string("'") + WEFT_PROGRAM + "' " + arguments + " " + streams;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  Ended ended;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ended.text.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

const std::string kAllReduce = std::string("'") + WEFT_SOURCE_DIR + "/scenarios/all-reduce.yaml'";

TEST(ScheduleCommand, ProvesAScheduleAndCountsItsBytes) {
  const Ended proof = weft("schedule --op all-reduce --algorithm ring --ranks 8 --check --json");
  ASSERT_EQ(proof.exit_code, 0) << proof.text;
  const auto parsed = nlohmann::json::parse(proof.text);
  EXPECT_TRUE(parsed["holds"]);
  EXPECT_EQ(parsed["bytes_sent"], 8 * 2 * 7 * (1 << 20) / 8);
}

TEST(ScheduleCommand, PrintsTheStepsOfARank) {
  const Ended steps = weft("schedule --algorithm ring --ranks 4 --rank 1 --size 400B --json");
  ASSERT_EQ(steps.exit_code, 0) << steps.text;
  const auto list = nlohmann::json::parse(steps.text)["steps"];
  ASSERT_EQ(list.size(), 12U);
  EXPECT_EQ(list[0]["step"], "send");
  EXPECT_EQ(list[0]["peer"], 2);
  EXPECT_EQ(list[0]["bytes"], 100);
}

TEST(ScheduleCommand, RefusesWhatItCannotDoAndSaysWhatItCan) {
  const Ended wrong = weft("schedule --op gather --algorithm ring");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.text, HasSubstr("one-shot and binomial-tree"));
  const Ended misspelt = weft("schedule --op allreduce");
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.text, HasSubstr("did you mean `all-reduce`"));
  EXPECT_EQ(weft("schedule --ranks 4 --rank 4").exit_code, 2);
}

// A hundred billion steps would take hours and all memory; they are refused in about a second.
TEST(ScheduleCommand, RefusesProofsThatWouldNotEnd) {
  const Ended endless = weft("schedule --size 100GB --chunk 1B --ranks 4 --check");
  EXPECT_EQ(endless.exit_code, 2);
  EXPECT_THAT(endless.text, HasSubstr("20 million steps"));
}

TEST(BenchCollectiveCommand, NamesTheOptionThatIsWrong) {
  const Ended wrong = weft("bench-collective " + kAllReduce + " --op gather --algorithm ring");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.text, HasSubstr("weft: --algorithm: `ring` is no algorithm for gather"));
  const Ended backwards = weft("bench-collective " + kAllReduce + " --sizes 4GiB..1KiB");
  EXPECT_EQ(backwards.exit_code, 2);
  EXPECT_THAT(backwards.text, HasSubstr("no range of sizes"));
  // nccl-tests' letters are powers of 1024.
  const std::string two = " --op all-gather --algorithm ring --csv --sizes ";
  EXPECT_EQ(weft("bench-collective " + kAllReduce + two + "64K,1M").text,
            weft("bench-collective " + kAllReduce + two + "64KiB,1MiB").text);
}

/// A server of eight H100 with a job of the given keys.
std::string on_h100(const std::string& job) {
  // Tests run side by side.
  const std::string file = ::testing::TempDir() + "bench_h100_" +
                           std::to_string(std::hash<std::string>()(job)) + ".yaml";
  std::ofstream(file) << "name: nc\nracks: {count: 1, servers: 1, server: hgx-h100}\n"
                         "fabric: {topology: single-domain}\njobs: [{name: a, "
                      << job << "}]\n";
  return file;
}

/// The table of 1 MiB as CSV: that of a job on it, or of another with options.
std::string benched(const std::string& job, const std::string& options) {
  const Ended table =
      weft("bench-collective " + on_h100(job) + " --sizes 1MiB --csv " + options, "2>/dev/null");
  EXPECT_EQ(table.exit_code, 0) << table.text;
  return table.text;
}

// What runs is what a job of that operation is: NCCL's choice in NCCL's execution, if nothing else
// is said, and not the first algorithm that there is in none.
TEST(BenchCollectiveCommand, OfAnotherOperationIsWhatAJobOfThatIs) {
  const std::string gathered = benched("type: all-gather, size: 1MiB", "");
  EXPECT_THAT(gathered, HasSubstr(",ring,ll\n"));
  for (const std::string rest : {"", ", algorithm: nccl", ", algorithm: nccl, execution: nccl"}) {
    EXPECT_EQ(benched("type: all-reduce, size: 64MiB" + rest, "--op all-gather"), gathered) << rest;
  }
  EXPECT_EQ(benched("type: all-gather, size: 64MiB", "--op all-reduce"),
            benched("type: all-reduce, size: 1MiB", ""));
  EXPECT_EQ(
      benched("type: all-reduce, size: 64MiB, algorithm: recursive-doubling", "--op all-gather"),
      benched("type: all-gather, size: 1MiB, algorithm: recursive-doubling", ""));
}

TEST(BenchCollectiveCommand, SaysWhereTheJobsAlgorithmDoesNotDoTheOperation) {
  const std::string job = "type: all-reduce, size: 1MiB, algorithm: two-shot";
  EXPECT_EQ(benched(job, "--op all-to-all"), benched("type: all-to-all, size: 128KiB", ""));
  EXPECT_THAT(weft("bench-collective " + on_h100(job) + " --op all-to-all --sizes 1MiB").text,
              HasSubstr("job `a` runs by `two-shot`, which does no all-to-all"));
}

TEST(BenchCollectiveCommand, ByNcclRunsInItsExecution) {
  const std::string job =
      "type: all-reduce, size: 1MiB, algorithm: ring, execution: {chunk: 64KiB}";
  EXPECT_EQ(benched(job, "--algorithm nccl"), benched("type: all-reduce, size: 1MiB", ""));
  EXPECT_THAT(weft("bench-collective " + on_h100(job) + " --algorithm nccl --sizes 1MiB").text,
              HasSubstr("runs in NCCL's execution, not in that of job `a`"));
  EXPECT_EQ(benched("type: all-reduce, size: 1MiB, algorithm: nccl, execution: {preset: nccl, "
                    "channels: 2}",
                    "--algorithm nccl"),
            benched("type: all-reduce, size: 1MiB, algorithm: nccl, execution: {preset: nccl, "
                    "channels: 2}",
                    ""));
}

/// The lines that say what the execution was.
std::string executions(const std::string& job, const std::string& options) {
  const Ended table = weft("bench-collective " + on_h100(job) + " " + options);
  EXPECT_EQ(table.exit_code, 0) << table.text;
  std::string lines;
  for (std::size_t at = 0; (at = table.text.find("#   execution ", at)) != std::string::npos;) {
    const std::size_t end = table.text.find('\n', at);
    lines += table.text.substr(at, end + 1 - at);
    at = end;
  }
  return lines;
}

TEST(BenchCollectiveCommand, SaysWhatNcclsExecutionTakes) {
  const std::string plain = "type: all-reduce, size: 1MiB, algorithm: ring, execution: plain";
  const std::string sizes = "--sizes 8KiB,16KiB,64MiB ";
  const std::string by_option = executions(plain, sizes + "--algorithm nccl");
  EXPECT_EQ(by_option,
            executions("type: all-reduce, size: 1MiB, algorithm: nccl, execution: nccl", sizes));
  EXPECT_THAT(by_option, ContainsRegex("execution nccl: [a-z-]+ in ll, [0-9]+ channels?, chunks of "
                                       ".*, launch [0-9.]+ us"));
  EXPECT_THAT(by_option, ContainsRegex("in simple, [0-9]+ channels, chunks of"));
  EXPECT_EQ(executions(plain, sizes), "") << "a plain execution has nothing to say";
}

// 1, 2, 4 and 8 bytes over 8 ranks are a byte for each: one row.
TEST(BenchCollectiveCommand, PrintsSizesOfLessThanAByteForEachRankOnce) {
  const Ended table =
      weft("bench-collective " + kAllReduce +
           " --set racks.count=1 --op all-to-all --algorithm pairwise --sizes 1B..8B "
           "--csv");
  ASSERT_EQ(table.exit_code, 0) << table.text;
  EXPECT_EQ(std::ranges::count(table.text, '\n'), 2) << table.text;
}

TEST(BenchCollectiveCommand, PrintsARowPerSizeWithBothBandwidths) {
  const Ended table = weft("bench-collective " + kAllReduce +
                           " --set racks.count=1 --op all-gather --sizes 64KiB..1MiB --factor 4 "
                           "--csv");
  ASSERT_EQ(table.exit_code, 0) << table.text;
  EXPECT_EQ(std::ranges::count(table.text, '\n'), 4) << table.text;
  EXPECT_THAT(table.text, HasSubstr("size,count,type,redop,root,time_us,algbw_GBps,busbw_GBps"));
  EXPECT_THAT(table.text, HasSubstr("\n1048576,262144,float,none,-1,"));
}

// Without PFC and with little buffer, an exchange of all with all loses packets, and waits for
// time-outs: it is not the algorithm that is slow.
const std::string kLossy = "bench-collective " + kAllReduce +
                           " --set racks.count=2 --set fabric.flow_control=none --set "
                           "fabric.switch.buffer=500KB --op all-to-all --algorithm pairwise "
                           "--sizes 4MiB,8MiB";

TEST(BenchCollectiveCommand, ShowsLossBelowTheRowThatHadIt) {
  const Ended table = weft(kLossy);
  ASSERT_EQ(table.exit_code, 0) << table.text;
  EXPECT_THAT(table.text, ContainsRegex("\n +8388608 [^\n]*\n#   buffer drops [1-9]"));
  EXPECT_THAT(table.text, HasSubstr("\n#   PFC pauses 0 "));
  const Ended lossless =
      weft("bench-collective " + kAllReduce + " --set racks.count=1 --op all-gather --sizes 64KiB");
  EXPECT_THAT(lossless.text, Not(HasSubstr("buffer drops")));
}

TEST(BenchCollectiveCommand, ShowsWarningsOnce) {
  const Ended table = weft(
      "bench-collective " + kAllReduce +
      " --set racks.count=1 --set fabric.switch.buffer=500KB --op all-gather --sizes 64KiB,1MiB");
  ASSERT_EQ(table.exit_code, 0) << table.text;
  const std::string warning = "#   warning: ";
  const std::size_t first = table.text.find(warning);
  ASSERT_NE(first, std::string::npos) << table.text;
  const std::string line = table.text.substr(first, table.text.find('\n', first) - first);
  EXPECT_EQ(table.text.find(line, first + 1), std::string::npos) << table.text;
}

TEST(BenchCollectiveCommand, KeepsLossOutOfTheCsv) {
  const Ended csv = weft(kLossy + " --csv", "2>/dev/null");
  ASSERT_EQ(csv.exit_code, 0) << csv.text;
  EXPECT_EQ(std::ranges::count(csv.text, '\n'), 3) << csv.text;
  EXPECT_THAT(csv.text, Not(HasSubstr("drops")));
  EXPECT_THAT(weft(kLossy + " --csv", "2>&1 >/dev/null").text,
              HasSubstr("weft: 8388608 bytes: buffer drops "));
}

TEST(BenchCollectiveCommand, RefusesSizesThatAreNone) {
  EXPECT_EQ(weft("bench-collective " + kAllReduce + " --sizes 4KiB..1KiB").exit_code, 2);
  EXPECT_EQ(weft("bench-collective " + kAllReduce + " --sizes many").exit_code, 2);
  EXPECT_EQ(weft("bench-collective " + kAllReduce + " --op barrier").exit_code, 2);
}

TEST(BenchCollective, CountsElementsOfTheTypeAndSaysIt) {
  const std::string h100 = std::string("'") + WEFT_SOURCE_DIR + "/scenarios/nccl-h100.yaml'";
  const Ended bytes = weft("bench-collective " + h100 +
                           " --job nvls --algorithm nccl --sizes 8MiB --set jobs[1].algorithm=nccl"
                           " --set jobs[1].data_type=int8 --csv");
  ASSERT_EQ(bytes.exit_code, 0) << bytes.text;
  EXPECT_THAT(bytes.text, HasSubstr("\n8388608,8388608,int8,sum,-1,"));
  EXPECT_THAT(bytes.text, HasSubstr(",ring,"));
  const Ended halves = weft("bench-collective " + h100 +
                            " --job nvls --algorithm nccl --sizes 8MiB --set "
                            "jobs[1].algorithm=nccl --set jobs[1].data_type=half --csv");
  EXPECT_THAT(halves.text, HasSubstr("\n8388608,4194304,half,sum,-1,"));
  EXPECT_THAT(halves.text, HasSubstr(",nvls,"));
}

}  // namespace
}  // namespace weft::testing
