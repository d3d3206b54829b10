#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

// The facade stays thin: its header needs the standard library alone, its sources a few headers.

namespace weft {
namespace {

namespace fs = std::filesystem;

/// What a file includes between these two characters.
std::set<std::string> includes_of(const fs::path& file, char begin, char end) {
  std::set<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::string start = std::string("#include ") + begin;
    if (!line.starts_with(start)) continue;
    found.insert(line.substr(start.size(), line.find(end, start.size()) - start.size()));
  }
  return found;
}

TEST(Facade, HeaderIncludesTheStandardLibraryAlone) {
  const fs::path header = fs::path(WEFT_SOURCE_DIR) / "scenarios/api/weft.hpp";
  EXPECT_THAT(includes_of(header, '"', '"'), ::testing::IsEmpty());
  const std::set<std::string> standard = includes_of(header, '<', '>');
  EXPECT_GT(standard.size(), 5U);
  for (const std::string& name : standard) {
    EXPECT_EQ(name.find_first_of("./"), std::string::npos) << name;
  }
}

TEST(Facade, SourcesIncludeFifteenHeadersOfTheProject) {
  std::set<std::string> all;
  for (const auto& entry : fs::directory_iterator(fs::path(WEFT_SOURCE_DIR) / "scenarios/api")) {
    if (entry.path().extension() == ".md") continue;
    all.merge(includes_of(entry.path(), '"', '"'));
  }
  EXPECT_LE(all.size(), 15U);
  EXPECT_GE(all.size(), 5U);
}

}  // namespace
}  // namespace weft
