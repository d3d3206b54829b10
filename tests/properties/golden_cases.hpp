#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::testing {

/// A line of tests/golden/digests.txt: scenario, overrides, digest.
struct GoldenCase {
  std::string name;  ///< letters, digits and underscores
  std::string scenario;
  std::vector<std::string> overrides;
  std::string digest;

  [[nodiscard]] scenarios::Experiment experiment(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), overrides.begin(), overrides.end());
    const auto loaded =
        scenarios::load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/" + scenario, more);
    if (!loaded.ok()) throw std::runtime_error(loaded.errors().front().to_string());
    auto built = scenarios::build_experiment(loaded.value().scenario);
    if (!built.ok()) throw std::runtime_error(built.errors().front().to_string());
    return std::move(built).value();
  }
  friend std::ostream& operator<<(std::ostream& out, const GoldenCase& golden) {
    out << golden.scenario;
    for (const std::string& word : golden.overrides) out << ' ' << word;
    return out;
  }
};

/// Those that take a second or more, which tests that run them several times leave to `full`.
inline bool is_long(const GoldenCase& golden) {
  static constexpr std::array<std::string_view, 12> kLong = {"allreduce-algorithms.yaml",
                                                             "flapping.yaml",
                                                             "gpt3-175b.yaml",
                                                             "hgx-vs-nvl72.yaml",
                                                             "llama3-405b-slice.yaml",
                                                             "llr.yaml",
                                                             "nccl-h100-16-nodes.yaml",
                                                             "nvl72.yaml",
                                                             "reuse.yaml",
                                                             "straggler-gpu.yaml",
                                                             "superpod.yaml",
                                                             "two-jobs.yaml"};
  return std::ranges::find(kLong, golden.scenario) != kLong.end();
}

inline std::vector<GoldenCase> golden_cases() {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/tests/golden/digests.txt");
  std::vector<GoldenCase> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    GoldenCase golden;
    words >> golden.scenario;
    golden.overrides.assign(std::istream_iterator<std::string>(words), {});
    golden.digest = golden.overrides.back();
    golden.overrides.pop_back();
    golden.name = std::to_string(cases.size() + 1) + "_";
    for (const char c : golden.scenario.substr(0, golden.scenario.find('.'))) {
      golden.name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    cases.push_back(std::move(golden));
  }
  return cases;
}

inline std::vector<GoldenCase> short_golden_cases() {
  std::vector<GoldenCase> cases = golden_cases();
  std::erase_if(cases, is_long);
  return cases;
}

}  // namespace weft::testing
