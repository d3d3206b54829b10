// The oversubscription of a first scenario is that of the fabric which it describes, leaf by leaf.
// By hand: 2 NICs of 400 Gbps below a leaf are 800 Gbps; 2:1 is one uplink of 400 Gbps, 4:1 one of
// 200 Gbps, and 3:1 would be 267 Gbps, which no port has.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "tools/begin/first_scenario.hpp"

namespace weft::begin {
namespace {

using ::testing::HasSubstr;

Fabric fabric_of(const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, "first.yaml");
  EXPECT_TRUE(loaded.ok()) << text;
  auto fabric = scenarios::build_scenario_fabric(loaded.value().scenario);
  EXPECT_TRUE(fabric.ok()) << text;
  return std::move(fabric).value();
}

/// Capacity towards hosts over capacity towards spines, of each leaf.
std::vector<double> ratios_of_leaves(const Fabric& fabric) {
  std::vector<double> ratios;
  for (const NodeId id : fabric.switches) {
    const Node& node = fabric.node(id);
    if (!node.name.starts_with("leaf")) continue;
    double down = 0;
    double up = 0;
    for (const Port& port : fabric.ports_of(id)) {
      const bool is_up = fabric.node(fabric.port(port.peer).node).tier > node.tier;
      (is_up ? up : down) += static_cast<double>(port.rate.count());
    }
    ratios.push_back(down / up);
  }
  return ratios;
}

/// What the scenario says of itself.
double said_ratio(const std::string& text) {
  if (text.find("Leaves have the same bandwidth") != std::string::npos) return 1;
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, std::regex("Leaves have ([0-9.]+) times"))) << text;
  return std::stod(found[1]);
}

/// Behind `; possible: `.
std::vector<double> offered_ratios(const std::string& message) {
  std::smatch list;
  std::vector<double> ratios;
  if (!std::regex_search(message, list, std::regex("; possible: ([0-9.]+)( or ([0-9.]+))?"))) {
    return ratios;
  }
  ratios.push_back(std::stod(list[1]));
  if (list[3].matched) ratios.push_back(std::stod(list[3]));
  return ratios;
}

std::optional<std::uint32_t> offered_count(const std::string& message) {
  std::smatch list;
  if (!std::regex_search(message, list, std::regex("; or [0-9.]+ with ([0-9]+)"))) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::stoul(list[1]));
}

std::vector<std::string> machines_with_nics() {
  std::vector<std::string> names;
  const auto parts = scenarios::list_parts("servers");
  for (const scenarios::PartReport& part : parts.value()) {
    if (part.refused.empty() && max_of_machine(part.name).value() > 1) names.push_back(part.name);
  }
  return names;
}

FirstScenario wanted(const std::string& machine, const std::string& fabric, std::uint32_t count,
                     double oversubscription) {
  FirstScenario first;
  first.machine = machine;
  first.fabric = fabric;
  first.count = count;
  first.oversubscription = oversubscription;
  first.jobs = {"incast"};
  first.switch_part = "tomahawk-6";
  return first;
}

void expect_ratio(const std::string& text, double asked) {
  const std::vector<double> ratios = ratios_of_leaves(fabric_of(text));
  EXPECT_FALSE(ratios.empty());
  for (const double ratio : ratios) EXPECT_NEAR(ratio, asked, 0.005 * asked) << text;
  EXPECT_NEAR(said_ratio(text), asked, 0.005 * asked);
}

/// What a refusal offers is taken.
void expect_offers_hold(FirstScenario first, const std::string& message) {
  const auto ratios = offered_ratios(message);
  ASSERT_FALSE(ratios.empty()) << message;
  const double asked = first.oversubscription;
  for (const double ratio : ratios) {
    first.oversubscription = ratio;
    EXPECT_EQ(oversubscription_problem(first), "") << message;
  }
  first.oversubscription = asked;
  const auto count = offered_count(message);
  if (!count) return;
  first.count = *count;
  EXPECT_EQ(oversubscription_problem(first), "") << message;
}

TEST(Oversubscription, IsWhatWasAskedForOnEveryMachineOrRefusedWithWhatIsPossible) {
  int written = 0;
  int refused = 0;
  for (const std::string& machine : machines_with_nics()) {
    for (const std::string& fabric : kFirstFabrics) {
      for (const std::uint32_t count : {2U, 4U, 7U, 12U, 32U}) {
        for (const double ratio : {1.0, 1.5, 2.0, 3.0, 8.0}) {
          SCOPED_TRACE(fmt::format("{} x {} on {} at {}", count, machine, fabric, ratio));
          const FirstScenario first = wanted(machine, fabric, count, ratio);
          const auto text = first_scenario(first);
          if (text.ok()) {
            ++written;
            expect_ratio(text.value(), ratio);
            continue;
          }
          const std::string message = text.errors().front().message;
          if (message.find("such a switch forwards") != std::string::npos) continue;
          ++refused;
          ASSERT_THAT(message, HasSubstr("--oversubscription: "));
          expect_offers_hold(first, message);
        }
      }
    }
  }
  EXPECT_GT(written, 400);
  EXPECT_GT(refused, 50);
}

TEST(Oversubscription, UplinksAreSlowerThanNicsWhereOneWouldBeTooMuch) {
  const auto text = first_scenario(wanted("hgx-h100", "rail-optimised", 4, 4));
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text.value(), HasSubstr("uplink: {rate: 200Gbps, length: 30m}"));
  expect_ratio(text.value(), 4);
}

TEST(Oversubscription, ARefusalNamesTheNextRatiosAndCounts) {
  EXPECT_EQ(
      oversubscription_problem(wanted("hgx-h100", "", 4, 3)),
      "--oversubscription: 3 is not possible with 4 machines: they divide into leaves with "
      "2 or 1 ports of 400 Gbps towards hosts, and no whole number of uplinks of that rate or of a "
      "slower port fits; possible: 2.67 or 4; or 3 with 6 machines");
}

// GPUs that share a NIC reach it by links of more than the NIC has, which is no oversubscription of
// leaves. 2.2 times was said of any fabric of these machines.
TEST(Oversubscription, SharedNicsDoNotCountAsLeaves) {
  const auto text = first_scenario(wanted("dgx-2", "", 4, 2));
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(said_ratio(text.value()), 2);
}

TEST(Oversubscription, ThreeDigitsAreEnough) {
  EXPECT_EQ(oversubscription_problem(wanted("host-400g", "", 16, 2.67)), "");
  expect_ratio(first_scenario(wanted("host-400g", "", 16, 2.67)).value(), 8.0 / 3);
}

}  // namespace
}  // namespace weft::begin
