#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

// `tools/test -R NAME` builds the programs that hold a test of such a name, and no other.

namespace weft {
namespace {

struct Printed {
  std::string text;
  int exit_code = 0;
};

Printed programs_with(const std::string& pattern) {
  const std::string command =
      WEFT_SOURCE_DIR "/tools/test --programs -R '" + pattern + "' 2>/dev/null";
  Printed printed;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 256> buffer{};
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) printed.text += buffer.data();
  const int status = pclose(pipe);
  printed.exit_code = WEXITSTATUS(status);
  return printed;
}

TEST(TestTool, FindsProgramsByTheirTests) {
  EXPECT_EQ(programs_with("TestTool").text, "test_tree_fast\n");
  EXPECT_EQ(programs_with("^simcore").text, "test_simcore_fast\n");
  EXPECT_EQ(programs_with("RandomInvariants.HoldInBothEngines/13").text, "test_engines_fast\n");
  EXPECT_EQ(programs_with("HoldInBothEngines/(13|14)$").text, "test_engines_fast\n");
  EXPECT_EQ(programs_with("FindsProgramsByTheirTests$|Histogram.*HasNone").text,
            "test_tree_fast\n");
  EXPECT_EQ(programs_with("OpensInBrowser").text, "weft\n");
}

TEST(TestTool, ANameThatNoTestHasIsAnError) {
  EXPECT_EQ(programs_with("HasNoSuchTest").exit_code, 2);
}

}  // namespace
}  // namespace weft
