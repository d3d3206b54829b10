#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

// Namespaces follow folders: one per library, and one more for rooms whose names need it. What
// everybody speaks, simcore and tools/io, is `weft` itself.

namespace weft {
namespace {

namespace fs = std::filesystem;

/// By folder, longer names first; a folder has that of the first one which it lies in.
constexpr std::array<std::pair<std::string_view, std::string_view>, 26> kNamespaces{{
    {"protocols/congestion", "weft::protocols::congestion"},
    {"protocols/path_selection", "weft::protocols::path_selection"},
    {"scenarios/api", "weft::api"},
    {"scenarios/language/lowering", "weft::scenarios::language"},
    {"scenarios/language/manual", "weft::scenarios::language"},
    {"scenarios/language/schemas", "weft::scenarios::language"},
    {"scenarios/language/yaml", "weft::scenarios::language"},
    {"simcore/schema", "weft::schema"},
    {"tools/begin", "weft::begin"},
    {"tools/bench", "weft::bench"},
    {"tools/cli", "weft::cli"},
    {"tools/deploy", "weft::deploy"},
    {"tools/diagnose", "weft::diagnose"},
    {"tools/evidence", "weft::evidence"},
    {"tools/import", "weft::import"},
    {"tools/live", "weft::live"},
    {"tools/report", "weft::report"},
    {"tools/sweep", "weft::sweep"},
    {"tools/python", "weft::python"},
    {"tools/topo", "weft::topo"},
    {"tools/validate", "weft::validate"},
    {"collectives", "weft::collectives"},
    {"protocols", "weft::protocols"},
    {"scenarios", "weft::scenarios"},
    {"topologies", "weft::topologies"},
    {"", "weft"},
}};

std::string_view namespace_of(const std::string& file) {
  return std::ranges::find_if(kNamespaces,
                              [&](const auto& entry) {
                                return entry.first.empty() ||
                                       file.starts_with(std::string(entry.first) + "/");
                              })
      ->second;
}

/// The first one that a file opens; empty: none, as where there is nothing but `main`.
std::string opened_namespace(const fs::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kStart = "namespace weft";
    if (!line.starts_with(kStart)) continue;
    const std::size_t begin = std::string_view("namespace ").size();
    return line.substr(begin, line.find_first_of(" {", begin) - begin);
  }
  return {};
}

/// All C++ sources and headers, with their paths from the root.
template <class Visit>
void for_each_source(Visit visit) {
  const fs::path root = WEFT_SOURCE_DIR;
  for (const char* top :
       {"simcore", "topologies", "protocols", "collectives", "scenarios", "tools"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
      visit(entry.path(), entry.path().lexically_relative(root).string());
    }
  }
}

TEST(Namespaces, FollowFolders) {
  int files = 0;
  for_each_source([&](const fs::path& path, const std::string& file) {
    const std::string opened = opened_namespace(path);
    if (opened.empty()) return;
    ++files;
    const std::string_view expected = namespace_of(file);
    const bool is_inside = opened.starts_with(std::string(expected) + "::");
    // Names inside a room may have a namespace of their own, names of `weft` may not.
    EXPECT_TRUE(opened == expected || (is_inside && expected != "weft"))
        << file << " is in " << opened << " instead of " << expected;
  });
  EXPECT_GT(files, 800);
}

/// The name of the struct or class of a namespace that a line begins to define; empty: none.
std::string defined_type(const std::string& line) {
  for (const std::string_view keyword : {"struct ", "class "}) {
    if (!line.starts_with(keyword) || line.back() == ';') continue;
    const std::size_t end = line.find_first_of(" :{<", keyword.size());
    const std::string name = line.substr(keyword.size(), end - keyword.size());
    const bool is_member = line.find("::", end) == end;
    return is_member || name == "WEFT_API" || name.starts_with("alignas") ? std::string() : name;
  }
  return {};
}

// Two types of one name in a namespace are one type to the linker, which keeps the functions of
// either.
TEST(Namespaces, HaveOneTypeOfAName) {
  std::map<std::pair<std::string, std::string>, std::string> defined;
  for_each_source([&](const fs::path& path, const std::string& file) {
    const std::string opened = opened_namespace(path);
    std::ifstream in(path);
    bool is_unnamed = false;
    for (std::string line; std::getline(in, line);) {
      if (line == "namespace {") is_unnamed = true;
      if (line == "}  // namespace") is_unnamed = false;
      if (is_unnamed || line.empty() || line.find('<') != std::string::npos) continue;
      const std::string name = defined_type(line);
      if (name.empty()) continue;
      const auto [other, is_new] = defined.try_emplace({opened, name}, file);
      EXPECT_TRUE(is_new) << opened << "::" << name << " of " << file << " is in " << other->second
                          << ", too";
    }
  });
  EXPECT_GT(defined.size(), 800U);
}

}  // namespace
}  // namespace weft
