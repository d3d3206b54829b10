// What the shipped sweeps say they show.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/sweep/support.hpp"
#include "tools/sweep/plan/bisection_search.hpp"
#include "tools/sweep/store/report.hpp"

namespace weft::testing {
namespace {

using sweep::Metrics;
using sweep::Point;
using sweep::Sweep;

Sweep shipped(const std::string& name, const std::vector<std::string>& overrides) {
  const auto sweep = sweep::load_sweep(
      std::string(WEFT_SOURCE_DIR) + "/scenarios/sweeps/" + name + ".yaml", overrides);
  EXPECT_TRUE(sweep.ok()) << first_error(sweep);
  return sweep.value();
}

double metric(const sweep::Report& report, const std::string& name) {
  for (const auto& [key, value] : report.metrics) {
    if (key == name) return value;
  }
  ADD_FAILURE() << name << " is missing: " << report.message;
  return 0;
}

// Zhu et al., SIGCOMM 2015, and Zhu et al., "ECN or Delay", CoNEXT 2016: the queue settles at
// kmin + p/pmax (kmax - kmin), so it grows with kmin, and with it the time of what waits in it.
// With pmax = 1 and kmax = 1.6 MB, kmin from 50 to 800 KB is a queue of some tens of KB against
// more than half a MB: at 400 Gbps 10 us more.
TEST(ShippedSweeps, TheTailOfSmallMessagesGrowsWithKmin) {
  const Sweep sweep =
      shipped("dcqcn-ecn", {"sweep.axes[0].values=[50KB, 200KB, 800KB]",
                            "sweep.axes[1].values=[1600KB]", "sweep.axes[2].values=[1]"});
  const sweep::PointRunner run(sweep);
  std::vector<double> tails;
  const sweep::Plan plan = sweep::make_plan(sweep).value();
  for (const Point& point : plan.points()) {
    tails.push_back(metric(run(run.task_of(point)), "jobs.probe.fct_seconds.p99"));
  }
  ASSERT_EQ(tails.size(), 3U);
  EXPECT_GT(tails[1], 1.2 * tails[0]);
  EXPECT_GT(tails[2], 1.5 * tails[1]);
  EXPECT_GT(tails[2] - tails[0], 10e-6);
}

// The smallest buffer for which the condition holds.
double threshold(const Sweep& sweep) {
  const auto& bisection = std::get<sweep::Bisection>(sweep.strategy);
  const sweep::PointRunner run(sweep);
  sweep::BisectionSearch search(sweep, sweep::make_plan(sweep).value().groups.at(0));
  double holds_at = 1e12;
  while (!search.is_finished()) {
    for (const Point& point : search.open_points()) {
      const sweep::Report report = run(run.task_of(point));
      const bool holds = bisection.condition.holds(
          [&report](const std::string& name) -> sweep::Operand { return metric(report, name); });
      if (holds) holds_at = std::min(holds_at, *point.values[bisection.parameter].number);
      search.note(point, holds);
    }
  }
  return holds_at;
}

// A pause takes 5.05 ns per metre to the upstream port, and what that port had sent by then takes
// as long back: at 400 Gbps = 50 B/ns that is 505 B per metre, and 511 B in cells (4178 B take 22
// of 192 B). Each threshold is known within the tolerance of 2 KB and within a packet of 4.2 KB: 12
// B per metre over 997 m.
TEST(ShippedSweeps, HeadroomGrowsByTwiceTheCable) {
  const double near = threshold(shipped("pfc-headroom", {"sweep.axes[0].values=[3m]"}));
  const double far = threshold(shipped("pfc-headroom", {"sweep.axes[0].values=[1000m]"}));
  EXPECT_NEAR((far - near) / 997, 511, 12);
}

// The slice of the plan with the best estimate: 3 % of what its own closed form says.
TEST(ShippedSweeps, TheBestPlanTakesWhatItsSliceIsEstimated) {
  const Sweep sweep = shipped("plans", {});
  const sweep::PointRunner run(sweep);
  const sweep::Report report = run(run.task_of(sweep::make_plan(sweep).value().point(28)));
  const double step = metric(report, "training.llama.step_seconds.mean");
  EXPECT_NEAR(step / metric(report, "slice_estimate.jobs.llama.step_seconds"), 1, 0.03);
}

// HPCC (SIGCOMM 2019), figure 11, and PowerTCP (NSDI 2022), figure 6: short flows of WebSearch at
// half load wait least where senders know queues. At the 99th percentile of flows of 6.67 to 20 kB
// DCQCN with a window is to take 1.3 times as long as both, DCQCN alone twice that.
TEST(ShippedSweeps, ShortFlowsWaitLeastWithTelemetry) {
  const Sweep sweep = shipped("congestion-controls", {});
  const sweep::PointRunner run(sweep);
  const sweep::Plan plan = sweep::make_plan(sweep).value();
  const auto tail = [&](std::size_t control) {  // 50 % is the second of three loads
    return metric(run(run.task_of(plan.point(3 * control + 1))), "sizes.websearch.2.slowdown.p99");
  };
  const double dcqcn = tail(1);
  const double windowed = tail(2);
  EXPECT_GT(dcqcn, 2 * windowed);
  EXPECT_GT(windowed, 1.3 * tail(6)) << "HPCC";
  EXPECT_GT(windowed, 1.3 * tail(7)) << "PowerTCP";
}

}  // namespace
}  // namespace weft::testing
