#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

/// What the manual's pages tell people to type.
namespace weft::testing {

struct Recipe {
  int line = 0;
  std::string command;
};

struct RecipePage {
  std::string path;             ///< below the root of the checkout
  std::vector<Recipe> recipes;  ///< in order
};

/// The first word of a command: what weft is, or what is typed around it.
inline bool is_command(const std::string& text) {
  static const std::regex start(
      R"((build/)?weft [^ ].*|tools/run .*|mpirun .*|sqlite3 .*|echo .*)");
  return std::regex_match(text, start);
}

/// Without a remark behind it.
inline std::string without_remark(const std::string& text) {
  std::string command = text.substr(0, text.find(" # "));
  while (!command.empty() && std::isspace(static_cast<unsigned char>(command.back())) != 0) {
    command.pop_back();
  }
  return command;
}

/// Commands are in blocks: indented by four, or between lines of ``` (of `sh` or of nothing). What
/// a command printed may follow it. A line that is neither in a block nor a command is prose.
inline std::vector<Recipe> recipes_of(const std::filesystem::path& page) {
  std::ifstream in(page);
  std::vector<Recipe> recipes;
  std::string fence;
  bool is_after_blank = true;
  bool is_indented = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      fence = fence.empty() ? line : std::string();
      is_after_blank = true;
      continue;
    }
    const bool has_indent = line.starts_with("    ");
    is_indented = fence.empty() && has_indent && (is_indented || is_after_blank);
    is_after_blank = line.empty();
    if (line.empty()) continue;
    const std::string text = is_indented ? line.substr(4) : line;
    if ((is_indented || fence == "```sh" || fence == "```") && is_command(text)) {
      recipes.push_back({number, without_remark(text)});
    }
  }
  return recipes;
}

inline bool is_manual_page(const std::string& path) {
  if (!path.ends_with(".md") || path.starts_with("build")) return false;
  // What a tutorial adds to weft is not in it, but for a scenario.
  const std::string name = path.substr(path.rfind('/') + 1);
  return !name.starts_with("ADD_") || name == "ADD_A_SCENARIO.md";
}

/// Pages of the site have scenarios of their own: tests/site runs their blocks, and compares what
/// they print.
inline bool is_of_site(const std::string& path) { return path.starts_with("tools/site/"); }

/// Every page with commands.
inline std::vector<RecipePage> recipe_pages(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  std::vector<RecipePage> pages;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string path = at->path().lexically_relative(root).string();
    if (at->is_directory() &&
        (path.starts_with("build") || path == ".git" || at->path().filename() == "node_modules")) {
      at.disable_recursion_pending();
      continue;
    }
    if (!is_manual_page(path)) continue;
    RecipePage page{path, recipes_of(at->path())};
    if (!page.recipes.empty()) pages.push_back(std::move(page));
  }
  std::ranges::sort(pages, {}, &RecipePage::path);
  return pages;
}

/// The new files of a page's ```diff blocks, as its reader writes them: by path, with their text.
inline std::vector<std::pair<std::string, std::string>> files_of(
    const std::filesystem::path& page) {
  std::ifstream in(page);
  std::vector<std::pair<std::string, std::string>> files;
  bool is_file = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("+++ ")) {
      files.emplace_back(line.substr(4), "");
      is_file = true;
    } else if (line.starts_with("```") || line.starts_with("--- ")) {
      is_file = false;
    } else if (is_file && line.starts_with('+')) {
      files.back().second += line.substr(1) + "\n";
    }
  }
  return files;
}

/// A folder as a page's reader has it: empty, or with what of the checkout its commands name.
/// `weft` is found by its name; `tools/run` is `weft run` on what is built.
class RecipeFolder {
 public:
  /// `weft` is a script that runs the program; empty: the program itself.
  RecipeFolder(const std::filesystem::path& root, const std::filesystem::path& folder,
               const RecipePage& page, const std::string& script)
      : folder_(folder) {
    namespace fs = std::filesystem;
    fs::create_directories(folder_ / "bin");
    if (script.empty()) {
      fs::create_symlink(WEFT_PROGRAM, folder_ / "bin/weft");
    } else {
      write_program("bin/weft", script);
    }
    const auto names = [&page](const std::string& text) {
      return std::ranges::any_of(page.recipes, [&text](const Recipe& recipe) {
        return recipe.command.find(text) != std::string::npos;
      });
    };
    if (names("build/weft")) {
      fs::create_directories(folder_ / "build");
      fs::create_symlink(folder_ / "bin/weft", folder_ / "build/weft");
    }
    if (names("tools/run ")) {
      fs::create_directories(folder_ / "tools");
      write_program("tools/run", "#!/bin/sh\nexec weft run \"$@\"\n");
    }
    if (names("scenarios/")) {
      fs::copy(root / "scenarios", folder_ / "scenarios", fs::copy_options::recursive);
    }
    if (names("tests/operators/")) {
      fs::create_directories(folder_ / "tests");
      fs::copy(root / "tests/operators", folder_ / "tests/operators", fs::copy_options::recursive);
    }
    for (const auto& [path, text] : files_of(root / page.path)) {
      if (path.ends_with(".yaml")) std::ofstream(folder_ / path) << text;
    }
  }

  /// One command line, in bash, which ends at the first failure.
  [[nodiscard]] std::vector<std::string> shell(const std::string& command) const {
    return {"bash",
            "-e",
            "-o",
            "pipefail",
            "-c",
            "PATH='" + (folder_ / "bin").string() + "':$PATH; cd '" + folder_.string() + "'; " +
                command};
  }

 private:
  void write_program(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }

  std::filesystem::path folder_;
};

}  // namespace weft::testing
