#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

/// Of the two in-casts of cc-fairness.yaml, 40 MB each by one link of 100 Gbps: what each takes.
struct TwoControls {
  double ours;    ///< DCQCN's, in milliseconds
  double theirs;  ///< the other control's
};

TwoControls beside_dcqcn(const std::string& control) {
  const scenarios::Results results = scenarios::simulate(
      experiment_of("cc-fairness.yaml", {"jobs[1].transport.congestion_control=" + control}));
  EXPECT_TRUE(results.jobs[0].is_finished && results.jobs[1].is_finished);
  return {1e3 * to_seconds(results.jobs[0].jct), 1e3 * to_seconds(results.jobs[1].jct)};
}

// Alone each takes 3.4 ms, both together 6.7. Who has next to nothing while the other one sends
// ends when both have had all, and the other as if alone: within 1.3 times that. Fair shares end
// together.
TEST(CcFairness, DelayAndTelemetryGiveWayToDcqcn) {
  for (const char* control : {"hpcc", "swift", "powertcp"}) {
    const TwoControls time = beside_dcqcn(control);
    EXPECT_LT(time.ours, 1.3 * 3.4) << control;
    EXPECT_GT(time.theirs, 1.5 * time.ours) << control;
  }
}

TEST(CcFairness, DcqcnGivesWayToWhatDoesNotSlowDown) {
  const TwoControls time = beside_dcqcn("none");
  EXPECT_LT(time.theirs, 1.1 * 3.4);
  EXPECT_GT(time.ours, 2 * time.theirs);
}

TEST(CcFairness, DcqcnSharesWithItself) {
  const TwoControls time = beside_dcqcn("{type: dcqcn, preset: hpcc-ns3}");
  EXPECT_NEAR(time.ours / time.theirs, 1, 0.15);
}

// The in-cast and the queue at its port: all bytes in the receiver's rate, within what each needs
// to start, and megabytes of queue on average or a small part of that: first windows, which have
// to drain.
TEST(CongestionControls, HpccDoesWithoutTheQueueOfDcqcn) {
  const auto run = [](const std::string& control) {
    return scenarios::simulate(experiment_of(
        "congestion-controls.yaml",
        {"transport.congestion_control=" + control, "jobs[1].skip=true", "jobs[2].skip=true"}));
  };
  const auto queue = [](const scenarios::Results& results) {
    double max = 0;
    for (const scenarios::PortResult& port : results.ports) {
      max = std::max(max, port.mean_queue_bytes);
    }
    return max;
  };
  const scenarios::Results dcqcn = run("{type: dcqcn, preset: hpcc-ns3}");
  const scenarios::Results hpcc = run("hpcc");
  EXPECT_LT(to_seconds(dcqcn.jobs[0].jct), 1.02 * to_seconds(dcqcn.jobs[0].ideal));
  EXPECT_LT(to_seconds(hpcc.jobs[0].jct), 1.15 * to_seconds(hpcc.jobs[0].ideal));
  EXPECT_GT(queue(dcqcn), 2e6);
  EXPECT_LT(queue(hpcc) * 5, queue(dcqcn));
}

}  // namespace
}  // namespace weft::testing
