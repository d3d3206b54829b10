#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/yaml/catalogue.hpp"

namespace weft::scenarios::language {
namespace {

/// What is wrong with a rack of such servers, or nothing.
std::string problem_with(const std::string& server) {
  const auto scenario =
      load_scenario_text("name: m\nracks: {count: 2, servers: 1, server: " + server +
                             "}\nfabric: {topology: leaf-spine, spines: 1}\n"
                             "jobs: [{name: a, type: permutation, size: 1MiB}]\n",
                         "m.yaml");
  return scenario.ok() ? "no error" : scenario.errors().front().to_string();
}

TEST(PartNames, PartsAreFoundByTheNamesThatPeopleCallThem) {
  const Catalogue catalogue = Catalogue::embedded();
  const std::map<std::string, std::vector<std::pair<std::string, std::string>>> said{
      {"servers",
       {{"hgx-h100", "hgx-h100"},
        {"dgx-h100", "hgx-h100"},
        {"H100", "hgx-h100"},
        {"DGX H100", "hgx-h100"},
        {"GB300", "gb300-nvl72"},
        {"B300", "hgx-b300"},
        {"MI300X", "mi300x"},
        {"gaudi3", "gaudi-3"},
        {"trn2", "trainium-2"},
        {"p5en.48xlarge", "p5en"},
        {"p6-b200.48xlarge", "p6-b200"}}},
      {"nics", {{"BlueField3", "bluefield-3"}, {"cx7", "connectx-7"}, {"Thor2", "thor-2"}}},
      {"switches",
       {{"Q3450-LD", "q3450-ld"}, {"QM9700", "quantum-2"}, {"tomahawk6", "tomahawk-6"}}}};
  for (const auto& [collection, names] : said) {
    for (const auto& [name, meant] : names) {
      const std::string* found = catalogue.name_meant(collection, name);
      ASSERT_NE(found, nullptr) << name;
      EXPECT_EQ(*found, meant) << name;
    }
  }
  EXPECT_EQ(problem_with("{part: H100, nics: 4}"), "no error");
  EXPECT_EQ(catalogue.name_meant("servers", "h10"), nullptr);
}

TEST(PartNames, NoTwoPartsOfAKindAreCalledAlike) {
  const Catalogue catalogue = Catalogue::embedded();
  for (const std::string& collection : catalogue.collections()) {
    for (const std::string& name : catalogue.names(collection)) {
      EXPECT_EQ(*catalogue.name_meant(collection, name), name);
      for (const std::string& alias : catalogue.find(collection, name)->aliases) {
        EXPECT_EQ(*catalogue.name_meant(collection, alias), name) << alias;
      }
    }
  }
}

TEST(PartNames, SuggestsWhatContainsTheNameWhereNothingResemblesIt) {
  EXPECT_NE(problem_with("nvl72").find("; did you mean `gb200-nvl72` or `gb300-nvl72`?"),
            std::string::npos)
      << problem_with("nvl72");
}

TEST(PartNames, AServerWhoseGpusAreAMeshIsRefusedAndItsNicsAreNot) {
  for (const char* name : {"mi300x", "MI355X", "gaudi-3", "tpu-v5p", "trn2"}) {
    const std::string problem = problem_with(name);
    EXPECT_NE(problem.find(std::string("`") + name + "` cannot be simulated yet: its "),
              std::string::npos)
        << problem;
    EXPECT_NE(problem.find("is its scale-out side"), std::string::npos) << problem;
    const std::string built = problem_with(std::string("{part: ") + name + ", nics: 2}");
    EXPECT_NE(built.find("cannot be simulated yet"), std::string::npos) << built;
    const auto shown = find_parts(name);
    ASSERT_TRUE(shown.ok());
    EXPECT_FALSE(shown.value().front().refused.empty());
    EXPECT_FALSE(shown.value().front().figures.empty());
  }
  EXPECT_EQ(problem_with("{nics: 8, nic: gaudi-3}"), "no error");
  EXPECT_EQ(problem_with("{nics: 16, nic: efa-v3}"), "no error");
}

TEST(PartNames, WhatSendingCostsANicIsGivenAndSaidToBeAnEstimate) {
  const auto nics = list_parts("nics");
  ASSERT_TRUE(nics.ok());
  for (const PartReport& nic : nics.value()) {
    const auto figure = std::ranges::find(nic.figures, "send_latency", &PartFigure::path);
    ASSERT_NE(figure, nic.figures.end());
    EXPECT_EQ(figure->is_estimate, nic.name != "ideal") << nic.name;
  }
  EXPECT_NE(parts_table(nics.value()).find("send latency"), std::string::npos);
}

}  // namespace
}  // namespace weft::scenarios::language
