#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

// What the sources say about themselves: a folder is a room of about twenty files, and rooms know
// each other in one direction only.

namespace weft {
namespace {

namespace fs = std::filesystem;

struct Tree {
  std::map<std::string, int> files;                   ///< by folder
  std::map<std::string, std::set<std::string>> uses;  ///< folders that a folder includes from
};

/// Whether one of them lies in the other: a concept beside the folders of those that fulfil it.
bool are_related(const std::string& a, const std::string& b) {
  return a.starts_with(b + "/") || b.starts_with(a + "/");
}

Tree read_tree() {
  const fs::path root = WEFT_SOURCE_DIR;
  Tree tree;
  for (const char* top :
       {"simcore", "topologies", "protocols", "collectives", "scenarios", "tools"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
      const std::string folder = entry.path().parent_path().lexically_relative(root).string();
      ++tree.files[folder];
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        const std::string start = "#include \"";
        if (!line.starts_with(start)) continue;
        const std::string file = line.substr(start.size(), line.rfind('"') - start.size());
        const std::string used = fs::path(file).parent_path().string();
        if (used != folder && !are_related(used, folder)) tree.uses[folder].insert(used);
      }
    }
  }
  return tree;
}

/// Follows what `folder` uses; a folder met on the way to itself is a circle.
void find_circles(const Tree& tree, const std::string& folder, std::vector<std::string>& way,
                  std::set<std::string>& done) {
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (way[i] != folder) continue;
    std::string circle;
    for (; i < way.size(); ++i) circle += way[i] + " -> ";
    ADD_FAILURE() << circle << folder;
    return;
  }
  if (!done.insert(folder).second) return;
  way.push_back(folder);
  if (const auto uses = tree.uses.find(folder); uses != tree.uses.end()) {
    for (const std::string& next : uses->second) find_circles(tree, next, way, done);
  }
  way.pop_back();
}

TEST(Rooms, KnowEachOtherInOneDirection) {
  const Tree tree = read_tree();
  ASSERT_GT(tree.uses.size(), 20U);
  std::vector<std::string> way;
  std::set<std::string> done;
  for (const auto& [folder, uses] : tree.uses) find_circles(tree, folder, way, done);
}

TEST(Rooms, HoldAboutTwentyFiles) {
  for (const auto& [folder, count] : read_tree().files) EXPECT_LE(count, 20) << folder;
}

}  // namespace
}  // namespace weft
