#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

// protocols/MODEL.md is a specification: tests cite its rules, all but those that are named here.

namespace weft {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator(in), {}};
}

void add_matches(const std::string& text, const std::regex& pattern, std::set<std::string>& found) {
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
}

/// Numbers such as 2.1.
std::set<std::string> rules() {
  std::set<std::string> found;
  add_matches(text_of(fs::path(WEFT_SOURCE_DIR) / "protocols/MODEL.md"),
              std::regex(R"(\n- \*\*(\d+\.\d+)\*\* )"), found);
  return found;
}

/// Of comments of tests such as `MODEL.md 2.1, 2.2`.
std::set<std::string> cited_rules() {
  static const std::regex citation(R"(// MODEL\.md ((?:\d+\.\d+(?:, )?)+)\n)");
  static const std::regex number(R"((\d+\.\d+))");
  std::set<std::string> cited;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(WEFT_SOURCE_DIR) / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), citation), end; at != end; ++at) {
      add_matches((*at)[1], number, cited);
    }
  }
  return cited;
}

/// Rules that no test holds yet.
const std::set<std::string> kUntested{"1.5", "9.2", "10.3", "11.4", "18.6"};

TEST(ModelRules, AreCitedByTests) {
  const std::set<std::string> all = rules();
  EXPECT_GT(all.size(), 50U);
  const std::set<std::string> cited = cited_rules();
  for (const std::string& rule : all) {
    EXPECT_NE(cited.contains(rule), kUntested.contains(rule)) << "MODEL.md " << rule;
  }
  for (const std::string& rule : cited) {
    EXPECT_TRUE(all.contains(rule)) << "a test cites MODEL.md " << rule << ", which does not exist";
  }
}

}  // namespace
}  // namespace weft
