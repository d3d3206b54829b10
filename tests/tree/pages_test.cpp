#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

// What is written about the sources: READMEs are maps, and what pages lead to or name is there.

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFolders{"simcore",   "topologies", "protocols", "collectives",
                              "scenarios", "tests",      "tools",     ".ci"};

/// Files and folders of the project, relative to its root.
std::set<std::string> read_paths() {
  const fs::path root = WEFT_SOURCE_DIR;
  std::set<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (entry.is_regular_file()) paths.insert(entry.path().filename().string());
  }
  for (const char* folder : kFolders) {
    paths.insert(folder);
    for (auto entry = fs::recursive_directory_iterator(root / folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
      // Libraries of others, where somebody works on the page.
      if (entry->path().filename() == "node_modules") {
        entry.disable_recursion_pending();
        continue;
      }
      paths.insert(entry->path().lexically_relative(root).string());
    }
  }
  return paths;
}

std::string read(const std::string& path) {
  std::ifstream in(fs::path(WEFT_SOURCE_DIR) / path);
  return {std::istreambuf_iterator(in), {}};
}

struct Page {
  std::string path;
  std::string text;  ///< without what stands between lines of ```

  [[nodiscard]] std::string folder() const { return fs::path(path).parent_path().string(); }
};

std::vector<Page> read_pages(const std::set<std::string>& paths) {
  static const std::regex block("(^|\n)```[^]*?\n```");
  std::vector<Page> pages;
  for (const std::string& path : paths) {
    if (path.ends_with(".md")) pages.push_back({path, std::regex_replace(read(path), block, "")});
  }
  return pages;
}

/// What the first group of `pattern` holds, place by place.
std::vector<std::string> find_all(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

/// The anchors that GitHub gives to headings: small letters, digits, and dashes for spaces.
std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> anchors;
  for (const std::string& heading : find_all(text, std::regex("(?:^|\n)#+ ([^\n]*)"))) {
    std::string anchor;
    for (const char c : heading) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(byte));
      } else if (c == ' ') {
        anchor += '-';
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

/// A pattern of names, with `*` for any characters and `{a,b}` for alternatives, which may begin
/// with any folders.
std::regex as_regex(const std::string& name) {
  std::string text = "(?:.*/)?";
  bool is_in_braces = false;
  for (const char c : name) {
    if (c == '{' || c == '}') {
      is_in_braces = c == '{';
      text += is_in_braces ? "(?:" : ")";
    } else if (c == '*') {
      text += "[^/]*";
    } else if (c == ',' && is_in_braces) {
      text += '|';
    } else {
      if (c == '.') text += '\\';
      text += c;
    }
  }
  return std::regex(text);
}

/// Whether words in backquotes mean a source or a place in the tree, not a key, a result or what a
/// recipe is to make (`foo`).
bool is_name_in_tree(const std::string& word) {
  static const std::regex source(
      R"([a-z\d_./*{},-]*\w\.(hpp|cpp|cmake|sh|\*|\{hpp,cpp\})|[\w./-]+\.md)");
  static const std::regex place(R"([\w./*{},-]+)");
  if (word.find("foo") != std::string::npos) return false;
  const bool is_below = std::ranges::any_of(kFolders, [&word](const char* folder) {
    return word.starts_with(std::string(folder) + "/");
  });
  return std::regex_match(word, source) || (is_below && std::regex_match(word, place));
}

/// Whether a page names something at the root, or anywhere below its own folder.
bool is_there(const std::set<std::string>& paths, const std::string& folder, std::string name) {
  while (name.ends_with('/')) name.pop_back();
  if (paths.contains(name) || paths.contains(folder + "/" + name)) return true;
  const std::regex pattern = as_regex(name);
  const std::string below = folder.empty() ? "" : folder + "/";
  return std::ranges::any_of(paths, [&](const std::string& path) {
    return (path.starts_with(below) || name.find('/') != std::string::npos) &&
           std::regex_match(path, pattern);
  });
}

TEST(Pages, LeadToPlacesThatExist) {
  const std::set<std::string> paths = read_paths();
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::size_t links = 0;
  for (const Page& page : read_pages(paths)) {
    for (const std::string& target : find_all(page.text, link)) {
      if (target.find("://") != std::string::npos) continue;
      ++links;
      const std::size_t hash = target.find('#');
      const std::string file = target.substr(0, hash);
      const std::string path =
          file.empty() ? page.path : (fs::path(page.folder()) / file).lexically_normal().string();
      EXPECT_TRUE(paths.contains(path)) << page.path << " leads to " << target;
      if (hash == std::string::npos) continue;
      EXPECT_TRUE(anchors_of(read(path)).contains(target.substr(hash + 1)))
          << page.path << " leads to " << target;
    }
  }
  EXPECT_GT(links, 50U);
}

TEST(Pages, NameFilesThatExist) {
  const std::set<std::string> paths = read_paths();
  std::size_t names = 0;
  for (const Page& page : read_pages(paths)) {
    for (const std::string& word : find_all(page.text, std::regex("`([^`\n]+)`"))) {
      if (!is_name_in_tree(word)) continue;
      ++names;
      EXPECT_TRUE(is_there(paths, page.folder(), word)) << page.path << " names " << word;
    }
  }
  EXPECT_GT(names, 100U);
}

TEST(Pages, ListWhatIsShipped) {
  const std::string list = read("scenarios/SHIPPED.md");
  const std::string folder = "scenarios/";
  for (const std::string& path : read_paths()) {
    if (!path.starts_with(folder) || !path.ends_with(".yaml")) continue;
    EXPECT_NE(list.find("](" + path.substr(folder.size()) + ")"), std::string::npos) << path;
  }
}

// A shell makes several words of `--set a={b:1,c:2}`, and YAML has no key in `b:1`: such settings
// are quoted.
TEST(Pages, QuoteMappingsThatAreSet) {
  std::size_t settings = 0;
  for (const std::string& path : read_paths()) {
    if (!path.starts_with("scenarios/") || !path.ends_with(".yaml")) continue;
    for (const std::string& word : find_all(read(path), std::regex("--set +([^\\s]+)"))) {
      ++settings;
      const std::size_t brace = word.find_first_of("{");
      const std::size_t quote = word.find_first_of("\"'");
      EXPECT_FALSE(brace != std::string::npos && brace < quote) << path << ": " << word;
    }
  }
  EXPECT_GT(settings, 50U);
}

TEST(Readmes, AreMaps) {
  for (const std::string& path : read_paths()) {
    if (fs::path(path).filename() != "README.md") continue;
    EXPECT_LE(std::ranges::count(read(path), '\n'), path == "README.md" ? 120 : 60) << path;
  }
}

}  // namespace
}  // namespace weft
