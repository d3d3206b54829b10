// Two jobs that compute and communicate in turn over one link (Rajasekaran et al., "Congestion
// control in machine learning clusters", HotNets 2022).
//
// Alone each computes for P and needs the link for C. Where both need it at once and share it
// fairly, C becomes 2 C, and they meet again in every step, as both are held up alike: the step is
// P + 2 C. Where the second begins at least C later, and P >= C, neither sees the other: P + C.
//
// Unfair: while both need it, the first has a share w > 1/2 of the link. Say it begins d earlier.
// It ends after d + (C - d) / w, the second when all is done, at 2 C. So in the next step the first
// is earlier by d' = 2 C - d - (C - d) / w, which is C - d' = (C - d) (1 / w - 1): the jobs slide
// apart, until d = C and they do not meet any more. Then both take P + C, also the one that had
// less.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenarios/isolated/isolated_runs.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;

constexpr double kComputing = 600e-6;
constexpr int kSteps = 6;

/// Two jobs over one link between two leaves; of six steps each.
std::string two_jobs(const std::string& classes, const std::string& first,
                     const std::string& second) {
  const auto job = [](const std::string& name, const std::string& keys) {
    return "  - name: " + name + "\n    type: graph\n    iterations: " + std::to_string(kSteps) +
           "\n" + keys +
           "    nodes:\n"
           "      - {name: work, type: compute, time: 600us}\n"
           "      - {name: gradients, type: all-reduce, algorithm: ring, size: 12MiB, after: "
           "work}\n";
  };
  return "name: t\n"
         "racks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric:\n"
         "  topology: leaf-spine\n"
         "  spines: 1\n"
         "  switch: spectrum-4\n"
         "  flow_control: {type: pfc, headroom: exact}\n"
         "  ecn: none\n" +
         classes + "transport: {type: roce, congestion_control: none}\njobs:\n" +
         job("a", "    ranks: [0, 1, 4, 5]\n" + first) +
         job("b", "    ranks: [2, 3, 6, 7]\n" + second);
}

struct Steps {
  std::vector<double> begin;
  std::vector<double> length;
  [[nodiscard]] double mean() const { return (begin.back() + length.back() - begin[0]) / kSteps; }
};

Steps steps_of(const Results& results, std::uint32_t job) {
  Steps steps;
  for (const IterationResult& i : results.iterations) {
    if (i.job != job) continue;
    steps.begin.push_back(to_seconds(i.start));
    steps.length.push_back(to_seconds(i.end - i.start));
  }
  EXPECT_EQ(steps.begin.size(), kSteps);
  return steps;
}

/// The step of a job that has the link to itself.
double lone_step() {
  const Experiment e = experiment_of_text(two_jobs("", "", ""));
  const RunMode alone{.lone_job = collectives::LoneJob{.job = 0, .begin = {}}};
  return steps_of(simulate(e, {}, nullptr, {}, {}, alone), 0).mean();
}

TEST(TwoJobs, OfEqualPhasesShareTheLinkInEveryStep) {
  const double alone = lone_step();
  const Results r = simulate(experiment_of_text(two_jobs("", "", "")));
  for (const std::uint32_t job : {0U, 1U}) {
    for (const double step : steps_of(r, job).length) {
      EXPECT_NEAR(step, kComputing + 2 * (alone - kComputing), 0.03 * step);
    }
  }
}

TEST(TwoJobs, OfOppositePhasesKeepTheStepThatTheyHaveAlone) {
  Experiment e = experiment_of_text(two_jobs("", "", "    start: 500us\n"));
  Results r = simulate(e);
  run_isolated(
      e, {}, [](std::uint32_t) { return ProgressObserver(); }, r);
  ASSERT_EQ(r.isolated.size(), 2U);
  for (const IsolatedResult& i : r.isolated) {
    EXPECT_NEAR(*slowdown_of(i.shared.iteration, i.alone.iteration), 1, 0.03);
  }
}

TEST(TwoJobs, OfUnequalSharesSlideApartUntilBothAreAsFastAsAlone) {
  const std::string classes =
      "  classes:\n"
      "    - {name: less, weight: 1}\n"
      "    - {name: more, weight: 3}\n"
      "    - {name: control, scheduling: strict, flow_control: none}\n";
  const double alone = lone_step();
  const double communication = alone - kComputing;
  const Results fair =
      simulate(experiment_of_text(two_jobs(classes, "    class: more\n", "    class: more\n")));
  const Results unfair =
      simulate(experiment_of_text(two_jobs(classes, "    class: more\n", "    class: less\n")));
  const Steps first = steps_of(unfair, 0);
  const Steps second = steps_of(unfair, 1);
  // What is left of C - d falls to a third in every step.
  for (int n = 0; n < 4; ++n) {
    const double apart = second.begin[n] - first.begin[n];
    EXPECT_NEAR(apart, communication * (1 - std::pow(3, -n)), 0.05 * communication) << n;
  }
  for (const Steps& steps : {first, second}) {
    EXPECT_NEAR(steps.length.back(), alone, 0.03 * alone);
  }
  for (const std::uint32_t job : {0U, 1U}) {
    EXPECT_GT(steps_of(fair, job).mean(), 1.2 * steps_of(unfair, job).mean());
  }
}

}  // namespace
}  // namespace weft::scenarios
