// Beside what nccl-tests measured.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMeasuredServer =
    "name: pair\n"
    "racks: {count: 1, servers: 4, server: host-400g}\n"
    "fabric: {topology: leaf-spine, spines: 1, switch: ideal}\n"
    "jobs: [{name: j, type: all-reduce, algorithm: ring, size: 1MiB}]\n";

/// As version 2.13 prints it, with what NCCL says besides.
constexpr const char* kOutput =
    "# nThread 1 nGpus 4 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5\n"
    "host0:12:12 [0] NCCL INFO Bootstrap : Using eth0\n"
    "#\n"
    "#                                                              out-of-place           "
    "in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  "
    "algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " "
    "(GB/s)  (GB/s)\n"
    "     1048576        262144     float     sum      -1    50.00   20.97   31.46      0    49.10 "
    "  "
    "21.36   32.03      0\n"
    "     4194304       1048576     float     sum      -1   140.00   29.96   44.94      0   139.00 "
    "  "
    "30.17   45.26      0\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 38.2\n";

class Against : public ::testing::Test {
 protected:
  Against() : program_("against") {
    program_.folder().write("s.yaml", kMeasuredServer);
    program_.folder().write("measured.txt", kOutput);
  }
  Finished run(std::vector<std::string> arguments, int exit_code = 0) const {
    arguments.insert(arguments.begin(), {"bench-collective", "s.yaml"});
    const Finished f = program_.run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << f.err;
    return f;
  }
  static std::vector<double> numbers(std::string line) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream in(line);
    std::vector<double> all;
    for (double number = 0; in >> number;) all.push_back(number);
    return all;
  }

  Program program_;
};

TEST_F(Against, EachMeasuredSizeStandsBesideTheSimulatedWithItsError) {
  const std::string out = run({"--against", "measured.txt", "--csv"}).out;
  const std::string alone = run({"--sizes", "1MiB,4MiB", "--csv"}).out;
  std::istringstream lines(out);
  std::istringstream lines_alone(alone);
  std::string line;
  std::string line_alone;
  std::getline(lines, line);
  std::getline(lines_alone, line_alone);
  EXPECT_EQ(line,
            "size,measured_us,time_us,error_percent,measured_busbw_GBps,busbw_GBps,algorithm");
  double worst = 0;
  double sum = 0;
  for (const double measured : {50.0, 140.0}) {
    std::getline(lines, line);
    std::getline(lines_alone, line_alone);
    const std::vector<double> row = numbers(line);
    ASSERT_GE(row.size(), 6U) << line;
    EXPECT_EQ(row[1], measured);
    // size,count,float,... : the time is the sixth cell.
    const double time =
        std::strtod(line_alone.substr(line_alone.find(",sum,-1,") + 8).c_str(), nullptr);
    EXPECT_NEAR(row[2], time, 1e-3);
    EXPECT_NEAR(row[3], 100 * (time / measured - 1), 0.01);
    worst = std::max(worst, std::abs(row[3]));
    sum += std::abs(row[3]);
  }
  std::ostringstream conclusion;
  conclusion.precision(1);
  conclusion << std::fixed << "2 sizes: mean error " << sum / 2 << " %, largest " << worst;
  EXPECT_THAT(run({"--against", "measured.txt"}).out, HasSubstr(conclusion.str()));
}

TEST_F(Against, TheOperationIsThatOfTheProgramThatMeasured) {
  program_.folder().write("gather.txt",
                          "# Collective test starting: all_gather_perf\n"
                          "#  size  count  type  redop  root  time  algbw  busbw #wrong\n"
                          " 1048576  65536  float  none  -1  30.0  34.95  26.21  0\n");
  const std::string alone = run({"--op", "all-gather", "--sizes", "1MiB", "--csv"}).out;
  const std::string time = alone.substr(alone.find(",none,-1,") + 9).substr(0, 6);
  EXPECT_THAT(run({"--against", "gather.txt", "--csv"}).out, HasSubstr("1048576,30.000," + time));
}

// A ring of four sends 2 (n - 1) / n of the vector from each rank: six times its size together.
TEST_F(Against, TheSizeOfACollectiveStandsBesideWhatIsSentForIt) {
  const Finished f = program_.run({"run", "s.yaml"});
  EXPECT_THAT(f.out, ::testing::ContainsRegex("j +all-reduce +4 +6 MiB"));
  EXPECT_THAT(f.out, ::testing::ContainsRegex("j +ring +1 MiB"));
}

TEST_F(Against, WhatIsNoOutputOfNcclTestsIsRefused) {
  program_.folder().write("other.txt", "hello\n1 2 3\n");
  EXPECT_THAT(run({"--against", "other.txt"}, 2).err, HasSubstr("has no row of nccl-tests"));
  EXPECT_THAT(run({"--against", "nowhere.txt"}, 2).err, HasSubstr("there is no such file"));
}

/// Runs the output `text` of nccl-tests against the scenario; all that is said.
class AgainstText : public Against {
 protected:
  std::string said(const std::string& text, int exit_code = 0,
                   const std::vector<std::string>& more = {}) const {
    program_.folder().write("log.txt", text);
    std::vector<std::string> arguments{"--against", "log.txt", "--csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished f = run(arguments, exit_code);
    return f.out + f.err;
  }
};

const std::string kRow = "1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 21.36 32.03 0";

// Versions before 2.12 leave redop and root blank where they have no meaning: columns are found by
// what is in them, as size / time is algbw.
TEST_F(AgainstText, FindsColumnsByWhatIsInThem) {
  const std::string blank =
      "#   size  count  type  redop  time  algbw  busbw  error\n"
      " 1048576  65536  float         520  2.02  1.51  0e+00  519  2.02  1.52  1e+00\n";
  EXPECT_THAT(said(blank, 0, {"--op", "all-to-all"}), HasSubstr("\n1048576,520.000,"));
  const std::string of_2017 =
      "#   bytes  N  type  op  time  algbw  busbw  res\n"
      " 1048576  262144  float  sum  0.050  20.97  31.46  0e+00\n";
  EXPECT_THAT(said(of_2017), HasSubstr("\n1048576,50.000,"));
  EXPECT_THAT(said("16 x " + kRow + "\n"), HasSubstr("\n1048576,50.000,"));
}

TEST_F(AgainstText, FindsRowsBehindWhatLaunchersPutThere) {
  for (const std::string prefix :
       {"[1,0]<stdout>:  ", "  [1,0]<stdout>:", "Thu Jul 18 15:41:05 2024<stdout>: ", "[0] ",
        "0: ", "[rank3]: ", "\xef\xbb\xbf", "pod-a/worker 2024-07-18T15:41:05Z ", "\x1b[32m "}) {
    EXPECT_THAT(said(prefix + "# size count type redop root time algbw busbw #wrong\n" + prefix +
                     kRow + "\r\n"),
                HasSubstr("\n1048576,50.000,"))
        << prefix;
  }
  EXPECT_THAT(said("[0]  1048576 262144 float sum  -1[0]  50.00 20.97 31.46  0[0] 49.1 21 32 0\n"),
              HasSubstr("\n1048576,50.000,"));
}

TEST_F(AgainstText, RefusesRowsThatCannotBeReadByTheirLine) {
  struct Case {
    const char* row;
    const char* problem;
  };
  for (const Case& c : {Case{"1048576 262144 float sum -1 nan 20.97 31.46 0", "time is `nan`"},
                        Case{"1048576 262144 float sum -1 N/A 20.97 31.46 0", "time is `N/A`"},
                        Case{"1048576 262144 float sum -1 0 20.97 31.46 0", "time is 0"},
                        Case{"1048576 262144 float sum -1 -50.0 20.97 31.46 0", "negative"},
                        Case{"-1048576 262144 float sum -1 50.0 20.97 31.46 0", "negative"},
                        Case{"1048576 262144 float sum -1 50,00 20,97 31,46 0", "decimal point"},
                        Case{"1048576 262144 float sum -1 50.0 nan 31.46 0", "algbw is `nan`"},
                        Case{"1048576 262144 float sum -1 5.00 20.97 31.46 0", "does not check"},
                        Case{"1048576 262144 float sum -1 0.05 20.97 31.46 0", "times in ms"},
                        Case{"1048576 262144 float sum -1 50.0", "it is cut"},
                        Case{"1048576 262144 float sum -1 50.0 20.97 31.46 7", "came out wrong"}}) {
    const std::string text = said(kRow + "\n" + c.row + "\n", 2);
    EXPECT_THAT(text, HasSubstr("log.txt:2: ")) << c.row;
    EXPECT_THAT(text, HasSubstr(c.problem)) << c.row;
  }
  EXPECT_THAT(said("# size count type redop root cputime algbw busbw\n" + kRow + "\n", 2),
              HasSubstr("log.txt:1: times are those of the CPU"));
}

// Pasted from a narrow window, busbw 31.46 was read as 3.
TEST_F(AgainstText, RefusesRowsOfFewerWordsThanTheirHeaderHasColumns) {
  const std::string header =
      "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
  EXPECT_THAT(said(header + kRow + "\n"), HasSubstr("\n1048576,50.000,"));
  EXPECT_THAT(
      said(header + "1048576 262144 float sum -1 50.00 20.97 3\n1.46 0 49.1 21.36 32.03 0\n", 2),
      HasSubstr("log.txt:2: has 8 words, and the header of line 1 names 13: it is cut"));
}

// Columns of -I stand between both placements.
TEST_F(AgainstText, ReadsInPlaceByTheHeader) {
  const std::string header =
      "# size count type redop root time algbw busbw #wrong i_min i_max time algbw busbw #wrong\n";
  EXPECT_THAT(said(header + "1048576 262144 float sum -1 50.00 20.97 31.46 0 49.0 51.0 62.50 16.78 "
                            "25.17 0\n"),
              HasSubstr("in place takes up to 25 % more (line 2)"));
}

TEST_F(AgainstText, SaysWhatItLeavesOut) {
  const std::string other = "1048576 131072 double sum -1 60.00 17.48 26.21 0\n";
  const std::string empty = "0 0 float sum -1 60.00 0.00 0.00 0\n";
  const std::string text = said(kRow + "\n" + kRow + "\n" + other + empty);
  EXPECT_THAT(text, HasSubstr("\n1048576,50.000,"));
  EXPECT_THAT(text, HasSubstr("line 2 left out: of sizes that earlier lines have"));
  EXPECT_THAT(text, HasSubstr("line 3 left out: not of `float sum -1`"));
  EXPECT_THAT(text, HasSubstr("line 4 left out: of no bytes"));
}

// Scripts run one program after the other.
TEST_F(AgainstText, ComparesOneTableOfSeveral) {
  const std::string both =
      "./all_reduce_perf -b 1M\n# size count type redop root time algbw busbw\n" + kRow +
      "\n./all_gather_perf -b 1M\n# size count type redop root time algbw "
      "busbw\n1048576 65536 float none -1 30.0 34.95 26.21 0\n";
  const std::string first = said(both);
  EXPECT_THAT(first, HasSubstr("\n1048576,50.000,"));
  EXPECT_THAT(first, HasSubstr("has 2 tables: all-reduce (line 3), all-gather (line 6)"));
  EXPECT_THAT(said(both, 0, {"--op", "all-gather"}), HasSubstr("\n1048576,30.000,"));
  EXPECT_THAT(said(both, 2, {"--op", "broadcast"}), HasSubstr("--op says broadcast"));
}

// The scenario has 4 ranks.
TEST_F(AgainstText, WarnsOfOtherRanksThanTheJobs) {
  const auto row = [](double factor) {
    std::ostringstream text;
    text.precision(2);
    text << std::fixed << "67108864 16777216 float sum -1 1000.0 67.11 " << 67.11 * factor
         << " 0\n";
    return text.str();
  };
  EXPECT_THAT(said(row(1.5)), Not(HasSubstr("warning")));
  EXPECT_THAT(said(row(1)), HasSubstr("is of 2 ranks (busbw / algbw is 1.00), and job `j` has 4"));
  EXPECT_THAT(said(row(1.75)), HasSubstr("is of 8 ranks"));
  EXPECT_THAT(said(row(0)), HasSubstr("is of 1 rank"));
  EXPECT_THAT(
      said("67108864 2097152 float none -1 1000.0 67.11 58.72 0\n", 0, {"--op", "all-gather"}),
      HasSubstr("is of 8 ranks (size / count)"));
  EXPECT_THAT(
      said("host:1:1 [0] NCCL INFO comm 0x5 rank 0 nranks 2 cudaDev 0\n8 2 float sum -1 23.4 "
           "0.00 0.00 0\n"),
      HasSubstr("is of 2 ranks (NCCL's lines)"));
  // Of a table with a line for each number of machines, those of the job's.
  const std::string mixed = said(row(1.75) + row(1.5));
  EXPECT_THAT(mixed, HasSubstr("line 1 left out: not of 4 ranks"));
  EXPECT_THAT(said(row(1.75) + row(1.875), 2), HasSubstr("log.txt:2: is of 16 ranks"));
}

TEST_F(AgainstText, RefusesRowsOfAnotherOperation) {
  const std::string gathered = "1048576 65536 float none -1 30.0 34.95 26.21 0\n";
  EXPECT_THAT(said(gathered, 2), HasSubstr("cannot be of all-reduce: line 1 has redop none"));
  EXPECT_THAT(said(gathered, 0, {"--op", "all-gather"}), HasSubstr("\n1048576,30.000,"));
  EXPECT_THAT(said("67108864 2097152 float 1000.0 67.11 58.72 0\n", 2),
              HasSubstr("line 1 is of 8 parts"));
  program_.folder().write("h100-alltoall.log", gathered);
  EXPECT_THAT(run({"--against", "h100-alltoall.log", "--csv"}).out, HasSubstr("1048576,30.000,"));
}

TEST_F(AgainstText, WarnsOfOtherGpus) {
  program_.folder().write("s.yaml",
                          "name: pair\nracks: {count: 1, servers: 1, server: hgx-h100}\n"
                          "fabric: {topology: single-domain}\n"
                          "jobs: [{name: j, type: all-reduce, size: 1MiB}]\n");
  const auto of = [this](const std::string& gpu) {
    std::string devices;
    for (int i = 0; i < 8; ++i) {
      const std::string n = std::to_string(i);
      devices +=
          "#  Rank  " + n + " Group  0 Pid 1 on host0 device  " + n + " [0x0f] " + gpu + "\n";
    }
    return said(devices + "8 2 float sum -1 23.4 0.00 0.00 0\n");
  };
  EXPECT_THAT(of("NVIDIA H100 80GB HBM3"), Not(HasSubstr("warning")));
  EXPECT_THAT(of("Tesla V100-SXM2-32GB"), HasSubstr("is of `Tesla V100-SXM2-32GB`, and the job's"));
}

// What -J writes of a run with 4 ranks, from version 2.17.3 on.
std::string json_of(const std::string& result, const std::string& more = "") {
  std::string devices;
  for (int i = 0; i < 4; ++i) {
    devices += std::string(i == 0 ? "" : ", ") + "{\"rank\": " + std::to_string(i) +
               ", \"hostname\": \"host0\", \"device_info\": \"NVIDIA H100 80GB HBM3\"}";
  }
  return "{\"version\": 3, \"args\": [\"./all_reduce_perf\", \"-b\", \"1M\"],\n\"config\": "
         "{\"devices\": [" +
         devices + "]},\n\"results\": [\n" + result +
         "],\n\"out_of_bounds\": {\"count\": 0, \"okay\": \"true\"}, \"errors\": []" + more + "}\n";
}
std::string result_of(const std::string& out, const std::string& in) {
  return "{\"size\": 1048576, \"count\": 262144, \"type\": \"float\", \"redop\": \"sum\", "
         "\"root\": "
         "\"-1\", \"out_of_place\": {" +
         out + "}, \"in_place\": {" + in + "}}";
}

TEST_F(AgainstText, ReadsWhatNcclTestsWritesAsJson) {
  const std::string out =
      "\"time\": 50.00, \"alg_bw\": 20.97152, \"bus_bw\": 31.45728, \"nwrong\": 0.0";
  const std::string in =
      "\"time\": 49.10, \"alg_bw\": 21.35593, \"bus_bw\": 32.0339, \"nwrong\": null";
  const std::string good = said(json_of(result_of(out, in)));
  EXPECT_THAT(good, HasSubstr("\n1048576,50.000,"));
  EXPECT_THAT(good, Not(HasSubstr("warning")));
  EXPECT_THAT(said(json_of(result_of(out, in)), 0, {"--op", "all-reduce"}),
              HasSubstr("\n1048576,50.000,"));

  struct Case {
    std::string text;
    const char* problem;
  };
  const std::string wrong =
      "\"time\": 50.00, \"alg_bw\": 20.97152, \"bus_bw\": 31.45728, \"nwrong\": 7.0";
  const std::string broken = json_of(result_of(out, in));
  for (const Case& c : {
           Case{json_of(result_of(out, in) + ",\n" + result_of(wrong, in)),
                "log.txt:5: counts elements that came out wrong"},
           Case{json_of(result_of(out, wrong)), "log.txt:4: counts elements that came out wrong"},
           Case{json_of(result_of("\"time\": \"nan\", \"alg_bw\": 0, \"bus_bw\": 0", in)),
                "log.txt:4: time is `nan`"},
           Case{json_of(result_of("\"time\": 5.0, \"alg_bw\": 20.97, \"bus_bw\": 31.45", in)),
                "log.txt:4: does not check"},
           Case{json_of(result_of("\"cpu_time\": 5.0, \"alg_bw\": 20.97, \"bus_bw\": 31.45", in)),
                "log.txt:4: times are those of the CPU"},
           Case{broken.substr(0, broken.size() / 2), "is no whole JSON"},
           Case{json_of(""), "has no results"},
           Case{"{\"version\": 2}", "has version 2; known is 3"},
           Case{"{\"version\": 3}", "is no output of nccl-tests -J"},
       }) {
    EXPECT_THAT(said(c.text, 2), HasSubstr(c.problem)) << c.text;
  }
}

// Both are measured; what the second four numbers say was passed over.
TEST_F(AgainstText, SaysWhereInPlaceIsOtherThanOutOfPlace) {
  EXPECT_THAT(said(kRow + "\n"), Not(HasSubstr("in place")));
  EXPECT_THAT(said("1048576 262144 float sum -1 50.00 20.97 31.46 0 62.50 16.78 25.17 0\n"),
              HasSubstr("in place takes up to 25 % more (line 1); compared is out of place"));
  EXPECT_THAT(said("1048576 262144 float sum -1 50.00 20.97 31.46 0 25.00 41.94 62.91 0\n"),
              HasSubstr("in place takes up to 50 % less (line 1)"));
  EXPECT_THAT(said("1048576 262144 float sum -1 50.00 20.97 31.46 0 49.10 21.36 32.03 3\n", 2),
              HasSubstr("came out wrong"));
}

TEST_F(AgainstText, WarnsOfOtherHosts) {
  program_.folder().write("s.yaml",
                          "name: pair\nracks: {count: 2, servers: 1, server: {part: hgx-h100}}\n"
                          "fabric: {topology: rail-optimised, group: 2, spines: 1}\n"
                          "jobs: [{name: j, type: all-reduce, size: 1MiB}]\n");
  const auto on = [this](int hosts) {
    std::string devices;
    for (int i = 0; i < 16; ++i) {
      devices += "#  Rank " + std::to_string(i) + " Group  0 Pid 1 on node" +
                 std::to_string(i * hosts / 16) + " device  0 [0x0f] NVIDIA H100 80GB HBM3\n";
    }
    return said(devices + "8 2 float sum -1 23.4 0.00 0.00 0\n");
  };
  EXPECT_THAT(on(2), Not(HasSubstr("warning")));
  EXPECT_THAT(on(4), HasSubstr("is of 4 hosts, such as node0, and job `j` runs on 2"));
  EXPECT_THAT(on(1), HasSubstr("is of 1 host, such as node0"));
}

TEST_F(AgainstText, TakesOfTheSizesThoseAskedFor) {
  EXPECT_THAT(run({"--against", "measured.txt", "--csv", "--sizes", "2MiB..1GiB"}).out,
              ::testing::AllOf(HasSubstr("\n4194304,"), Not(HasSubstr("\n1048576,"))));
  EXPECT_THAT(run({"--against", "measured.txt", "--csv", "--sizes", "1MiB"}).out,
              ::testing::AllOf(Not(HasSubstr("\n4194304,")), HasSubstr("\n1048576,")));
  EXPECT_THAT(run({"--against", "measured.txt", "--sizes", "3MiB"}, 2).err,
              HasSubstr("no row of 3MiB"));
}

}  // namespace
}  // namespace weft::testing
