#include "tests/fuzz/seeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "tests/properties/golden_cases.hpp"
#include "tests/properties/random_scenario.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRandomScenarios = 50;

/// Uses parts of every kind.
constexpr std::string_view kSmall = R"(name: small
racks: {count: 2, servers: 1, server: hgx-h100}
links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}
fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}
jobs:
  - {name: pair, type: send-recv, size: 64KiB, ranks: 0-3}
)";

/// Lists of messages with all that the format allows.
constexpr std::array<std::string_view, 3> kMessages{
    "start,source,destination,bytes\n1us,0,1,4096\n\n# later\n2.5ms,1,0,1\n",
    "\xef\xbb\xbf\"start_us\",\"destination\",\"source\",\"bytes\"\r\n\"0.25\",\"1\",\"0\","
    "\"300\"\r\n1, 2, 3, 700\r\n",
    "start_ns, source, destination, bytes, class\n0,0,3,12,data\n7,3,0,1000000,data\n7,3,1,5,data",
};
constexpr std::string_view kMessagesScenario = R"(name: messages
racks: {count: 2, servers: 2, server: host-400g}
fabric: {topology: leaf-spine, spines: 1}
jobs:
  - {name: m, type: messages, csv: messages.csv}
)";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What is changed in lines that are comments says nothing.
std::string without_comments(const std::string& yaml) {
  std::istringstream text(yaml);
  std::string kept;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with('#')) kept += line + "\n";
  }
  return kept;
}

std::string read_yaml(const fs::path& path) { return without_comments(read_file(path)); }

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class Seeds {
 public:
  std::vector<std::string> collect() {
    for (const char* folder : {"scenarios", "tests/scenarios/valid", "tests/scenarios/malformed"}) {
      for (const fs::path& file : files_in(root_ / folder, ".yaml")) add_scenario(file);
    }
    for (const GoldenCase& golden : golden_cases()) add_golden(golden);
    for (const fs::path& file : files_in(root_ / "scenarios/sweeps", ".yaml")) add_sweep(file);
    for (const fs::path& file : files_in(root_ / "topologies/catalogue", ".yaml")) {
      add_catalogue(file);
    }
    for (const std::string_view messages : kMessages) {
      seeds_.push_back(fmt::format("{}%messages\n{}", kMessagesScenario, messages));
    }
    for (const fs::path& file : files_in(root_ / "tests/fuzz/found", ".txt")) {
      seeds_.push_back(read_file(file));
    }
    for (std::uint64_t i = 0; i < kRandomScenarios; ++i) {
      seeds_.push_back(without_comments(RandomScenario(i).text()));
    }
    return std::move(seeds_);
  }

 private:
  /// The messages that it reads go along.
  void add_scenario(const fs::path& file) {
    static constexpr std::string_view kKey = "csv: ";
    std::string text = read_yaml(file);
    if (const std::size_t at = text.find(kKey); at != std::string::npos) {
      const std::size_t begin = at + kKey.size();
      const std::size_t length = text.find_first_of(",}\n", begin) - begin;
      const std::string messages = read_file(file.parent_path() / text.substr(begin, length));
      text.replace(begin, length, "messages.csv");
      text += "\n%messages\n" + messages;
    }
    seeds_.push_back(std::move(text));
  }

  void add_golden(const GoldenCase& golden) {
    if (golden.overrides.empty()) return;
    std::string text = read_yaml(root_ / "scenarios" / golden.scenario) + "\n%set\n";
    for (const std::string& override : golden.overrides) text += override + "\n";
    seeds_.push_back(std::move(text));
  }

  /// The scenario that it is about, if that is another file, goes along.
  void add_sweep(const fs::path& file) {
    std::string text = read_yaml(file);
    const std::string key = "\nscenario: ";
    const std::size_t at = text.find(key);
    std::string base;
    if (at != std::string::npos) {
      const std::size_t begin = at + key.size();
      const std::size_t length = text.find('\n', begin) - begin;
      base = read_yaml(file.parent_path() / text.substr(begin, length));
      text.replace(begin, length, "scenario.yaml");
    }
    seeds_.push_back(base + "\n%sweep\n" + text);
  }

  void add_catalogue(const fs::path& file) {
    seeds_.push_back(fmt::format("{}%{}\n{}", kSmall, file.stem().string(), read_yaml(file)));
  }

  fs::path root_{WEFT_SOURCE_DIR};
  std::vector<std::string> seeds_;
};

}  // namespace

std::vector<std::string> fuzz_seeds() { return Seeds().collect(); }

}  // namespace weft::testing
