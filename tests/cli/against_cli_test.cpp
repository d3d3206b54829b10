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

constexpr const char* kScenario =
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
    program_.folder().write("s.yaml", kScenario);
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
  EXPECT_THAT(run({"--against", "measured.txt", "--sizes", "1MiB"}, 2).err, HasSubstr("--sizes"));
}

}  // namespace
}  // namespace weft::testing
