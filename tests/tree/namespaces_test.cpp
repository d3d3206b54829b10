#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
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

TEST(Namespaces, FollowFolders) {
  const fs::path root = WEFT_SOURCE_DIR;
  int files = 0;
  for (const char* top :
       {"simcore", "topologies", "protocols", "collectives", "scenarios", "tools"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
      const std::string file = entry.path().lexically_relative(root).string();
      const std::string opened = opened_namespace(entry.path());
      if (opened.empty()) continue;
      ++files;
      const std::string_view expected = namespace_of(file);
      const bool is_inside = opened.starts_with(std::string(expected) + "::");
      // Names inside a room may have a namespace of their own, names of `weft` may not.
      EXPECT_TRUE(opened == expected || (is_inside && expected != "weft"))
          << file << " is in " << opened << " instead of " << expected;
    }
  }
  EXPECT_GT(files, 800);
}

}  // namespace
}  // namespace weft
