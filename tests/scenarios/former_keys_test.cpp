// A key that was renamed is read by its former name for one release: the scenario means the same,
// and a warning names the new key. Both names at once are an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/given_keys.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/manual/key_manual.hpp"

namespace weft::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string scenario_with(const std::string& lines) {
  return "name: t\nracks: {count: 1, servers: 2}\n"
         "fabric: {topology: leaf-spine, spines: 1}\n"
         "jobs: [{name: a, type: permutation, size: 4KiB}]\n" +
         lines;
}

Result<LoadedScenario> load(const std::string& lines,
                            const std::vector<std::string>& overrides = {}) {
  return load_scenario_text(scenario_with(lines), "t.yaml", overrides);
}

TEST(FormerKeys, MeanWhatTheNewOnesDoAndAreWarnedOf) {
  const auto former = load("run: {cells: finest}\n");
  const auto now = load("run: {partition: finest}\n");
  ASSERT_TRUE(former.ok() && now.ok());
  EXPECT_EQ(former.value().scenario.run.partition, LpPlan::Cut::kFinest);
  EXPECT_EQ(former.value().canonical_yaml(), now.value().canonical_yaml());
  EXPECT_THAT(given_keys(former.value()).remarks,
              ElementsAre("run.cells (line 5) is called `partition` now; the next release does not "
                          "know the former name"));
  EXPECT_THAT(given_keys(now.value()).remarks, IsEmpty());
}

TEST(FormerKeys, AreReadFromOverridesAndInsideOfAlternatives) {
  const auto by_override = load("", {"run.cells=one"});
  ASSERT_TRUE(by_override.ok());
  EXPECT_EQ(by_override.value().scenario.run.partition, LpPlan::Cut::kOne);
  EXPECT_THAT(given_keys(by_override.value()).remarks,
              ElementsAre(HasSubstr("run.cells (--set run.cells=one) is called `partition` now")));
  const auto tcp = load("transport: {type: tcp, timeout: {least: 3ms, most: 7s}}\n");
  const auto now = load("transport: {type: tcp, timeout: {min: 3ms, max: 7s}}\n");
  ASSERT_TRUE(tcp.ok() && now.ok());
  EXPECT_EQ(tcp.value().canonical_yaml(), now.value().canonical_yaml());
  EXPECT_THAT(given_keys(tcp.value()).remarks,
              ElementsAre(HasSubstr("transport.timeout.least (line 5) is called `min` now"),
                          HasSubstr("transport.timeout.most (line 5) is called `max` now")));
}

TEST(FormerKeys, OfScaleUpDomainsAreRead) {
  const auto domain = [](const std::string& keys) {
    return load_scenario_text(
        "name: t\nracks: {count: 1, servers: 1, server: {gpus: 4, nics: 4, scale_up: {" + keys +
            "}}}\nfabric: {topology: leaf-spine, spines: 1}\n"
            "jobs: [{name: a, type: permutation, size: 4KiB}]\n",
        "t.yaml");
  };
  const auto former = domain("chips: 2, links_per_chip: 3, chip_latency: 90ns");
  const auto now = domain("switches: 2, links_per_switch: 3, switch_latency: 90ns");
  ASSERT_TRUE(former.ok() && now.ok());
  EXPECT_EQ(former.value().canonical_yaml(), now.value().canonical_yaml());
  EXPECT_THAT(given_keys(former.value()).remarks,
              ElementsAre(HasSubstr("chips (line 2) is called `switches` now"),
                          HasSubstr("links_per_chip (line 2) is called `links_per_switch` now"),
                          HasSubstr("chip_latency (line 2) is called `switch_latency` now")));
}

TEST(FormerKeys, OfPathSelectionAreRead) {
  const auto former = load("transport: {receiver: any-order, entropy: {type: oblivious}}\n");
  const auto now = load("transport: {receiver: any-order, path_selection: {type: oblivious}}\n");
  ASSERT_TRUE(former.ok() && now.ok());
  EXPECT_EQ(former.value().canonical_yaml(), now.value().canonical_yaml());
  EXPECT_THAT(given_keys(former.value()).remarks,
              ElementsAre(HasSubstr("transport.entropy (line 5) is called `path_selection` now")));
}

TEST(FormerSpellings, OfValuesMeanWhatTheNewOnesDoAndAreWarnedOf) {
  for (const auto& [before, after] :
       {std::pair("one-way", "unidirectional"), std::pair("both-ways", "bidirectional")}) {
    const auto former = load(std::string("transport: {queue_pair_use: ") + before + "}\n");
    const auto now = load(std::string("transport: {queue_pair_use: ") + after + "}\n");
    ASSERT_TRUE(former.ok() && now.ok());
    EXPECT_EQ(former.value().canonical_yaml(), now.value().canonical_yaml());
    EXPECT_THAT(given_keys(former.value()).remarks,
                ElementsAre(std::string("transport.queue_pair_use (line 5) says `") + before +
                            "`, which is spelled `" + after +
                            "` now; the next release does not know the former spelling"));
    EXPECT_THAT(given_keys(now.value()).remarks, IsEmpty());
  }
}

TEST(FormerSpellings, OfTypesMeanWhatTheNewOnesDoAndAreWarnedOf) {
  const auto alone = [](const std::string& fabric) {
    return load_scenario_text("name: t\nracks: {count: 1, servers: 1, server: hgx-h100}\nfabric: " +
                                  fabric + "\njobs: [{name: a, type: permutation, size: 4KiB}]\n",
                              "t.yaml");
  };
  const auto now = alone("{topology: single-domain}");
  ASSERT_TRUE(now.ok());
  EXPECT_THAT(given_keys(now.value()).remarks, IsEmpty());
  const auto former = alone("{topology: none}");
  ASSERT_TRUE(former.ok());
  EXPECT_EQ(former.value().canonical_yaml(), now.value().canonical_yaml());
  EXPECT_THAT(given_keys(former.value()).remarks,
              ElementsAre(HasSubstr("fabric.topology (line 3) says `none`, which is spelled "
                                    "`single-domain` now")));
}

TEST(FormerSpellings, AreInTheManualAndInTheSchemaForEditors) {
  const language::KeyManual& manual = language::scenario_manual();
  EXPECT_THAT(*manual.text("fabric.none"), HasSubstr("formerly `none`"));
  EXPECT_EQ(manual.text("fabric.none"), manual.text("fabric.single-domain"));
  EXPECT_THAT(*manual.text("queue_pair_use"), HasSubstr("formerly `both-ways`"));
  const std::string schema = scenario_json_schema().value().dump();
  EXPECT_THAT(schema, HasSubstr("\"enum\":[\"single-domain\",\"none\"]"));
  EXPECT_THAT(schema, HasSubstr("\"unidirectional\",\"one-way\""));
}

TEST(FormerKeys, BesideTheNewOneAreAnError) {
  const auto both = load("run: {cells: finest, partition: one}\n");
  ASSERT_FALSE(both.ok());
  EXPECT_THAT(both.errors().front().to_string(),
              HasSubstr("t.yaml:5:7: run.cells: is the former name of `partition`, which is given, "
                        "too"));
}

TEST(FormerKeys, AreFoundInTheManualUnderTheNewName) {
  const language::KeyManual& manual = language::scenario_manual();
  const auto text = manual.text("run.cells");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, manual.text("run.partition"));
  EXPECT_THAT(*text, HasSubstr("formerly `cells`"));
}

TEST(FormerKeys, AreDeprecatedInTheSchemaForEditors) {
  const std::string schema = scenario_json_schema().value().dump();
  EXPECT_THAT(
      schema,
      HasSubstr("\"cells\":{\"deprecated\":true,\"description\":\"is called partition now\"}"));
  EXPECT_THAT(schema, HasSubstr("\"least\":{\"deprecated\":true"));
}

}  // namespace
}  // namespace weft::scenarios
