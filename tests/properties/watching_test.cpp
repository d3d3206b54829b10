// Who watches a run (`--live`) sees what is there, and changes nothing.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/reuse_runs.hpp"

namespace weft::testing {
namespace {

using scenarios::MessageResult;
using scenarios::Progress;
using scenarios::Results;
using scenarios::RunState;

/// A run that is looked at whenever that is possible; every tenth look also at its state, for as
/// often takes long.
struct Watched {
  Results results;
  std::optional<RunState> last;
  std::size_t taken = 0;  ///< messages that a sink had seen when the run was over
};

Watched watch(const scenarios::Experiment& experiment) {
  Watched watched;
  std::size_t looks = 0;
  std::size_t messages = 0;
  const auto observer = [&](const Progress& progress) {
    if (progress.is_last) {
      watched.last = progress.state(4);
      watched.taken = messages;
    } else if (looks++ % 10 == 0) {
      const RunState state = progress.state(4);
      EXPECT_LE(state.ports.size(), 4U);
      for (const RunState::Port& port : state.ports) {
        EXPECT_GE(port.utilisation, 0);
        EXPECT_LE(port.utilisation, 1);
      }
    }
    return true;
  };
  watched.results = scenarios::simulate(experiment, observer, nullptr, {},
                                        [&](const MessageResult&) { ++messages; });
  return watched;
}

class Watching : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Watching, SeesWhatIsThereAndChangesNothing) {
  const std::string text = RandomScenario(GetParam()).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  const scenarios::Experiment experiment = build_loaded(loaded.value());
  const Results alone = scenarios::simulate(experiment);
  const Watched watched = watch(experiment);
  EXPECT_EQ(watched.results.digest(), alone.digest()) << text;
  ASSERT_TRUE(watched.last);
  const RunState& last = *watched.last;
  ASSERT_EQ(last.jobs.size(), alone.jobs.size());
  if (alone.outcome != scenarios::Outcome::kFinished) return;
  // Each message that is over was taken or is seen, once.
  EXPECT_EQ(watched.taken + last.messages.size(), alone.messages.completed()) << text;
  for (std::uint32_t j = 0; j < last.jobs.size(); ++j) {
    std::uint32_t steps = 0;
    std::optional<Picoseconds> time;
    const auto count = [&](const auto& row) {
      if (row.job != j) return;
      ++steps;
      time = row.end - row.start;
    };
    for (const auto& row : alone.collectives) count(row);
    for (const auto& row : alone.iterations) count(row);
    EXPECT_EQ(last.jobs[j].steps, steps) << text;
    EXPECT_EQ(last.jobs[j].last_step, time) << text;
    EXPECT_TRUE(last.jobs[j].is_finished) << text;
  }
}

// The last epochs are taken when the run is over.
TEST(Watching, CountsPhasesThatAreTakenOverAsTheyEnd) {
  const std::string steps = reuse_training("tensor: 8, data: 4", ", iterations: 10");
  scenarios::Experiment experiment = experiment_of_text(reuse_servers(4, steps));
  std::vector<double> done;
  std::vector<std::uint64_t> counts;
  const auto observer = [&](const Progress& progress) {
    if (progress.stage.empty()) counts.push_back(progress.count);
    if (progress.done) done.push_back(*progress.done);
    return true;
  };
  const Results results = scenarios::simulate(experiment, observer);
  EXPECT_GT(results.totals.packet_hops, 10 * results.reuse.simulated_hops);
  EXPECT_TRUE(std::ranges::is_sorted(counts));
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_LE(counts.back(), results.totals.packet_hops);
  EXPECT_GT(static_cast<double>(counts.back()),
            0.9 * static_cast<double>(results.totals.packet_hops));
  ASSERT_FALSE(done.empty());
  EXPECT_GT(done.back(), 0.9);
  EXPECT_LE(done.back(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Watching, swarm_seeds(1, 30), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace weft::testing
