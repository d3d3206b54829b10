// A run can be stopped before and after its simulation as well, where ideal times are found.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

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

}  // namespace
}  // namespace weft::scenarios
