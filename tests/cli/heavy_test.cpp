// Scenarios of a few lines that ask for much: they are answered at once, and in little memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/measured_run.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kHeavy = std::string(WEFT_SOURCE_DIR) + "/tests/scenarios/heavy/";

MeasuredRun check(const std::string& name) {
  const fs::path output =
      fs::temp_directory_path() / ("weft heavy " + std::to_string(::getpid()) + ".txt");
  MeasuredRun run = run_measured(WEFT_PROGRAM, {"check", kHeavy + name + ".yaml"}, output);
  fs::remove(output);
  return run;
}

/// A second as it was asked for, of a processor that others slow down to half its speed.
constexpr double kSoon = kIsSanitized ? 60 : 2;

TEST(Heavy, AStrongSkewIsDrawnAtOnce) {
  const MeasuredRun f = check("strong-skew");
  EXPECT_EQ(f.exit_code, 0) << f.text;
  EXPECT_LT(f.processor_seconds, kSoon);
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

}  // namespace
}  // namespace weft::testing
