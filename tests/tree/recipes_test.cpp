#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

// Recipes (ADD_*.md) show edits as differences. What they take out, and what they show beside it,
// stands in the files that they name, so that whoever follows one finds the place. Files that they
// add are not there.

namespace weft {
namespace {

namespace fs = std::filesystem;

std::set<std::string> lines_of(const fs::path& path) {
  std::set<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

/// How many lines of the edits on a page were looked up.
std::size_t check_edits(const fs::path& page) {
  const fs::path root = WEFT_SOURCE_DIR;
  std::ifstream in(page);
  std::set<std::string> file;
  bool is_edit = false;
  bool is_file = false;
  std::size_t checked = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      is_edit = line == "```diff";
      is_file = false;
    } else if (is_edit && (line.starts_with("--- ") || line.starts_with("+++ "))) {
      is_file = line.starts_with("---");
      EXPECT_EQ(fs::exists(root / line.substr(4)), is_file) << page << ": " << line;
      if (!is_file) continue;
      file = lines_of(root / line.substr(4));
    } else if (is_edit && is_file && (line.starts_with("-") || line.starts_with(" "))) {
      EXPECT_TRUE(file.contains(line.substr(1))) << page << ": " << line;
      ++checked;
    }
  }
  return checked;
}

TEST(Recipes, EditWhatStandsInTheFilesThatTheyName) {
  std::size_t pages = 0;
  std::size_t lines = 0;
  for (const char* const folder : {"collectives", "protocols", "scenarios", "topologies"}) {
    for (const fs::path& path : fs::directory_iterator(fs::path(WEFT_SOURCE_DIR) / folder)) {
      const std::string name = path.filename();
      if (!name.starts_with("ADD_") || path.extension() != ".md") continue;
      ++pages;
      lines += check_edits(path);
    }
  }
  EXPECT_GE(pages, 9U);
  EXPECT_GE(lines, 12U);
}

}  // namespace
}  // namespace weft
