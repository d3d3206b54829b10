#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// `tools/run` of a checkout that was moved, or copied with its build folder: what is built there is
// run as it is, if the sources are the same.

namespace weft {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

/// A checkout with one source, whose `weft` says what it is asked; CMake fails.
class Checkout {
 public:
  Checkout() {
    fs::remove_all(root_);
    for (const char* folder : {"topologies", "protocols", "collectives", "scenarios"}) {
      fs::create_directories(root_ / "moved" / folder);
    }
    for (const char* tool : {"run", "common.sh"}) {
      fs::create_directories(tools());
      fs::copy_file(fs::path(WEFT_SOURCE_DIR) / "tools" / tool, tools() / tool);
    }
    write(tools() / "packages.txt", "[build]\n");
    write(moved() / "CMakeLists.txt", "");
    write(moved() / "CMakePresets.json", "{}");
    write(moved() / "simcore/a.cpp", "int a;\n");
    write(moved() / "build/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/where/it/was\n");
    write(moved() / "build/weft", "#!/bin/sh\necho ran \"$@\"\n");
    fs::permissions(moved() / "build/weft", fs::perms::owner_all);
    write(root_ / "bin/cmake", "#!/bin/sh\nexit 1\n");
    fs::permissions(root_ / "bin/cmake", fs::perms::owner_all);
    (void)shell(". '" + (tools() / "common.sh").string() + "' && note_sources");
  }
  ~Checkout() { fs::remove_all(root_); }
  Checkout(const Checkout&) = delete;
  Checkout& operator=(const Checkout&) = delete;

  [[nodiscard]] fs::path moved() const { return root_ / "moved"; }
  [[nodiscard]] bool has_built(const char* program) const {
    return fs::exists(moved() / "build" / program);
  }
  /// Nothing is built yet. CMake succeeds, and ninja builds programs that say what they are asked;
  /// `weft-run` then does what `end` says.
  void has_no_build(const std::string& end) const {
    fs::remove_all(moved() / "build");
    write(root_ / "weft", "#!/bin/sh\necho weft \"$@\"\n");
    write(root_ / "weft-run", "#!/bin/sh\necho weft-run \"$@\"\n" + end + "\n");
    write(root_ / "bin/cmake",
          "#!/bin/sh\nmkdir -p build\n"
          "printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nCMAKE_BUILD_TYPE:STRING=Release\n' \"$PWD\" "
          ">build/CMakeCache.txt\ntouch build/build.ninja\n");
    write(root_ / "bin/ninja",
          "#!/bin/sh\ncp \"" + root_.string() + "/$3\" \"$2/$3\" && chmod +x \"$2/$3\"\n");
    fs::permissions(root_ / "bin/ninja", fs::perms::owner_all);
  }
  /// What `tools/run x.yaml` prints, and its exit code.
  [[nodiscard]] std::string run() const {
    const int status = shell("'" + (tools() / "run").string() + "' x.yaml");
    std::ifstream in(root_ / "out");
    std::string line;
    std::getline(in, line);
    return line + " (" + std::to_string(WEXITSTATUS(status)) + ")";
  }

 private:
  [[nodiscard]] fs::path tools() const { return moved() / "tools"; }
  [[nodiscard]] int shell(const std::string& command) const {
    const std::string out = (root_ / "out").string();
    const std::string path = (root_ / "bin").string();
    return std::system(
        ("PATH='" + path + "':\"$PATH\" bash -ec \"" + command + "\" >'" + out + "' 2>/dev/null")
            .c_str());
  }

  const fs::path root_ = fs::path(::testing::TempDir()) /
                         ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST(RunTool, RunsWhatWasBuiltBeforeTheCheckoutMoved) {
  EXPECT_EQ(Checkout().run(), "ran run x.yaml (0)");
}

TEST(RunTool, BuildsAMovedCheckoutWhoseSourcesDiffer) {
  const Checkout checkout;
  write(checkout.moved() / "simcore/a.cpp", "int b;\n");
  EXPECT_EQ(checkout.run(), " (3)");
}

// What npm installs beside the page is not built from.
TEST(RunTool, RunsWhatWasBuiltWhateverNpmHasInstalledSince) {
  const Checkout checkout;
  write(checkout.moved() / "tools/report/page/node_modules/a/dist/a.js", "a");
  EXPECT_EQ(checkout.run(), "ran run x.yaml (0)");
  write(checkout.moved() / "tools/report/page/dist/report.js", "a");
  EXPECT_EQ(checkout.run(), " (3)");
}

// What was built by other means afterwards may be of other sources than those that were noted.
TEST(RunTool, BuildsAMovedCheckoutThatWasBuiltOnceMoreBeforeItMoved) {
  const Checkout checkout;
  fs::last_write_time(checkout.moved() / "build/weft",
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(checkout.run(), " (3)");
}

// A build by CMake alone notes its sources as tools/run does, so that a copy of it is run as it is.
TEST(RunTool, EveryBuildNotesItsSources) {
  const fs::path cmake = fs::path(WEFT_SOURCE_DIR) / "tools/CMakeLists.txt";
  std::ifstream in(cmake);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(text.find("TARGET weft POST_BUILD"), std::string::npos);
  const fs::path build = fs::path(WEFT_SOURCE_DIR) / "build";
  const bool is_ours = fs::exists(build / "weft") && fs::exists(build / "build.ninja");
  if (!is_ours) GTEST_SKIP() << "no build in build/";
  std::ifstream cache(build / "CMakeCache.txt");
  const std::string settings{std::istreambuf_iterator<char>(cache), {}};
  if (settings.find("CMAKE_BUILD_TYPE:STRING=Release") == std::string::npos) {
    GTEST_SKIP() << "build/ is no release build";
  }
  ASSERT_TRUE(fs::exists(build / ".sources"));
  EXPECT_GT(fs::last_write_time(build / ".sources"), fs::last_write_time(build / "weft"));
}

// `weft` takes two fifths longer to build than what a run needs of it.
TEST(RunTool, RunsWhatIsBuiltFirstAndThenBuildsTheRest) {
  const Checkout checkout;
  checkout.has_no_build("exit 2");
  EXPECT_EQ(checkout.run(), "weft-run run x.yaml (2)");
  EXPECT_TRUE(checkout.has_built("weft"));
  EXPECT_EQ(checkout.run(), "weft run x.yaml (0)");
}

// Ctrl-C reaches the script, too, and weft ends by itself.
TEST(RunTool, DoesNotBuildTheRestForWhoStopsTheRun) {
  const Checkout checkout;
  checkout.has_no_build("kill -INT $PPID; exit 1");
  EXPECT_EQ(checkout.run(), "weft-run run x.yaml (1)");
  EXPECT_FALSE(checkout.has_built("weft"));
}

}  // namespace
}  // namespace weft
