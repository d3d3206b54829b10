// The digests of the shipped scenarios, some made smaller. They are the same in release, debug and
// sanitizer builds; a change here is a change of results and wants a reason in its commit.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/load_scenario.hpp"
#include "scenarios/simulation.hpp"

namespace weft::testing {
namespace {

TEST(Golden, ShippedScenariosGiveTheirDigests) {
  // Lines: scenario, overrides, digest; separated by blanks.
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/tests/golden/digests.txt");
  ASSERT_TRUE(in.good());
  int checked = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string scenario;
    words >> scenario;
    std::vector<std::string> overrides{std::istream_iterator<std::string>(words), {}};
    const std::string expected = overrides.back();
    overrides.pop_back();
    const auto loaded = scenarios::load_scenario(
        std::string(WEFT_SOURCE_DIR) + "/scenarios/" + scenario, overrides);
    ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    const auto experiment = scenarios::build_experiment(loaded.value().scenario);
    ASSERT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
    EXPECT_EQ(scenarios::simulate(experiment.value()).digest(), expected) << line;
    ++checked;
  }
  EXPECT_GE(checked, 6);
}

}  // namespace
}  // namespace weft::testing
