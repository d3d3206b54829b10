#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/plan/bisection_search.hpp"

namespace weft::testing {
namespace {

using sweep::BisectionSearch;
using sweep::Plan;
using sweep::Point;
using sweep::Sweep;

Sweep bisection(const Folder& folder, const std::string& rest = {}) {
  const auto sweep =
      load(folder, std::string("name: tiny\n") + kTinyScenario +
                       "strategy: {type: bisect, path: fabric.switch.buffer, low: 1MB, high: 2MB, "
                       "tolerance: 10KB, condition: network.buffer_drops == 0}\n" +
                       rest);
  EXPECT_TRUE(sweep.ok()) << first_error(sweep);
  return sweep.value();
}

/// Answers a search as if the condition held from `threshold` on; the values asked, in order.
std::vector<double> ask(const Sweep& sweep, const Point& group, double threshold,
                        std::set<std::int64_t>* ids = nullptr) {
  BisectionSearch search(sweep, group);
  std::vector<double> asked;
  while (!search.is_finished()) {
    for (const Point& point : search.open_points()) {
      asked.push_back(*point.values[0].number);
      if (ids != nullptr) {
        EXPECT_TRUE(ids->insert(point.id).second);
      }
      search.note(point, asked.back() >= threshold);
    }
  }
  return asked;
}

// 1 MB to 2 MB within 10 KB are 100 steps: both ends, and ceil(log2(100)) = 7 halvings.
TEST(BisectionSearch, FindsEveryThresholdInLogarithmicallyManyRuns) {
  const Folder folder;
  const Sweep sweep = bisection(folder);
  const Plan plan = sweep::make_plan(sweep).value();
  ASSERT_EQ(plan.groups.size(), 1U);
  for (double threshold = 1'000'001; threshold < 2'000'000; threshold += 12'345) {
    const std::vector<double> asked = ask(sweep, plan.groups[0], threshold);
    EXPECT_LE(asked.size(), 9U);
    double fails = 0;
    double holds = 3e6;
    for (const double value : asked) {
      (value >= threshold ? holds : fails) =
          value >= threshold ? std::min(holds, value) : std::max(fails, value);
    }
    EXPECT_LE(holds - fails, 10'000);
    EXPECT_LT(fails, threshold);
    EXPECT_GE(holds, threshold);
  }
}

TEST(BisectionSearch, EndsAtOnceWithoutAThresholdBetweenTheEnds) {
  const Folder folder;
  const Sweep sweep = bisection(folder);
  const Point group = sweep::make_plan(sweep).value().groups[0];
  EXPECT_EQ(ask(sweep, group, 5e6).size(), 2U);
  EXPECT_EQ(ask(sweep, group, 0).size(), 2U);
}

TEST(BisectionSearch, PointsOfAllGroupsAndSeedsHaveIdsOfTheirOwn) {
  const Folder folder;
  const Sweep sweep =
      bisection(folder, "axes: [{path: fabric.spines, values: [1, 2, 4]}]\nseeds: 2\n");
  const Plan plan = sweep::make_plan(sweep).value();
  ASSERT_EQ(plan.groups.size(), 3U);
  std::set<std::int64_t> ids;
  std::size_t asked = 0;
  for (const Point& group : plan.groups) {
    BisectionSearch search(sweep, group);
    while (!search.is_finished()) {
      for (const Point& point : search.open_points()) {
        ++asked;
        EXPECT_TRUE(ids.insert(point.id).second);
        search.note(point, *point.values[1].number >= 1.234e6);
      }
    }
  }
  EXPECT_EQ(ids.size(), asked);
}

TEST(BisectionSearch, HoldsOnlyIfAllSeedsDo) {
  const Folder folder;
  const Sweep sweep = bisection(folder, "seeds: 2\n");
  BisectionSearch search(sweep, sweep::make_plan(sweep).value().groups[0]);
  // The thresholds of the seeds are 1.2 and 1.7 MB: together 1.7 MB.
  double holds = 3e6;
  while (!search.is_finished()) {
    bool all = true;
    double value = 0;
    for (const Point& point : search.open_points()) {
      value = *point.values[0].number;
      const bool answer = value >= (point.values[1].text == "1" ? 1.2e6 : 1.7e6);
      all = all && answer;
      search.note(point, answer);
      if (point.values[1].text == "2" && all) holds = std::min(holds, value);
      if (point.values[1].text == "2") all = true;
    }
  }
  EXPECT_NEAR(holds, 1.7e6, 10'000);
}

TEST(BisectionSearch, AFailedRunEndsTheSearch) {
  const Folder folder;
  const Sweep sweep = bisection(folder);
  BisectionSearch search(sweep, sweep::make_plan(sweep).value().groups[0]);
  search.note(search.open_points().front(), std::nullopt);
  EXPECT_TRUE(search.is_finished());
}

}  // namespace
}  // namespace weft::testing
