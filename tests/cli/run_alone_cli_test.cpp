// `weft-run`, which tools/run builds first: the command `run` as `weft` has it, and no other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

class RunAlone : public ::testing::Test {
 protected:
  [[nodiscard]] Finished of(const char* program, std::vector<std::string> words) const {
    words.insert(words.begin(), program);
    return program_.wait_for(program_.start(words));
  }

  const Program program_{"run alone"};
};

/// Without the line that says how long it took.
std::string without_wall_time(const std::string& out) {
  const std::size_t begin = out.find("  simulated ");
  return out.substr(0, begin) + out.substr(out.find('\n', begin));
}

TEST_F(RunAlone, PrintsAndWritesWhatTheWholeProgramDoes) {
  const std::string scenario = std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml";
  const std::vector<std::string> words = {"run", scenario, "--set", "jobs[0].size=64KiB",
                                          "--blame"};
  const Finished whole = of(WEFT_PROGRAM, words);
  const Finished alone = of(WEFT_RUN_PROGRAM, words);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  // The second takes the first one's place, and says so.
  EXPECT_THAT(alone.out, HasSubstr("where they replace those of"));
  const std::size_t place = alone.out.find("  where they replace");
  const std::string out =
      alone.out.substr(0, place) + alone.out.substr(alone.out.find('\n', place) + 1);
  EXPECT_EQ(without_wall_time(out), without_wall_time(whole.out));
}

TEST_F(RunAlone, RefusesWhatTheWholeProgramRefuses) {
  const Finished alone = of(WEFT_RUN_PROGRAM, {"run", "nothing.yaml"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_EQ(alone.err, of(WEFT_PROGRAM, {"run", "nothing.yaml"}).err);
  const Finished other = of(WEFT_RUN_PROGRAM, {"explain", "results/x"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("`explain` is no command of weft-run"));
}

}  // namespace
}  // namespace weft::testing
