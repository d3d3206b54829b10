// What shipped sweeps take is predicted by their dry runs, all of them: four minutes of a
// processor.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/sweep_forecast.hpp"

namespace weft::testing {
namespace {

std::vector<std::string> shipped_sweeps() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/scenarios/sweeps")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class ShippedSweepForecast : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedSweepForecast, IsWithinAFactorOfTwo) { expect_sweep_predicted(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, ShippedSweepForecast, ::testing::ValuesIn(shipped_sweeps()),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace weft::testing
