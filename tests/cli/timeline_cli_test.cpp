// Timelines as a user meets them: where they are, and what they take.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/measured_run.hpp"
#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kRingOfSixteen = R"(
name: ring
racks: {count: 2, servers: 8, server: host-400g}
fabric: {topology: leaf-spine, spines: 4, switch: spectrum-4}
observe: {messages: false, timeline: perfetto}
jobs: [{name: ring, type: all-reduce, algorithm: ring, size: 64KiB, iterations: 2}]
)";

class TimelineCli : public ::testing::Test {
 protected:
  TimelineCli() { std::ofstream(weft_.path("ring.yaml")) << kRingOfSixteen; }
  [[nodiscard]] bool has(const std::string& file) const { return fs::exists(weft_.path(file)); }

  Program weft_{"weft timeline"};
};

TEST_F(TimelineCli, IsThereWithTheOtherResultsAndGoesWithThem) {
  ASSERT_EQ(weft_.run({"run", "ring.yaml", "--quiet", "--out", "out"}).exit_code, 0);
  EXPECT_TRUE(has("out/timeline.perfetto-trace"));
  EXPECT_FALSE(has("out/timeline.perfetto-trace.counters"));
  ASSERT_EQ(weft_
                .run({"run", "ring.yaml", "--quiet", "--out", "out", "--set",
                      "observe.timeline.format=json"})
                .exit_code,
            0);
  EXPECT_TRUE(has("out/timeline.json"));
  EXPECT_FALSE(has("out/timeline.perfetto-trace")) << "of the run before";
}

TEST_F(TimelineCli, IsAskedForOnTheCommandLineToo) {
  std::ofstream(weft_.path("plain.yaml"))
      << std::string(kRingOfSixteen)
             .replace(std::string(kRingOfSixteen).find(", timeline: perfetto"), 20, "");
  const Finished without = weft_.run({"run", "plain.yaml", "--out", "without"});
  ASSERT_EQ(without.exit_code, 0) << without.err;
  EXPECT_FALSE(has("without/timeline.perfetto-trace"));
  const Finished run = weft_.run({"run", "plain.yaml", "--timeline", "--out", "out"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has("out/timeline.perfetto-trace"));
  EXPECT_THAT(run.out, HasSubstr("what ranks did when: out/timeline.perfetto-trace"));
}

TEST_F(TimelineCli, IsOfBothEngines) {
  const Finished run =
      weft_.run({"run", "ring.yaml", "--engine", "both", "--quiet", "--out", "out"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has("out/timeline.perfetto-trace"));
  EXPECT_TRUE(has("out-fluid/timeline.perfetto-trace"));
}

TEST_F(TimelineCli, SaysWhereItIsFull) {
  const Finished run = weft_.run({"run", "ring.yaml", "--out", "out", "--set",
                                  "jobs[0].iterations=40", "--set", "observe.timeline.limit=1MB"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out + run.err, HasSubstr("timeline.perfetto-trace has reached its limit"));
  EXPECT_LT(fs::file_size(weft_.path("out/timeline.perfetto-trace")), 1'001'000U);
}

// Twenty times as many iterations make a trace twenty times as long, more than a hundred megabytes;
// what the run keeps of it is what happens in 20 us. Eight megabytes are for what else grows, as
// the rows of iterations, and for what memory differs by from run to run.
TEST_F(TimelineCli, TakesNoMemoryForItsLength) {
  if (kIsSanitized) GTEST_SKIP() << "measures the sanitizer";
  std::vector<long> peaks;
  std::vector<std::uintmax_t> sizes;
  for (const char* iterations : {"100", "2000"}) {
    const std::string out = weft_.path(std::string("out-") + iterations).string();
    const MeasuredRun run =
        run_measured(WEFT_PROGRAM,
                     {"run", weft_.path("ring.yaml").string(), "--quiet", "--threads", "1", "--out",
                      out, "--set", std::string("jobs[0].iterations=") + iterations},
                     weft_.path("printed.txt"));
    ASSERT_EQ(run.exit_code, 0) << run.text;
    peaks.push_back(run.peak_kilobytes);
    sizes.push_back(fs::file_size(fs::path(out) / "timeline.perfetto-trace"));
  }
  EXPECT_GT(sizes[1], 19 * sizes[0]);
  EXPECT_GT(sizes[1], 100'000'000U);
  EXPECT_LT(peaks[1], peaks[0] + 8'192);
}

}  // namespace
}  // namespace weft::testing
