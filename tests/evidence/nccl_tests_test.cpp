// Layouts of nccl-tests by version, and what rows are checked against.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "tests/evidence/reading.hpp"

namespace weft::evidence {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEnd = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 38.2\n#\n";
constexpr const char* kColumns =
    "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
/// Two sizes of four ranks: busbw is 1.5 algbw.
constexpr const char* kRows =
    " 1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 21.36 32.03 0\n"
    " 4194304 1048576 float sum -1 140.00 29.96 44.94 0 139.00 30.17 45.26 0\n";

/// The list of devices of `ranks` ranks, `per_host` on each host.
std::string devices(int ranks, int per_host, int groups = 1) {
  std::string text = "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)\n# Using devices\n";
  for (int i = 0; i < ranks; ++i) {
    text += fmt::format(
        "#  Rank {:2} Group {:2} Pid {} on host{} device {:2} [0000:1b:00] "
        "NVIDIA H100 80GB HBM3\n",
        i, i % groups, 100 + i, i / per_host, i % per_host);
  }
  return text;
}

std::string output(const std::string& program, const std::string& rows,
                   const std::string& columns = kColumns) {
  return "# nccl-tests version 2.17.8 nccl-headers=22705 nccl-library=22705\n"
         "# Collective test starting: " +
         program + "\n" + devices(4, 2) + columns + rows + kEnd;
}

TEST(NcclTests, BothPlacementsAreSeriesWithRanksHostsAndVersions) {
  const Measurements m = read_text(output("all_reduce_perf", kRows));
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.series.size(), 2U);
  const Series& out = m.series[0];
  EXPECT_FALSE(out.in_place);
  EXPECT_TRUE(m.series[1].in_place);
  EXPECT_EQ(out.operation, "all-reduce");
  EXPECT_EQ(out.type, "float");
  EXPECT_EQ(out.reduction, "sum");
  EXPECT_FALSE(out.root.has_value());
  EXPECT_EQ(out.on.ranks, 4U);
  EXPECT_EQ(out.on.hosts, (std::vector<std::string>{"host0", "host1"}));
  EXPECT_EQ(out.on.rank_hosts, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(out.on.gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(out.on.nccl_version, "2.27.5");
  ASSERT_EQ(out.times.size(), 2U);
  EXPECT_EQ(out.times[1].bytes, 4194304);
  EXPECT_EQ(out.times[1].time_us, 140);
  EXPECT_EQ(m.series[1].times[1].time_us, 139);
  EXPECT_EQ(out.times[1].where.line, 11);
}

TEST(NcclTests, LaunchersPrefixesChangeNothing) {
  const std::string text = output("all_reduce_perf", kRows);
  for (const std::string prefix : {"[1,0]<stdout>:", " 0: ", "[0] ", "2026-11-02T09:12:41Z ",
                                   "[rank0]: ", "Thu Jul 18 15:41:05 2024<stdout>: ", "gpu01: "}) {
    std::string prefixed;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin) + 1;
      prefixed += prefix + text.substr(begin, end - begin);
      begin = end;
    }
    const Measurements m = read_text(prefixed);
    EXPECT_EQ(said(m), "") << prefix;
    ASSERT_EQ(m.series.size(), 2U) << prefix;
    EXPECT_EQ(m.series[0].times.size(), 2U) << prefix;
    EXPECT_EQ(m.series[0].on.hosts.size(), 2U) << prefix;
  }
}

// A script that wrote several programs into one file; each has an operation of its own.
TEST(NcclTests, SeveralProgramsInOneFileAreSeriesOfTheirOwn) {
  const std::string gather =
      " 1048576 65536 float none -1 30.00 34.95 26.21 0 29.00 36.16 27.12 0\n";
  const Measurements m =
      read_text(output("all_reduce_perf", kRows) + output("all_gather_perf", gather));
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.series.size(), 4U);
  EXPECT_EQ(m.series[0].operation, "all-reduce");
  EXPECT_EQ(m.series[2].operation, "all-gather");
  EXPECT_TRUE(m.series[2].reduction.empty());
}

// -o all and -d all: rows of one size alternate.
TEST(NcclTests, TypesAndReductionsAreSeriesOfTheirOwn) {
  const Measurements m =
      read_text(output("all_reduce_perf",
                       " 1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 21.36 32.03 0\n"
                       " 1048576 262144 float max -1 51.00 20.56 30.84 0 49.10 21.36 32.03 0\n"
                       " 1048576 524288 half sum -1 52.00 20.16 30.25 0 49.10 21.36 32.03 0\n"));
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.series.size(), 6U);
  EXPECT_EQ(m.series[2].reduction, "max");
  EXPECT_EQ(m.series[2].times[0].time_us, 51);
  EXPECT_EQ(m.series[4].type, "half");
}

// -r all: the root is a part of what is measured.
TEST(NcclTests, RootsAreSeriesOfTheirOwn) {
  const Measurements m =
      read_text(output("broadcast_perf",
                       " 1048576 262144 float none 0 50.00 20.97 20.97 0 49.10 21.36 21.36 0\n"
                       " 1048576 262144 float none 3 80.00 13.11 13.11 0 79.00 13.27 13.27 0\n"));
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.series.size(), 4U);
  EXPECT_EQ(m.series[0].root, 0);
  EXPECT_EQ(m.series[2].root, 3);
  EXPECT_EQ(m.series[2].times[0].time_us, 80);
}

// -S adds a date and a time, -I four columns behind each placement: header names decide.
TEST(NcclTests, ExtraColumnsDoNotShiftTheOthers) {
  const Measurements stamped = read_text(output(
      "all_reduce_perf",
      " 1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 21.36 32.03 0 2026-11-02 09:12:41\n",
      "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong timestamp\n"));
  EXPECT_EQ(said(stamped), "");
  ASSERT_EQ(stamped.series.size(), 2U);
  EXPECT_EQ(stamped.series[1].times[0].time_us, 49.1);
  const Measurements iterations = read_text(output(
      "all_reduce_perf",
      " 1048576 262144 float sum -1 50.00 20.97 31.46 0 48.1 55.2 54.0 2.5 49.10 21.36 32.03 0 "
      "48.0 50.2 50.1 1.1\n",
      "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw "
      "busbw #wrong i_min i_max i_p99 i_cv%\n"));
  EXPECT_EQ(said(iterations), "");
  ASSERT_EQ(iterations.series.size(), 2U);
  EXPECT_EQ(iterations.series[1].times[0].time_us, 49.1);
}

// 2.0 to 2.11 leave redop and root away where they have no meaning.
TEST(NcclTests, OldLayoutsHaveNoRedopAndRoot) {
  const std::string columns = "# size count type time algbw busbw error time algbw busbw error\n";
  const std::string rows = " 1048576 262144 float 520 2.02 2.02 0e+00 519 2.02 2.02 0e+00\n";
  const Measurements m = read_text(devices(2, 2) + columns + rows + kEnd, "sendrecv.txt");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.series.size(), 2U);
  EXPECT_EQ(m.series[0].operation, "send-recv");
  EXPECT_EQ(m.series[0].times[0].time_us, 520);
}

TEST(NcclTests, TheOperationIsOfTheFilesNameOrOfItsColumnsOrAsked) {
  const std::string gather = devices(4, 2) + kColumns +
                             " 1048576 65536 float none -1 30.00 34.95 26.21 0 29 36.16 27.12 0\n" +
                             kEnd;
  EXPECT_EQ(read_text(gather, "h100_alltoall.log").series.at(0).operation, "all-to-all");
  EXPECT_EQ(read_text(gather, "allgather.log").series.at(0).operation, "all-gather");
  EXPECT_THAT(said(read_text(gather)), AllOf(HasSubstr("error: does not say which operation"),
                                             HasSubstr("it can be all-gather, all-to-all")));
  const Measurements only = read_text(devices(4, 2) + kColumns + kRows + kEnd);
  EXPECT_THAT(said(only), HasSubstr("warning: does not say its program; its columns can only be of "
                                    "all-reduce"));
  ASSERT_EQ(only.series.size(), 2U);
  // A name that the columns contradict counts nothing.
  EXPECT_EQ(
      read_text(devices(4, 2) + kColumns + kRows + kEnd, "alltoall.log").series.at(0).operation,
      "all-reduce");
  EXPECT_THAT(said(read_text(output("all_gather_perf", kRows))),
              HasSubstr("error: cannot be of all-gather, which its program is for"));
}

TEST(NcclTests, RowsThatDoNotCheckAreRefusedByLine) {
  struct Case {
    const char* row;
    const char* problem;
  };
  for (const Case& c :
       {Case{" 1048576 262144 float sum -1 5.00 20.97 31.46 0 49.10 21.36 32.03 0\n",
             "1048576 bytes in 5.00 us are 209.7 GB/s, and algbw is 20.97"},
        Case{" 1048576 262144 float sum -1 50.00 20.97 33.46 0 49.10 21.36 32.03 0\n",
             "busbw / algbw is 1.60, which no number of ranks has for all-reduce"},
        Case{" 1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 24.36 32.03 0\n",
             "in place: does not check: 1048576 bytes in 49.10 us"},
        Case{" 1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 21.36 35.03 0\n",
             "in place busbw 35.03 should be 1.5 times algbw 21.36 on 4 ranks"},
        Case{" 1048576 262143 float sum -1 50.00 20.97 31.46 0 49.10 21.36 32.03 0\n",
             "262143 elements of float are 1048572 bytes, and size is 1048576"},
        Case{" 1048576 262144 float sum -1 50,00 20,97 31,46 0 49,10 21,36 32,03 0\n",
             "decimal point"},
        Case{" 1048576 262144 float sum -1 -50.0 20.97 31.46 0 49.10 21.36 32.03 0\n",
             "negative"}}) {
    const Measurements m = read_text(output("all_reduce_perf", std::string(kRows) + c.row));
    EXPECT_THAT(said(m), AllOf(HasSubstr("log.txt:12: error: "), HasSubstr(c.problem))) << c.row;
    EXPECT_TRUE(is_empty(m));
  }
}

TEST(NcclTests, AllErrorsOfAFileAreSaid) {
  std::string rows;
  for (int i = 0; i < 30; ++i) {
    rows += " 1048576 262144 float sum -1 5.00 20.97 31.46 0 49.10 21.36 32.03 0\n";
  }
  const std::string text = said(read_text(output("all_reduce_perf", rows)));
  EXPECT_THAT(text, AllOf(HasSubstr("log.txt:10: error"), HasSubstr("log.txt:29: error"),
                          HasSubstr("10 more rows do not check")));
}

TEST(NcclTests, RanksOfTheRowsAreHeldAgainstTheListOfDevices) {
  const Measurements m = read_text("# Collective test starting: all_reduce_perf\n" + devices(8, 4) +
                                   kColumns + kRows + kEnd);
  EXPECT_THAT(said(m), HasSubstr("error: is of 4 ranks (busbw / algbw is 1.50), and its list of "
                                 "devices has 8"));
  const Measurements unlisted = read_text(
      std::string("# Collective test starting: all_reduce_perf\n") + kColumns + kRows + kEnd);
  EXPECT_THAT(said(unlisted), HasSubstr("warning: has no list of devices: 4 ranks"));
  EXPECT_EQ(unlisted.series.at(0).on.ranks, 4U);
  EXPECT_TRUE(unlisted.series.at(0).on.hosts.empty());
  // 2048 characters of each process: of 4 ranks the last one alone is listed.
  std::string listed = devices(4, 2);
  listed = listed.substr(0, listed.find("#  Rank  1")) + listed.substr(listed.find("#  Rank  3"));
  const Measurements cut =
      read_text("# Collective test starting: all_reduce_perf\n" + listed + kColumns + kRows + kEnd);
  EXPECT_THAT(said(cut), HasSubstr("warning: its list of devices is cut"));
  EXPECT_EQ(cut.series.at(0).on.ranks, 4U);
}

// NCCL_TESTS_SPLIT: busbw is of a group.
TEST(NcclTests, GroupsThatRunAtTheSameTimeAreSaid) {
  const Measurements m = read_text("# Collective test starting: all_reduce_perf\n" +
                                   devices(8, 4, 2) + kColumns + kRows + kEnd);
  EXPECT_THAT(said(m), AllOf(HasSubstr("2 groups of 4 ranks run at the same time"),
                             Not(HasSubstr("error"))));
  EXPECT_EQ(m.series.at(0).groups, 2U);
  EXPECT_EQ(m.series.at(0).on.ranks, 4U);
}

TEST(NcclTests, RepeatedSizesAreOneTimeTheMedian) {
  const Measurements m =
      read_text(output("all_reduce_perf",
                       " 1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 21.36 32.03 0\n"
                       " 1048576 262144 float sum -1 90.00 11.65 17.48 0 49.10 21.36 32.03 0\n"
                       " 1048576 262144 float sum -1 52.00 20.16 30.25 0 49.10 21.36 32.03 0\n"));
  EXPECT_THAT(said(m), HasSubstr("1 size is measured more than once: of each the median"));
  ASSERT_EQ(m.series.at(0).times.size(), 1U);
  EXPECT_EQ(m.series[0].times[0].time_us, 52);
}

// From 10^7 us on times have two digits.
TEST(NcclTests, LongTimesAreRoundedToTwoDigits) {
  const Measurements m = read_text(
      output("all_reduce_perf",
             " 17179869184 4294967296 float sum -1 1.2e+07 1.40 2.10 0 1.2e+07 1.41 2.11 0\n"));
  EXPECT_EQ(said(m), "");
  EXPECT_EQ(m.series.at(0).times.at(0).time_us, 1.2e7);
}

TEST(NcclTests, AnAverageAloneSaysNothing) {
  EXPECT_THAT(said(read_text("# Out of bounds values : 0 OK\n# Avg bus bandwidth : 186.8\n")),
              HasSubstr("error: has no rows, only an average of bus bandwidths"));
}

TEST(NcclTests, MemoryThatDidNotSufficeIsSaid) {
  const std::string text =
      replaced(output("all_reduce_perf", kRows), "#  size",
               "#\n# Reducing maxBytes to 1073741824 due to memory limitation\n"
               "#  size");
  EXPECT_THAT(said(read_text(text)), HasSubstr("warning: memory did not suffice"));
}

// Scripts try again.
TEST(NcclTests, ARunThatWasGivenUpBeforeItsFirstRowIsPassedOver) {
  const std::string given_up = "# Collective test starting: all_gather_perf\n" + devices(8, 4);
  const Measurements m = read_text(given_up + output("all_reduce_perf", kRows));
  EXPECT_EQ(said(m), "");
  EXPECT_EQ(m.series.at(0).operation, "all-reduce");
  EXPECT_EQ(m.series[0].on.ranks, 4U);
}

TEST(NcclTests, GraphsAreSaid) {
  const std::string text =
      replaced(output("all_reduce_perf", kRows), "step: 2(factor)", "step: 2(factor) graph: 3");
  EXPECT_THAT(said(read_text(text)), HasSubstr("log.txt:3: warning: was run with graphs (-G)"));
}

// Between rows NCCL writes what it chose; it stands in the same file.
TEST(NcclTests, LinesOfNcclBetweenRowsAreReadAsWell) {
  const std::string lines =
      "host0:1:2 [0] NCCL INFO comm 0x55e1 rank 0 nRanks 4 nNodes 2 localRanks 2 localRank 0\n"
      "host0:1:1 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE "
      "channel{Lo..Hi}={0..7}\n";
  const Measurements m = read_text(output("all_reduce_perf", lines + kRows));
  EXPECT_EQ(said(m), "");
  EXPECT_EQ(m.series.size(), 2U);
  ASSERT_EQ(m.nccl_logs.size(), 1U);
  ASSERT_EQ(m.nccl_logs[0].choices.size(), 1U);
  EXPECT_EQ(m.nccl_logs[0].choices[0].channels, 8U);
}

TEST(NcclTests, NamesInAFileDoNotReachTheTerminal) {
  const std::string text =
      replaced(output("all_reduce_perf", kRows), "version 2.17.8", "version 2.17.8\x07\x1b]0;x");
  for (const std::string& line : read_text(text).recognised) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
    EXPECT_EQ(line.find('\x07'), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::evidence
