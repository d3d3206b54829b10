// A run can be stopped before and after its simulation as well, where ideal times are found.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

// Some 2.5 million messages, of which the ideal times ask for each.
const std::string kLong =
    "name: t\n"
    "racks: {count: 1, servers: 32, server: host-400g}\n"
    "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
    "transport: {type: roce, congestion_control: none}\n"
    "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 32KiB, iterations: 1250}]\n";

/// Agrees to everything until the `questions`-th question while ideal times are found, and from
/// there on to nothing.
class Stopper {
 public:
  explicit Stopper(int questions) : questions_(questions) {}
  ProgressObserver observer() {
    return [this](const Progress& progress) {
      if (progress.stage == "ideal times of jobs") ++asked_;
      return asked_ < questions_;
    };
  }
  [[nodiscard]] int asked() const { return asked_; }

 private:
  int questions_;
  int asked_ = 0;
};

TEST(StoppedRuns, IdealTimesAreNotWaitedForBeforePackets) {
  Stopper stopper(3);
  const Results r = simulate(weft::testing::experiment_of_text(kLong), stopper.observer());
  EXPECT_EQ(r.outcome, Outcome::kInterrupted);
  EXPECT_EQ(stopper.asked(), 3);
  EXPECT_EQ(r.jobs[0].ideal, Picoseconds(0));
  EXPECT_LT(r.simulated, 1_ms);  // at the first question of the run itself
}

TEST(StoppedRuns, IdealTimesAreNotWaitedForAfterTheFluidEngine) {
  Stopper stopper(3);
  const std::string text = kLong + "run: {until: 100us}\n";
  const Results r = simulate_fluid(weft::testing::experiment_of_text(text), stopper.observer());
  EXPECT_EQ(r.outcome, Outcome::kHorizon);
  EXPECT_EQ(stopper.asked(), 3);
  EXPECT_EQ(r.jobs[0].ideal, Picoseconds(0));
}

// A million seconds of computing: no run lasts that long, which the scenario does not say.
TEST(StoppedRuns, AnEndThatNobodyNamedIsNoSuccess) {
  const std::string text =
      "name: t\n"
      "racks: {count: 1, servers: 1, server: dgx-a100}\n"
      "fabric: {topology: single-domain}\n"
      "jobs: [{name: a, type: all-reduce, size: 8B, compute: 1000s, iterations: 2000, execution: "
      "{channels: 1}}]\n";
  const Experiment e = weft::testing::experiment_of_text(text);
  const auto says = [](const std::vector<std::string>& texts, const std::string& what) {
    return std::ranges::any_of(
        texts, [&](const std::string& t) { return t.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(says(e.warnings, "job a computes until 555.6 h at least, and a run ends at 320.3 h"));
  const Results r = simulate(e);
  EXPECT_FALSE(is_success(r.outcome)) << outcome_name(r.outcome);
  EXPECT_TRUE(says(r.explanation, "the run came to 320.3 h"));
  const Results named =
      simulate(weft::testing::experiment_of_text(text + "run: {until: 360000s}\n"));
  EXPECT_EQ(named.outcome, Outcome::kHorizon);
  const Results later =
      simulate(weft::testing::experiment_of_text(text + "run: {until: 1440000s}\n"));
  EXPECT_FALSE(is_success(later.outcome));
}

}  // namespace
}  // namespace weft::scenarios
