// What results are compared by: what it covers, and what not.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/message_phase.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using Row = std::array<std::int64_t, 3>;

RowSum sum_of(const std::vector<Row>& rows) {
  RowSum sum;
  for (const Row& row : rows) sum.add(RowName(), row, 0);
  return sum;
}

TEST(RowSum, KnowsRowsWhateverTheirOrder) {
  const Row a{1, 2, 3};
  const Row b{1, 3, 2};
  const Row c{-1, 0, 7};
  EXPECT_EQ(sum_of({a, b, c}), sum_of({c, a, b}));
  EXPECT_NE(sum_of({a, b}), sum_of({a, c})) << "another row";
  EXPECT_NE(sum_of({a, a}), sum_of({b, b})) << "the values of a row have an order";
  EXPECT_NE(sum_of({a}), sum_of({a, a})) << "how often counts";
}

TEST(RowSum, OfRowsThatComeAgainLaterBetweenOthersFollowsFromTheirSum) {
  const Row a{1, 2, 3};
  const Row b{4, 5, 6};
  const RowName here(1, 2);
  RowSum once;
  once.add(RowName(), a, 10);
  once.add(RowName(), b, 25);
  RowSum each;
  for (const std::int64_t start : {100, 350, 1'000}) {
    each.add(here, a, start + 10);
    each.add(here, b, start + 25);
  }
  RowSum at_once;
  at_once.add(here, once, 3, 100 + 350 + 1'000);
  EXPECT_EQ(at_once, each);
  RowSum elsewhere;
  elsewhere.add(RowName(2, 1), once, 3, 100 + 350 + 1'000);
  EXPECT_NE(elsewhere, each) << "who sends to whom";
  RowSum later;
  later.add(here, once, 3, 100 + 350 + 1'001);
  EXPECT_NE(later, each) << "when";
}

MessageResult message(Picoseconds begin, OptionalTime completed) {
  MessageResult m;
  m.source_rank = 1;
  m.destination_rank = 2;
  m.bytes = 4_KiB;
  m.start = begin;
  m.delivered = begin + 1_us;
  m.completed = completed;
  m.ideal = 1_us;
  return m;
}

TEST(MessagePhase, ThatHappensAgainLaterHasTheSameSum) {
  MessagePhase first{.job = 0, .iteration = 0, .start = 0_us, .messages = 0, .sum = {}};
  MessagePhase later{.job = 0, .iteration = 1, .start = 7_us, .messages = 0, .sum = {}};
  first.add(message(1_us, 3_us));
  later.add(message(8_us, 10_us));
  EXPECT_EQ(first.sum, later.sum);
  first.add(message(1_us, {}));
  later.add(message(8_us, {}));
  EXPECT_EQ(first.sum, later.sum) << "what never completed has no time to be relative";
  later.add(message(8_us, 11_us));
  first.add(message(1_us, 5_us));
  EXPECT_NE(first.sum, later.sum);
}

Results small_results() {
  Results r;
  r.jobs.emplace_back().name = "j";
  r.ports.emplace_back().port = PortId(0U);
  r.class_names = {"c"};
  r.classes.emplace_back().packets = 1;
  r.packet_latency.add(5);
  r.phases.push_back({.job = 0, .iteration = 0, .start = {}, .messages = 0, .sum = {}});
  return r;
}

template <class Change>
std::string digest_after(Change change) {
  Results r = small_results();
  change(r);
  return r.digest();
}

TEST(ResultsDigest, CoversEveryTableAndTheHistogram) {
  const std::vector<std::string> digests{
      small_results().digest(),
      digest_after([](Results& r) { r.jobs[0].end = 1_us; }),
      digest_after([](Results& r) { r.jobs[0].is_finished = true; }),
      digest_after([](Results& r) { r.ports[0].counters.ecn_marked = 1; }),
      digest_after([](Results& r) { r.classes[0].paused_time = 1_us; }),
      digest_after([](Results& r) { r.phases[0].add(message(1_us, 3_us)); }),
      digest_after([](Results& r) { r.collectives.emplace_back(); }),
      digest_after([](Results& r) { r.collectives.emplace_back().path.late = 1_us; }),
      digest_after([](Results& r) {
        r.pauses.pauses.push_back({});
        r.pauses.pauses[0].port = PortId(0U);
        r.pauses.analysis.storm_of.push_back(protocols::kNoIndex);
      }),
      digest_after([](Results& r) { r.packet_latency.add(6); })};
  for (std::size_t i = 0; i < digests.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(digests[i], digests[j]) << i << " " << j;
  }
}

TEST(ResultsDigest, DoesNotKnowWhatARunCostNorWhatFollowsFromTheRest) {
  const std::string digest = small_results().digest();
  EXPECT_EQ(digest, digest_after([](Results& r) { r.wall_seconds = 7; }));
  EXPECT_EQ(digest, digest_after([](Results& r) { r.threads = 7; }));
  EXPECT_EQ(digest, digest_after([](Results& r) { r.totals.events = 7; }));
  EXPECT_EQ(digest, digest_after([](Results& r) { r.ports[0].utilisation = 0.5; }));
  EXPECT_EQ(digest, digest_after([](Results& r) { r.warnings.emplace_back("mind"); }));
}

// Nothing is drawn and nothing is left over from the iteration before.
TEST(ResultsDigest, HasEqualPhasesOfIterationsThatPassAlike) {
  const auto loaded = load_scenario_text(
      "name: t\n"
      "racks: {count: 1, servers: 4, server: host-400g}\n"
      "links: {access: {rate: 400Gbps, length: 3m, cable: copper},"
      " uplink: {rate: 400Gbps, length: 3m, cable: copper}}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
      "transport: {type: roce, congestion_control: none}\n"
      "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 64KiB, iterations: 3,"
      " compute: 50us}]\n",
      "t.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors()[0].to_string();
  const auto experiment = build_experiment(loaded.value().scenario);
  ASSERT_TRUE(experiment.ok());
  const Results results = simulate(experiment.value());
  ASSERT_EQ(results.phases.size(), 3U);
  EXPECT_EQ(results.phases[0].messages, 24U);
  EXPECT_EQ(results.phases[1].sum, results.phases[2].sum);
  EXPECT_EQ(results.phases[1].start, results.collectives[1].start);
}

// Two collectives side by side, one with rendezvous over a slow spine, and a warm-up that ends amid
// their iterations: what is known of an iteration must not depend on when it is dealt with.
TEST(ResultsDigest, DoesNotDependOnWhenMessagesAreForgotten) {
  const auto loaded = load_scenario_text(
      "name: t\n"
      "racks: {count: 2, servers: 4, server: host-400g}\n"
      "links: {access: {rate: 400Gbps, length: 3m, cable: copper},"
      " uplink: {rate: 100Gbps, length: 30m, cable: fibre}}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
      "run: {warmup: 400us}\n"
      "jobs:\n"
      "  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, iterations: 20,"
      " execution: {preset: nccl, channels: 2, chunk: 16KiB}}\n"
      "  - {name: b, type: all-to-all, algorithm: one-shot, size: 64KiB, iterations: 30,"
      " compute: 7us}\n",
      "t.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors()[0].to_string();
  auto experiment = build_experiment(loaded.value().scenario);
  ASSERT_TRUE(experiment.ok());
  const Results at_the_end = simulate(experiment.value());
  ASSERT_EQ(at_the_end.collectives.size(), 50U);
  for (const std::uint64_t many : {1U, 100U}) {
    const Results r = simulate(experiment.value(), {}, nullptr, {}, {}, {.many_messages = many});
    EXPECT_EQ(r.digest(), at_the_end.digest()) << many;
  }
}

}  // namespace
}  // namespace weft::scenarios
