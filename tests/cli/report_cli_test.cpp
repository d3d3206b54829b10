// `weft report` as a user meets it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReportCli : public ::testing::Test {
 protected:
  ReportCli() {
    const std::string scenario = std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml";
    EXPECT_EQ(weft_.run({"run", scenario, "--quiet", "--out", "a"}).exit_code, 0);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return weft_.folder().read(name);
  }

  Program weft_{"weft report"};
};

TEST_F(ReportCli, WritesAPageThatLoadsNothing) {
  const Finished made = weft_.run({"report", "a"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, "  report in report.html\n");
  const std::string page = read("report.html");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html><!-- weft report -->\n"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
  EXPECT_EQ(weft_.run({"report", "a"}).exit_code, 0) << "its own page is replaced";
}

TEST_F(ReportCli, LeavesFilesOfOthersAlone) {
  std::ofstream(weft_.path("report.html")) << "<p>mine</p>";
  const Finished refused = weft_.run({"report", "a"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("say by -o what to write"));
  EXPECT_EQ(read("report.html"), "<p>mine</p>");
  std::filesystem::create_directory(weft_.path("folder"));
  EXPECT_EQ(weft_.run({"report", "a", "-o", "folder"}).exit_code, 1);
}

// What `weft compare --expect` prints stands on the page of the two runs, too.
TEST_F(ReportCli, HasVerdictsOnSeveralRuns) {
  const std::string scenario = std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml";
  ASSERT_EQ(
      weft_.run({"run", scenario, "--quiet", "--out", "b", "--set", "fabric.spines=8"}).exit_code,
      0);
  const std::string expected = "b.jobs.incast.jct_seconds <= 0.5 * a.jobs.incast.jct_seconds";
  EXPECT_EQ(weft_.run({"compare", "a", "b", "--expect", expected}).exit_code, 1);
  EXPECT_EQ(weft_.run({"report", "a", "b", "--expect", expected}).exit_code, 0);
  const auto data_of = [this] {
    const std::string page = read("report.html");
    const std::string begin = "id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
  };
  const auto verdict = data_of().at("expectations").at(0);
  EXPECT_EQ(verdict.at("expectation"), expected);
  EXPECT_EQ(verdict.at("holds"), false);
  EXPECT_EQ(verdict.at("values").size(), 2U);
  // Of one run they are its own.
  EXPECT_EQ(weft_.run({"report", "a", "--expect", "network.timeouts == 0"}).exit_code, 0);
  EXPECT_EQ(data_of().at("runs").at(0).at("expectations").at(0).at("holds"), true);
  EXPECT_FALSE(data_of().contains("expectations"));
  EXPECT_EQ(weft_.run({"report", "a", "--expect", "c.x < 1"}).exit_code, 2);
}

TEST_F(ReportCli, SaysWhatIsNoFolderOfResults) {
  const Finished refused = weft_.run({"report", "b"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("summary.json"));
  EXPECT_FALSE(std::filesystem::exists(weft_.path("report.html")));
  EXPECT_EQ(weft_.run({"report"}).exit_code, 2);
  EXPECT_THAT(weft_.run({"reprot", "a"}).err, HasSubstr("report"));
}

}  // namespace
}  // namespace weft::testing
