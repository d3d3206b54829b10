#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sweep/language/load_sweep.hpp"
#include "tools/sweep/plan/points.hpp"

namespace weft::testing {

/// A folder of its own for a test, removed at the end.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("weft sweep " + std::to_string(::getpid()) + " " +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path write(const char* name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Four hosts, one permutation: a run takes a millisecond.
inline constexpr const char* kTinyScenario =
    "scenario:\n"
    "  name: tiny\n"
    "  racks: {count: 2, servers: 2, server: host-400g}\n"
    "  fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
    "  jobs:\n"
    "    - {name: perm, type: permutation, size: 64KiB, jitter: 10us}\n";

inline Result<sweep::Sweep> load(const Folder& folder, const std::string& text,
                                 const std::vector<std::string>& overrides = {}) {
  return sweep::load_sweep(folder.write("sweep.yaml", text), overrides);
}

/// The first error, without the folder.
template <class T>
std::string first_error(const Result<T>& result) {
  if (result.ok()) return "no error";
  std::string text = result.errors().front().to_string();
  const std::size_t at = text.find("sweep.yaml");
  return at == std::string::npos ? text : text.substr(at);
}

}  // namespace weft::testing
