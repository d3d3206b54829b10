// A cause that is planted in a scenario is the first that a run is repeated without, whatever blame
// calls it, and the run without takes what a healthy one takes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/blame/counterfactual/candidates.hpp"
#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/blame/counterfactual/late_ranks.hpp"
#include "scenarios/blame/explain/advice.hpp"
#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/blame/explain/repairs.hpp"
#include "scenarios/blame/explain/run_facts.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using weft::testing::experiment_of_text;

/// Eight servers in two racks, with keys of links, transport and job.
struct Planted {
  std::string racks = "racks: {count: 2, servers: 4, server: host-400g}\n";
  std::string fabric{};
  std::string job{};
  std::string rest{};

  [[nodiscard]] std::string text() const {
    return "name: t\n" + racks + "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4" +
           fabric + "}\n" +
           "jobs:\n  - {name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-7, "
           "iterations: 2, compute: 20us" +
           job + "}\n" + rest;
  }
};

LoadedScenario planted_scenario(const std::string& text,
                                const std::vector<std::string>& overrides = {}) {
  auto loaded = load_scenario_text(text, "test.yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  return std::move(loaded).value();
}

std::vector<BlameEntry> blame_of(const std::string& text) {
  Experiment e = experiment_of_text(text);
  e.scenario.observe.blame = true;
  const Results r = simulate(e);
  EXPECT_TRUE(is_success(r.outcome)) << text;
  std::vector<BlameEntry> entries;
  for (const BlameResult& b : r.blame) {
    entries.push_back(
        {r.jobs[b.job].name, b.iteration, b.cause, b.culprit_kind, b.culprit, b.port, b.time});
  }
  return entries;
}

/// The JCT of the first job.
Picoseconds planted_time(const LoadedScenario& scenario) {
  return simulate(build_experiment(scenario.scenario).value()).jobs[0].jct;
}

/// It is tried first, and the run without it takes exactly what the healthy one does.
void expect_found(const std::string& what, const std::string& text, const std::string& healthy) {
  const LoadedScenario scenario = planted_scenario(text);
  const Candidates candidates = candidates_of(blame_of(text), scenario, slow_links(scenario));
  ASSERT_FALSE(candidates.causes.empty()) << what << text;
  EXPECT_EQ(candidates.causes.front(), what) << text;
  const auto overrides = overrides_without(what, scenario);
  ASSERT_TRUE(overrides.ok()) << what << text << overrides.errors().front().message;
  const LoadedScenario without = planted_scenario(text, overrides.value());
  EXPECT_FALSE(has_removable(what, without)) << what << text;
  const LoadedScenario same = planted_scenario(healthy);
  EXPECT_EQ(planted_time(without), planted_time(same)) << what << text;
  EXPECT_NE(planted_time(scenario), planted_time(same)) << what << text;
}

TEST(PlantedCause, OfEveryDegradationIsTriedFirstAndItsRemovalHealsTheRun) {
  struct Degradation {
    const char* what;
    Planted planted;
  };
  const auto faults = [](const std::string& fault) {
    return Planted{.rest = "faults: [{" + fault + "}]\n"};
  };
  const auto changes = [](const std::string& change) {
    return Planted{.rest = "links: {changes: [{" + change + "}]}\n"};
  };
  const Degradation cases[] = {
      {"slow-links", changes("from: h3, rate: 50Gbps")},
      {"slow-links", changes("from: leaf0, to: spine1, rate: 50Gbps")},
      {"slow-links", changes("from: leaf0, to: spine1, latency: 5us")},
      {"slow-links", faults("type: link-rate, from: leaf0, to: spine1, rate: 50Gbps, at: 10us")},
      {"slow-links", faults("type: link-latency, from: h1, added: 3us")},
      {"slow-links",
       {.racks = "racks: [{count: 1, servers: 4, server: host-400g}, {count: 1, servers: 4, "
                 "server: {part: host-400g, nic: {rate: 50Gbps}}}]\n"}},
      {"link-failures", faults("type: link-down, from: leaf0, to: spine1, at: 25us, until: 40us")},
      {"link-failures", faults("type: switch-down, switch: spine1, at: 25us, until: 40us")},
      {"bit-errors", faults("type: bit-errors, from: h1, bit_error_rate: 1e-7")},
      {"bit-errors", changes("from: h1, frame_loss_rate: 0.01")},
      {"bit-errors", {.rest = "links: {uplink: {bit_error_rate: 1e-6}}\n"}},
      {"nic-pauses", faults("type: nic-pause, host: h2, at: 30us, until: 60us")},
      {"stragglers", {.job = ", stragglers: [{ranks: 5, late: 2us}]"}},
      {"stragglers", {.job = ", noise: [{ranks: 5, factor: 1.2}]"}},
      {"stragglers", {.job = ", noise: [{ranks: 5, pause: {period: 1ms, length: 2us}}]"}},
      {"stragglers", {.job = ", noise: [{ranks: 5, throttles: [{length: 1ms, factor: 1.2}]}]"}},
      {"jitter", {.job = ", jitter: {type: exponential, mean: 1us}"}},
      {"jitter", {.job = ", noise: [{ranks: 5, jitter: {type: exponential, mean: 1us}}]"}},
  };
  for (const Degradation& c : cases) expect_found(c.what, c.planted.text(), Planted{}.text());
}

// The other job keeps its hosts, so that the first one is alone on its own.
TEST(PlantedCause, OfAnotherJobIsTriedFirst) {
  const std::string other =
      "  - {name: b, type: permutation, size: 1MiB, ranks: 0-7, start: 30us}\n";
  expect_found("job:b", Planted{.rest = other}.text(), Planted{}.text());
}

// A run without a setting is the scenario with the one that does nothing.
TEST(PlantedCause, OfASettingIsTriedFirstWhereTheScenarioHasNothingWorse) {
  const auto run = [](const std::string& fabric, const std::string& transport,
                      const std::string& job) {
    return "name: t\nseed: 1\nracks: {count: 2, servers: 4, server: host-400g}\n"
           "fabric: {topology: leaf-spine, switch: {part: spectrum-4, buffer: 400MB}, " +
           fabric + "}\ntransport: {type: roce, " + transport + "}\njobs: [{name: a, " + job +
           "}]\n";
  };
  // Every packet that waits is marked, so that rates fall far below those that the link has room
  // for.
  const std::string marks = "spines: 1, flow_control: none, ecn: {kmin: 1KB, kmax: 2KB, pmax: 1}";
  const std::string pair = "type: incast, receiver: 0, senders: 2, size: 2MiB";
  expect_found("congestion-control",
               run(marks, "congestion_control: {type: dcqcn, preset: paper}", pair),
               run(marks, "congestion_control: none", pair));
  // Senders are held back at their ports, with next to nothing in the switch.
  const std::string incast = "type: incast, receiver: 0, senders: 7, size: 2MiB";
  const auto pauses = [](const std::string& how) {
    return "spines: 1, ecn: none, flow_control: " + how;
  };
  expect_found("pauses",
               run(pauses("{type: pfc, threshold: static, xoff: 20KB, xon: 10KB}"),
                   "congestion_control: none", incast),
               run(pauses("none"), "congestion_control: none", incast));
  const auto spread = [](const std::string& how) {
    return "spines: 4, flow_control: none, load_balancing: " + how;
  };
  const std::string pairs =
      "type: messages, ranks: 0-7, list: [{from: 0, to: 4, size: 2MiB}, {from: 1, to: 5, size: "
      "2MiB}, {from: 2, to: 6, size: 2MiB}, {from: 3, to: 7, size: 2MiB}]";
  const std::string any = "congestion_control: none, receiver: any-order";
  expect_found("collisions", run(spread("ecmp"), any, pairs), run(spread("spray"), any, pairs));
}

// Degradations come before jobs, and both before settings, however little they are blamed for.
TEST(PlantedCause, OfSeveralComesByWhatCanBeChanged) {
  const std::string text =
      Planted{.job = ", stragglers: [{ranks: 2, late: 100ns}]",
              .rest =
                  "  - {name: b, type: permutation, size: 1MiB}\n"
                  "links: {changes: [{from: h3, rate: 50Gbps}]}\n"
                  "faults: [{type: link-down, from: leaf1, to: spine1, at: 1ms, until: 2ms}]\n"}
          .text();
  const LoadedScenario scenario = planted_scenario(text);
  const std::vector<BlameEntry> blame = blame_of(text);
  const Candidates all = candidates_of(blame, scenario, slow_links(scenario));
  ASSERT_GE(all.causes.size(), 6U);
  const auto tried = [&all](std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t i) {
      return all.causes.begin() + static_cast<std::ptrdiff_t>(i);
    };
    return std::vector<std::string>(at(from), at(to));
  };
  EXPECT_EQ(all.causes.front(), "slow-links");
  EXPECT_THAT(tried(1, 3), UnorderedElementsAre("link-failures", "stragglers"));
  EXPECT_THAT(tried(3, 5), UnorderedElementsAre("job:a", "job:b"));
  EXPECT_TRUE(all.more_jobs.empty());
  const Candidates some = candidates_of(blame, scenario, slow_links(scenario), 1);
  EXPECT_EQ(some.causes.size(), all.causes.size() - 1);
  EXPECT_EQ(some.more_jobs, std::vector<std::string>{all.causes[4]}) << "the less blamed job";
  // Without blame nothing tells settings apart: all that there are may be why a run does not end.
  const Candidates stuck = candidates_of({}, scenario, slow_links(scenario), 40, true);
  EXPECT_THAT(stuck.causes,
              ::testing::IsSupersetOf({"congestion-control", "pauses", "collisions"}));
  const Candidates none = candidates_of({}, scenario, slow_links(scenario), 40, false);
  EXPECT_THAT(none.causes, Not(::testing::Contains("pauses")));
}

// What is broken comes before settings, whether it shows as itself or as time-outs; a link that is
// down is advised against as that, and not as what it makes.
TEST(PlantedCause, IsADegradationInAdviceHoweverItShows) {
  EXPECT_EQ(advice_of("link failure", 5_us, {}).lever, Lever::kDegradation);
  EXPECT_EQ(advice_of("time-out", 5_us, {}).lever, Lever::kSetting);
  const Advice shown = advice_of("time-out", 5_us, {{"link-failures", {}}});
  EXPECT_EQ(shown.lever, Lever::kDegradation);
  EXPECT_EQ(shown.text, "mend the links that fail, or routes that avoid them sooner");
  EXPECT_EQ(advice_of("time-out", 5_us, {{"link-failures", {}, {}, {"the link of h3"}}}).text,
            "mend the link of h3, which fails, or routes that avoid it sooner");
  EXPECT_EQ(advice_of("link failure", 5_us, {{"link-failures", {}}}).text,
            "mend the link, or routes that avoid it sooner");
}

// Jitter of one job is not to blame for the late ranks of another, nor for what waits for them.
TEST(PlantedCause, IsBlamedInJobsThatHaveItAlone) {
  const LoadedScenario scenario = planted_scenario(
      Planted{.job = ", stragglers: [{ranks: 2, late: 5us}]",
              .rest = "  - {name: b, type: all-reduce, algorithm: ring, size: 64KiB, ranks: 0-7, "
                      "jitter: {type: exponential, mean: 1us}}\n"}
          .text());
  const std::vector<Degradation> degradations = degradations_of(scenario, {});
  const std::vector<BlameEntry> blame{{"a", 0, "straggler", "rank", "rank 2 (h2)", "", 5_us},
                                      {"b", 0, "straggler", "rank", "rank 3 (h3)", "", 2_us},
                                      {"b", 0, "time-out", "port", "x", "", 7_us}};
  const auto time = [&](const char* what, const char* job) {
    return blamed_time(std::vector<std::string>{what}, job, blame, degradations, {});
  };
  EXPECT_EQ(time("stragglers", "a"), 5_us);
  EXPECT_EQ(time("stragglers", "b"), 0_us);
  EXPECT_EQ(time("jitter", "a"), 0_us);
  EXPECT_EQ(time("jitter", "b"), 2_us);
  EXPECT_EQ(time("jitter", ""), 2_us) << "of all jobs";
  EXPECT_EQ(time("link-failures", "b"), 7_us) << "what is of the fabric is blamed in all jobs";
}

// Faults of two types and jitter beside slowness stand in the same lists: what one removal leaves
// is what the next one thins out, whatever the order.
TEST(PlantedCause, OfSeveralIsTakenOutTogether) {
  const LoadedScenario scenario = planted_scenario(
      Planted{.job = ", noise: [{ranks: 5, factor: 1.2, jitter: {type: normal, mean: 1us, "
                     "deviation: 1us}}]",
              .rest = "  - {name: b, type: permutation, size: 64KiB}\n"
                      "faults: [{type: link-down, from: leaf0, to: spine1, at: 25us, until: 40us}, "
                      "{type: nic-pause, host: h2, at: 30us, until: 60us}, {type: link-rate, from: "
                      "h1, rate: 50Gbps}]\n"}
          .text());
  for (const std::string list :
       {"nic-pauses,link-failures,stragglers,jitter,slow-links,job:b",
        "job:b,slow-links,jitter,stragglers,link-failures,nic-pauses,nic-pauses"}) {
    EXPECT_TRUE(has_removable(list, scenario));
    const auto overrides = overrides_without(list, scenario);
    ASSERT_TRUE(overrides.ok()) << overrides.errors().front().message;
    const LoadedScenario rest = planted_scenario(scenario.canonical_yaml(), overrides.value());
    EXPECT_FALSE(has_removable(list, rest)) << list;
    EXPECT_EQ(planted_time(rest), planted_time(planted_scenario(Planted{}.text())));
  }
  EXPECT_EQ(causes_in("a,job:b,a"), (std::vector<std::string>{"a", "job:b"}));
  EXPECT_EQ(list_of_causes(causes_in("a,job:b")), "a,job:b");
  // A pause of a NIC goes with all pauses.
  EXPECT_TRUE(overrides_without("pauses,nic-pauses", scenario).ok());
  EXPECT_FALSE(overrides_without("slow-links,bit-errors", scenario).ok());
}

// A change that slows a link down and corrupts its frames is two things.
TEST(PlantedCause, OfAChangedLinkIsSplitIntoItsSpeedAndItsErrors) {
  const LoadedScenario scenario = planted_scenario(Planted{
      .rest = "links: {changes: [{from: h1, rate: 50Gbps, frame_loss_rate: 0.01}, {from: h2, "
              "rate: 50Gbps}]}\n"}
                                                       .text());
  const auto without = [&](const std::string& what) {
    return planted_scenario(scenario.canonical_yaml(), overrides_without(what, scenario).value());
  };
  const LoadedScenario fast = without("slow-links");
  EXPECT_FALSE(has_removable("slow-links", fast));
  EXPECT_THAT(removable_parts("bit-errors", fast), ElementsAre("links.changes[0]"));
  const LoadedScenario sound = without("bit-errors");
  EXPECT_FALSE(has_removable("bit-errors", sound));
  EXPECT_THAT(slow_link_texts(slow_links(sound)),
              ElementsAre("the NIC of h1 runs at 50 Gbps of 400 Gbps",
                          "the NIC of h2 runs at 50 Gbps of 400 Gbps"));
}

// Late and slow ranks go, and what is random stays; and the other way round.
TEST(PlantedCause, OfNoiseIsSplitIntoSlownessAndJitter) {
  const LoadedScenario scenario = planted_scenario(
      Planted{.job = ", noise: [{ranks: 5, factor: 1.2, jitter: {type: normal, mean: 1us, "
                     "deviation: 1us}}, {ranks: 6, factor: 1.5}]"}
          .text());
  const LoadedScenario steady =
      planted_scenario(scenario.canonical_yaml(), overrides_without("jitter", scenario).value());
  EXPECT_TRUE(has_removable("stragglers", steady));
  EXPECT_FALSE(has_removable("jitter", steady));
  const LoadedScenario random = planted_scenario(scenario.canonical_yaml(),
                                                 overrides_without("stragglers", scenario).value());
  EXPECT_FALSE(has_removable("stragglers", random));
  EXPECT_TRUE(has_removable("jitter", random));
}

TEST(PlantedCause, OfLinksNamesNicsAndCablesWithTheirRates) {
  const auto texts = [](const Planted& planted) {
    return slow_link_texts(slow_links(planted_scenario(planted.text())));
  };
  const auto changes = [](const std::string& all) {
    return Planted{.rest = "links: {changes: [" + all + "]}\n"};
  };
  EXPECT_THAT(texts(changes("{from: h3, rate: 50Gbps}")),
              ElementsAre("the NIC of h3 runs at 50 Gbps of 400 Gbps"));
  EXPECT_THAT(texts(changes("{from: h3, to: leaf0, rate: 50Gbps}")),
              ElementsAre("the link between h3 and leaf0 runs at 50 Gbps of 400 Gbps"));
  EXPECT_THAT(texts(changes("{from: leaf0, to: spine1, rate: 50Gbps, latency: 3us}")),
              ElementsAre(AllOf(HasSubstr("the link between leaf0 and spine1 runs at 50 Gbps of "
                                          "400 Gbps and takes "),
                                HasSubstr(" longer"))));
  EXPECT_THAT(texts({.racks = "racks: [{count: 1, servers: 4, server: host-400g}, {count: 1, "
                              "servers: 4, server: {part: host-400g, nic: {rate: 50Gbps}}}]\n"}),
              ElementsAre("the NIC of h4 runs at 50 Gbps of 400 Gbps",
                          "the NIC of h5 runs at 50 Gbps of 400 Gbps",
                          "the NIC of h6 runs at 50 Gbps of 400 Gbps",
                          "the NIC of h7 runs at 50 Gbps of 400 Gbps"));
  EXPECT_THAT(
      texts({.rest = "faults: [{type: link-rate, from: h5, direction: out, rate: 50Gbps, at: 10us, "
                     "until: 20us}]\n"}),
      ElementsAre("the link from h5 to leaf1 runs at 50 Gbps of 400 Gbps from 10 us until 20 us"));
  // A link that is changed to be faster is not slow.
  EXPECT_THAT(texts(changes("{from: leaf0, to: spine1, rate: 800Gbps}")), ElementsAre());
}

// A latency is a cable's, whatever it joins. A link that brings no more than its NIC takes in is
// not slow by that.
TEST(PlantedCause, OfLatencyIsACableAndOfWhatIsTakenInAFasterLink) {
  EXPECT_THAT(
      slow_link_texts(slow_links(planted_scenario(
          Planted{.rest = "links: {changes: [{from: h3, latency: 3us}]}\n"}.text()))),
      ElementsAre(AllOf(HasSubstr("the link between h3 and leaf0 takes "), HasSubstr(" longer"))));
  const Planted taken{.racks =
                          "racks: {count: 2, servers: 4, server: {part: host-400g, nic: "
                          "{receive_rate: 200Gbps}}}\n",
                      .rest = "links: {changes: [{from: h3, rate: 200Gbps}]}\n"};
  const std::vector<SlowLink> links = slow_links(planted_scenario(taken.text()));
  EXPECT_EQ(std::ranges::count(links, true, &SlowLink::is_taken_in), 7);
}

// What only takes longer slows a window and propagation, and no queue. A connection is slow where
// either of its ends is.
TEST(PlantedCause, OfASlowLinkIsThatOfItsConnectionsAndWindows) {
  const std::vector<SlowLink> longer{{.port = "leaf0[0]->h0",
                                      .node = "leaf0",
                                      .peer = "h0",
                                      .rate = 400_Gbps,
                                      .usual_rate = 400_Gbps,
                                      .added = 3_us}};
  std::vector<SlowLink> slower = longer;
  slower[0].rate = 100_Gbps;
  const auto blamed = [](const char* cause, const char* culprit, const char* port) {
    return BlameEntry{"a", 0, cause, "connection", culprit, port, 1_us};
  };
  for (const char* cause : {"window", "propagation"}) {
    EXPECT_NE(slow_link_of(longer, blamed(cause, "", "leaf0[0]->h0")), nullptr) << cause;
  }
  EXPECT_EQ(slow_link_of(longer, blamed("queueing", "", "leaf0[0]->h0")), nullptr);
  EXPECT_NE(slow_link_of(slower, blamed("queueing", "", "leaf0[0]->h0")), nullptr);
  for (const char* cause : {"window", "congestion control"}) {
    const auto of = [&](const char* culprit) {
      return slow_link_of(slower, blamed(cause, culprit, ""));
    };
    EXPECT_NE(of("rank 3 -> rank 0 (h3 -> h0)"), nullptr) << cause;
    EXPECT_NE(of("rank 3 -> rank 1 (leaf0 -> h1)"), nullptr) << cause;
    EXPECT_EQ(of("rank 0 -> rank 3 (h0 -> h3)"), nullptr) << cause;
  }
  EXPECT_EQ(slow_link_of(slower, blamed("queueing", "rank 3 -> rank 0 (h3 -> h0)", "")), nullptr);
}

// A control leaves no queues where flows collide: that they do is tried where a job is held back
// and its packets take links between switches.
TEST(PlantedCause, OfCollisionsIsTriedBehindAControl) {
  const LoadedScenario scenario = planted_scenario(Planted{}.text());
  const auto tried = [&](const std::string& port, const char* job = "a") {
    const std::vector<BlameEntry> blame{
        {"a", 0, "congestion control", "connection", "rank 0 -> rank 4 (h0 -> h4)", "", 60_us},
        {job, 0, "propagation", "port", port, port, 2_us}};
    return candidates_of(blame, scenario, {}).causes;
  };
  EXPECT_THAT(tried("leaf0[4]->spine0[0]", "other"), Not(::testing::Contains("collisions")));
  EXPECT_THAT(tried("leaf0[4]->spine0[0]"), ::testing::Contains("collisions"));
  EXPECT_THAT(tried("leaf0[0]->h1"), Not(::testing::Contains("collisions")));
  EXPECT_THAT(tried("h1->leaf0[1]"), Not(::testing::Contains("collisions")));
}

// Between switches own packets have other ways where a hash chose theirs; at a host they have none.
TEST(PlantedCause, OfOwnPacketsIsASettingBetweenSwitches) {
  const auto advice = [](const std::string& port, const std::string& hashed) {
    return explanation_json({{"a", 0, "queueing", "job", "a", port, 40_us},
                             {"a", 0, "queueing", "job", "a", "h0->leaf0[0]", 10_us},
                             {"a", 0, "pause", "port", "x", "y->x", 30_us}},
                            {.hashed_jobs = {hashed}})["jobs"][0]["advice"];
  };
  const auto between = advice("leaf0[4]->spine0[0]", "a");
  EXPECT_EQ(between.front()["against"], "own packets");
  EXPECT_EQ(between.front()["kind"], "setting");
  EXPECT_EQ(between.front()["without"], "collisions");
  EXPECT_THAT(std::string(between.front()["advice"]), HasSubstr("spraying"));
  // What lies at hosts is none of that.
  EXPECT_EQ(between.front()["seconds"], "0.000040000000");
  EXPECT_EQ(between.back()["kind"], "plan");
  EXPECT_EQ(between.back()["seconds"], "0.000010000000");
  const auto sprayed = advice("leaf0[4]->spine0[0]", "b");
  EXPECT_EQ(sprayed.back()["seconds"], "0.000050000000");
  EXPECT_THAT(sprayed.dump(), Not(HasSubstr("collisions")));
  const auto at_host = advice("leaf0[0]->h1", "a");
  EXPECT_EQ(at_host.front()["against"], "pause");
  EXPECT_EQ(at_host.back()["kind"], "plan");
}

// A control answers to queues, and leaves little of them: what is left says where flows meet.
TEST(PlantedCause, OfJobsHeldBackMayBeCollisions) {
  const auto advice = [](const std::string& queue, bool hashes_paths) {
    const std::vector<BlameEntry> blame{
        {"a", 0, "congestion control", "queue pair", "rank 1 -> rank 2", "h1->leaf0[1]", 40_us},
        {"a", 0, "queueing", "job", "a", queue, 1_us},
        {"a", 0, "propagation", "port", "leaf0[4]->spine0[0]", "leaf0[4]->spine0[0]", 2_us}};
    return explanation_text(blame, 10, {.hashed_jobs = {hashes_paths ? "a" : "b"}});
  };
  const std::string cure =
      "spraying, adaptive routing or more queue pairs in place of a hash of paths (congestion "
      "control, 93.0 %); `weft run --without collisions` shows what it costs";
  const std::string tune = "thresholds and steps of the congestion control that suit the rate";
  EXPECT_THAT(advice("leaf0[4]->spine0[0]", true), HasSubstr("Try first: " + cure));
  EXPECT_THAT(advice("leaf0[4]->spine0[0]", true), HasSubstr("Then: " + tune));
  EXPECT_THAT(advice("leaf0[1]->h2", true), HasSubstr("Try first: " + tune));
  EXPECT_THAT(advice("leaf0[1]->h2", true), HasSubstr("Then: " + cure));
  EXPECT_THAT(advice("leaf0[4]->spine0[0]", false), Not(HasSubstr("collisions")));
}

/// A job that a control holds back for 90 us, with what is known of queues.
std::string held_back(const std::vector<Reaction>& reactions, RunFacts facts = {}) {
  facts.hashed_jobs = {"a"};
  facts.reactions = reactions;
  const std::vector<BlameEntry> blame{
      {"a", 0, "congestion control", "queue pair", "rank 1 -> rank 2 (h1 -> h2)", "h1->leaf0[1]",
       90_us},
      {"a", 0, "propagation", "port", "leaf0[4]->spine0[0]", "leaf0[4]->spine0[0]", 10_us}};
  return explanation_text(blame, 10, facts);
}

// Other jobs whose packets a control reacts to are named, and advised against, first.
TEST(PlantedCause, OfOtherJobsBehindAControlIsNamed) {
  const std::string text = held_back({{"a", "leaf0[2]->h2", 90_us, 0.8, "b", 0.8, 0}});
  EXPECT_THAT(text,
              HasSubstr("congestion control: held back for packets of b at leaf0[2]->h2 (80.0 "
                        "% of what that port sends is of other jobs), most rank 1"));
  EXPECT_THAT(text, HasSubstr("Try first: other placement (congestion control, 72.0 %); `weft run "
                              "--without job:b` shows"));
  EXPECT_THAT(text, HasSubstr("Then: thresholds and steps"));
  const std::string own = held_back({{"a", "leaf0[2]->h2", 90_us, 0.05, "b", 0.05, 0}});
  EXPECT_THAT(own, HasSubstr("held back for its own packets at leaf0[2]->h2, most rank 1"));
  EXPECT_THAT(own, Not(HasSubstr("job:b")));
  // Of most of the time no queue is known.
  const std::string unknown = held_back({{"a", "leaf0[2]->h2", 40_us, 0.8, "b", 0.8, 0}});
  EXPECT_THAT(unknown, HasSubstr("held back by congestion control while the port was free"));
}

// Spraying helps where a link between switches carries more than those beside it: not at the last
// hop, and not where all carry the same.
TEST(PlantedCause, OfJobsHeldBackIsSprayedWhereLinksAreUneven) {
  EXPECT_THAT(held_back({{"a", "leaf0[2]->h2", 90_us, 0, "", 0, 0}}), Not(HasSubstr("spraying")));
  EXPECT_THAT(held_back({{"a", "leaf0[4]->spine0[0]", 90_us, 0, "", 0, 1.05}}),
              Not(HasSubstr("spraying")));
  EXPECT_THAT(held_back({{"a", "leaf0[4]->spine0[0]", 60_us, 0, "", 0, 1.5},
                         {"a", "leaf0[2]->h2", 30_us, 0, "", 0, 0}}),
              HasSubstr("Try first: spraying, adaptive routing or more queue pairs in place of a "
                        "hash of paths (congestion control, 60.0 %); `weft run --without "
                        "collisions` shows"));
  // Its queue is that of a pause.
  const std::string paused =
      held_back({{"a", "leaf0[4]->spine0[0]", 90_us, 0.6, "b", 0.6, 1.5, 20_us}});
  EXPECT_THAT(paused, HasSubstr("held back for its own packets and those of b (60.0 %) at "
                                "leaf0[4]->spine0[0], which is paused itself, most"));
  EXPECT_THAT(paused, Not(HasSubstr("job:b")));
  EXPECT_THAT(paused, Not(HasSubstr("spraying")));
  // Spraying takes what a bad cable loses for reordered.
  RunFacts facts;
  facts.degradations = {{"bit-errors", {}, {}, {"the cable of h5"}}};
  facts.losses.by_errors = 3;
  EXPECT_THAT(held_back({{"a", "leaf0[4]->spine0[0]", 90_us, 0, "", 0, 1.5}}, facts),
              HasSubstr("Try first: replace the cable of h5, which corrupts frames, and then "
                        "spraying, adaptive routing or more queue pairs in place of a hash of "
                        "paths (congestion control, 90.0 %); `weft run --without "
                        "bit-errors,collisions` shows"));
}

// A job without a congestion control has nothing to tune.
TEST(PlantedCause, OfNoControlIsLinkControl) {
  RunFacts facts;
  facts.uncontrolled_jobs = {"a"};
  const std::string text = held_back({}, facts);
  EXPECT_THAT(text, HasSubstr("congestion control: the job has none: frames of link control, such "
                              "as pauses, that its NICs send, most rank 1"));
  EXPECT_THAT(text, Not(HasSubstr("thresholds")));
  const auto jobs_without = [](const std::string& rest) {
    return facts_of(planted_scenario(Planted{.rest = rest}.text())).uncontrolled_jobs;
  };
  EXPECT_THAT(jobs_without("transport: {congestion_control: none}\n"), ElementsAre("a"));
  EXPECT_THAT(jobs_without("transport: {congestion_control: dcqcn}\n"), ElementsAre());
}

// What is to be mended has a name where it is one thing or a few.
TEST(PlantedCause, IsMendedByItsName) {
  const auto advice = [](const std::string& rest, const BlameEntry& blame) {
    const RunFacts facts = facts_of(planted_scenario(Planted{.rest = rest}.text()));
    return explanation_text({blame}, 10, facts);
  };
  const BlameEntry paused{"a", 0, "pause", "port", "NIC of h2", "x->y", 40_us};
  EXPECT_THAT(advice("faults: [{type: nic-pause, host: h2, at: 0us}]\n", paused),
              HasSubstr("Try first: replace the NIC of h2, which holds its switch paused (pause"));
  EXPECT_THAT(advice("faults: [{type: nic-pause, host: h2, at: 0us}, {type: nic-pause, host: h3, "
                     "at: 0us}]\n",
                     paused),
              HasSubstr("replace the NIC of h2 and the NIC of h3, which hold their switches "
                        "paused (pause"));
  const BlameEntry lost{"a", 0, "retransmission", "queue pair", "rank 1 -> rank 2", "", 40_us};
  EXPECT_THAT(advice("links: {changes: [{from: h1, frame_loss_rate: 0.01}]}\n", lost),
              HasSubstr("replace the cable of h1, which corrupts frames (retransmission"));
  EXPECT_THAT(advice("links: {uplink: {bit_error_rate: 1e-6}}\n", lost),
              HasSubstr("mend the links that corrupt frames (retransmission"));
  EXPECT_THAT(
      advice("faults: [{type: link-down, from: leaf0, to: spine1, at: 0us, until: 1us}]\n", lost),
      HasSubstr("mend the link between leaf0 and spine1, which fails, or routes that avoid "
                "it sooner (retransmission"));
  EXPECT_THAT(advice("faults: [{type: switch-down, switch: spine1, at: 0us, until: 1us}]\n", lost),
              HasSubstr("mend switch spine1, which fails"));
}

// Slow links are in the zero-load time: beside it stands what it is at nominal rates.
TEST(PlantedCause, OfSlowLinksIsMeasuredAtNominalRates) {
  RunFacts facts;
  add_outcome({{"jobs",
                {{{"name", "a"},
                  {"jct_seconds", 40e-6},
                  {"ideal_seconds", 36e-6},
                  {"nominal_ideal_seconds", 8e-6}}}}},
              facts);
  const std::vector<BlameEntry> blame{{"a", 0, "serialisation", "port", "x", "x->y", 40_us}};
  EXPECT_THAT(explanation_text(blame, 10, facts),
              HasSubstr("a: 40 us, 5.0 times its zero-load time at nominal rates (8 us). Along"));
}

// A lossless class helps against full buffers alone.
TEST(PlantedCause, OfLossesSaysWhatLosesThem) {
  const auto advice = [](const std::vector<Degradation>& degradations) {
    const std::vector<BlameEntry> blame{{"a", 0, "retransmission", "connection", "x", "", 40_us}};
    const auto json = explanation_json(blame, {.degradations = degradations});
    return std::string(json["jobs"][0]["advice"][0]["advice"]);
  };
  EXPECT_EQ(advice({}), "a lossless class, or room in the buffer");
  EXPECT_EQ(advice({{"bit-errors", {}}}), "mend the links that corrupt frames");
  EXPECT_THAT(advice({{"link-failures", {}}}), HasSubstr("mend the links that fail"));
}

std::string first_advice(const std::vector<BlameEntry>& blame, const RunFacts& facts) {
  const auto json = explanation_json(blame, facts)["jobs"][0]["advice"];
  if (json.empty()) return "none";
  return json[0].value("without", "") + ": " + std::string(json[0]["advice"]);
}

// Late ranks of one job are not what makes ranks of another irregular.
TEST(PlantedCause, OfLateRanksIsThatOfTheirJob) {
  const LoadedScenario scenario = planted_scenario(
      Planted{.job = "}\n  - {name: b, type: all-reduce, size: 1MiB, ranks: 0-7, after: a, jitter: "
                     "{type: exponential, mean: 9us}}\n  - {name: c, type: all-reduce, size: 1MiB, "
                     "ranks: 0-7, after: b, stragglers: [{ranks: 3, late: 20us}]"}
          .text());
  const RunFacts facts = facts_of(scenario);
  const auto advice = [&facts](const std::string& job) {
    return first_advice({{job, 0, "straggler", "rank", "rank 3 (h3)", "", 40_us},
                         {job, 0, "straggler", "rank", "rank 5 (h5)", "", 30_us}},
                        facts);
  };
  EXPECT_THAT(advice("b"), HasSubstr("jitter: steadier ranks"));
  EXPECT_EQ(advice("c"),
            "stragglers: replace rank 3 (h3) and rank 5 (h5), or leave them out of the job");
  EXPECT_THAT(advice("a"), ::testing::StartsWith(": replace rank 3 (h3)"));
}

// A scenario may have several defects: blame says which of them a wait is for.
TEST(PlantedCause, OfRepeatsIsTheFailureThatBlameNames) {
  const RunFacts facts{
      .degradations = {{"link-failures", {}}, {"bit-errors", {}}, {"nic-pauses", {}}}};
  const auto advice = [&facts](const std::string& cause, const std::string& culprit) {
    return first_advice({{"a", 0, cause, "connection", culprit, "", 40_us}}, facts);
  };
  const std::string pair = "rank 2 -> rank 3 (h2 -> h3)";
  EXPECT_THAT(advice("time-out", pair + " by pause-storm of leaf0[3]->h3"),
              HasSubstr("nic-pauses: replace the NIC"));
  EXPECT_THAT(advice("time-out", pair + " by flapping of leaf0 to spine3"),
              HasSubstr("link-failures: mend the links that fail"));
  EXPECT_THAT(advice("retransmission", pair + " by bit-errors of leaf1 to spine2"),
              HasSubstr("bit-errors: mend the links that corrupt frames"));
  EXPECT_THAT(advice("time-out", pair), HasSubstr("link-failures: "));
  EXPECT_THAT(advice("pause", "NIC of h0"), HasSubstr("nic-pauses: replace the NIC"));
  EXPECT_THAT(advice("pause", "leaf0[0]->h1"), ::testing::StartsWith(": marks or thresholds"));
  // Most of these pauses come from a port that is overloaded, whatever a NIC adds to them.
  EXPECT_THAT(first_advice({{"a", 0, "pause", "port", "NIC of h0", "", 10_us},
                            {"a", 0, "pause", "port", "leaf0[0]->h1", "", 40_us}},
                           facts),
              ::testing::StartsWith(": marks or thresholds"));
}

// Links that flap fail, and are taken out as such.
TEST(PlantedCause, OfFlappingIsALinkFailure) {
  const LoadedScenario scenario = planted_scenario(
      Planted{.rest = "faults: [{type: flapping, from: leaf0, to: spine0, up: {mean: 9us}, down: "
                      "{mean: 9us}, until: 1ms}]\n"}
          .text());
  EXPECT_EQ(overrides_without("link-failures", scenario).value(),
            std::vector<std::string>{"faults=[]"});
  EXPECT_EQ(facts_of(scenario).degradations.front().what, "link-failures");
}

// Packets of Ultra Ethernet take all paths, and TCP cannot take packets in any order: for neither
// is spraying an advice.
TEST(PlantedCause, OfCollisionsNeedsFlowsThatAHashPlaces) {
  const auto hashed = [](const std::string& transport, const std::string& fabric) {
    return facts_of(planted_scenario(Planted{.fabric = fabric, .rest = transport}.text()))
        .hashed_jobs;
  };
  EXPECT_THAT(hashed("", ""), ElementsAre("a"));
  EXPECT_THAT(hashed("transport: {type: uec}\n", ", flow_control: none"), ::testing::IsEmpty());
  EXPECT_THAT(hashed("transport: {receiver: any-order}\n", ", load_balancing: spray"),
              ::testing::IsEmpty());
  EXPECT_THAT(hashed("transport: {type: tcp}\n", ", flow_control: none"), ::testing::IsEmpty());
}

// A job that takes what an empty network would gains nothing by thresholds.
TEST(PlantedCause, OfAHealthyJobIsWhatSetsItsTime) {
  const std::vector<BlameEntry> blame{
      {"a", 0, "congestion control", "connection", "rank 1 -> rank 0 (h1 -> h0)", "", 90_us},
      {"a", 0, "serialisation", "port", "h1->leaf0[1]", "h1->leaf0[1]", 10_us}};
  RunFacts facts;
  const auto with = [&](double time, const char* by) {
    facts.limits.clear();
    add_outcome(
        {{"jobs",
          {{{"name", "a"}, {"jct_seconds", time}, {"ideal_seconds", 1e-4}, {"ideal_set_by", by}}}}},
        facts);
    std::string text;
    const auto json = explanation_json(blame, facts);
    for (const auto& one : json["jobs"][0]["advice"]) {
      text += std::string(one["advice"]) + "; ";
    }
    return text;
  };
  EXPECT_EQ(with(1.09e-4, "NIC ingress of h0"),
            "fewer bytes through NIC ingress of h0, or more rate there; fewer bytes, or faster "
            "links there; ");
  EXPECT_EQ(with(1.09e-4, "dependencies"), "fewer bytes, or faster links there; ");
  EXPECT_THAT(with(1.2e-4, "NIC ingress of h0"), ::testing::StartsWith("thresholds and steps"));
  // Where something is broken, the zero-load time has it in it.
  facts.degradations = {{"stragglers", {}}};
  facts.limits = {{"a", "NIC ingress of h0"}};
  const std::vector<BlameEntry> late{{"a", 0, "straggler", "rank", "rank 1 (h1)", "", 90_us},
                                     {"a", 0, "pause", "port", "x", "x->y", 10_us}};
  EXPECT_EQ(explanation_json(late, facts)["jobs"][0]["advice"].size(), 2U);
}

// The zero-load time of a job with late ranks has these in it: no job that takes it is healthy.
TEST(PlantedCause, OfAJobWithLateRanksIsNotWhatSetsItsTime) {
  const auto facts_for = [](const std::string& job) {
    RunFacts facts = facts_of(planted_scenario(Planted{.job = job}.text()));
    add_outcome({{"jobs", {{{"name", "a"}, {"jct_seconds", 1e-4}, {"ideal_seconds", 1e-4}}}}},
                facts);
    return facts;
  };
  const auto late_text = [&](const std::string& job) {
    const RunFacts facts = facts_for(job);
    EXPECT_EQ(facts.limits.empty(), !facts.late_ranks.empty()) << job;
    return facts.late_ranks.empty() ? "" : facts.late_ranks.front().text;
  };
  EXPECT_EQ(late_text(""), "");
  EXPECT_EQ(late_text(", stragglers: []"), "");
  EXPECT_EQ(late_text(", stragglers: [{ranks: 3}]"), "");
  EXPECT_EQ(late_text(", jitter: {type: exponential, mean: 1us}"), "");
  EXPECT_EQ(late_text(", stragglers: [{ranks: 3, late: 1500us}]"), "rank 3 (late by 1.5 ms)");
  EXPECT_EQ(late_text(", stragglers: [{ranks: [1, 4-7], compute: 1.5, reduce: 2}]"),
            "ranks 1, 4-7 (computing x 1.5, adding and copying x 2)");
  EXPECT_EQ(late_text(", noise: [{factor: 3}]"), "all ranks (computing x 3)");
  EXPECT_EQ(late_text(", noise: [{servers: 2, pause: {period: 9us, length: 1us}}, {ranks: 0, "
                      "throttles: [{start: 1us, length: 2us, factor: 2}]}, {ranks: 1, factor: 2}]"),
            "server 2 (with pauses), rank 0 (throttled for a while) and 1 more");
  EXPECT_EQ(late_text("}\n  - {name: b, type: all-reduce, size: 1MiB, ranks: 0-7, skip: true, "
                      "stragglers: [{ranks: 3, late: 1us}]"),
            "");
}

// Advice is not what is so already: a job that has a class of its own is not given one.
TEST(PlantedCause, OfOtherJobsIsMetByClassesThatThereAreNotYet) {
  const auto advice = [](const std::string& classes, const std::string& of_a,
                         const std::string& of_b, const std::string& cause = "queueing") {
    const RunFacts facts = facts_of(planted_scenario(
        Planted{.fabric = classes,
                .job = of_a + "}\n  - {name: b, type: all-reduce, size: 1MiB, ranks: 0-7" + of_b}
            .text()));
    return first_advice({{"a", 0, cause, "job", "b", "x->y", 40_us}}, facts);
  };
  const std::string two = ", classes: [{name: rdma}, {name: bulk, flow_control: none}]";
  const std::string strict = ", classes: [{name: bulk}, {name: rdma, scheduling: strict}]";
  EXPECT_EQ(advice("", "", ""),
            "job:b: other paths or placement; or a class for b alone, of two in `fabric.classes`: "
            "there is only data");
  EXPECT_EQ(advice(two, "", ""),
            "job:b: other paths or placement; or another class for b, which is in rdma, too");
  EXPECT_EQ(advice(two, "", ", class: bulk"),
            "job:b: other paths or placement; more `weight` for class rdma, or `scheduling: "
            "strict`");
  EXPECT_EQ(advice(strict, ", class: rdma", ""), "job:b: other paths or placement");
  // Nor is a job lossless that is so already.
  EXPECT_EQ(advice(two, ", class: bulk", "", "retransmission"),
            ": a lossless class, or room in the buffer");
  EXPECT_EQ(advice(two, "", "", "retransmission"),
            ": headroom and buffers that hold what comes after a pause");
}

// What cost packets and no time is to be mended, too: of each kind as far as the scenario has it.
TEST(PlantedCause, ThatCostsPacketsIsMendedThoughItCostsNoTime) {
  RunFacts facts;
  facts.degradations = {{"link-failures", {}}, {"bit-errors", {}}};
  const auto count = [&facts](std::int64_t failed, std::int64_t storms, std::int64_t errors,
                              std::int64_t frames) {
    add_outcome({{"network",
                  {{"fault_drops", failed},
                   {"watchdog_drops", storms},
                   {"error_drops", errors},
                   {"frames_replayed", frames}}}},
                facts);
    std::string text;
    for (const Repair& one : repairs_of(facts)) {
      text += one.without + ": " + one.advice + " (" + one.because + "); ";
    }
    return text;
  };
  EXPECT_EQ(count(0, 0, 0, 0), "");
  EXPECT_EQ(count(4, 7, 1, 9),
            "link-failures: mend the links that fail (4 packets were dropped there); bit-errors: "
            "mend the links that corrupt frames (1 packet was lost there); ");
  EXPECT_EQ(count(0, 0, 0, 2'299),
            "bit-errors: mend the links that corrupt frames (2,299 frames were sent again by "
            "links); ");
  facts.degradations = {{"nic-pauses", {}}};
  EXPECT_EQ(count(4, 7, 1, 9),
            "nic-pauses: replace the NIC that holds its switch paused (7 packets were dropped by "
            "PFC watchdogs); ");
  // Advice of a job names it already.
  const std::string besides =
      "Besides: replace the NIC that holds its switch paused (7 packets "
      "were dropped by PFC watchdogs); `weft run --without nic-pauses` "
      "shows what it costs.\n";
  EXPECT_EQ(repairs_text({{"a", 0, "serialisation", "port", "x", "x->y", 40_us}}, facts), besides);
  EXPECT_EQ(repairs_text({{"a", 0, "pause", "port", "NIC of h0", "x->y", 40_us}}, facts), "");
  EXPECT_EQ(explanation_json({}, facts)["repairs"][0]["without"], "nic-pauses");
}

// Where switches trim, what is sent again was not lost, and no lossless class is asked for.
TEST(PlantedCause, OfTrimsIsNoLoss) {
  const LoadedScenario scenario =
      planted_scenario(Planted{.fabric = ", flow_control: none, egress_limit: 100KB, trimming: on",
                               .rest = "transport: uec\n"}
                           .text());
  const std::vector<BlameEntry> blame{{"a", 0, "retransmission", "connection", "x", "", 40_us}};
  const RunFacts facts = facts_of(scenario);
  EXPECT_THAT(explanation_text(blame, 10, facts),
              AllOf(HasSubstr("data that was trimmed or lost and is sent again"),
                    HasSubstr("longer queues before packets are trimmed")));
  EXPECT_THAT(explanation_text(blame), HasSubstr("data that was lost and is sent again"));
}

// What waits behind the job's own packets is its own; what can be changed comes first in advice.
TEST(PlantedCause, IsTheFirstAdviceAndOwnBytesAreTheLast) {
  const std::string text =
      Planted{.rest = "links: {changes: [{from: h3, rate: 200Gbps}]}\n"}.text();
  const LoadedScenario scenario = planted_scenario(text);
  const std::vector<SlowLink> links = slow_links(scenario);
  const std::string said = explanation_text(blame_of(text), 10, {.slow_links = links});
  EXPECT_THAT(said, HasSubstr("  The NIC of h3 runs at 200 Gbps of 400 Gbps: "));
  EXPECT_THAT(said,
              HasSubstr("  Try first: mend or replace what is slow (the NIC of h3 runs at 200 "
                        "Gbps of 400 Gbps, "));
  EXPECT_THAT(said, Not(HasSubstr("behind packets of a")));
  const auto json = explanation_json(blame_of(text), {.slow_links = links});
  const auto& advice = json["jobs"][0]["advice"];
  ASSERT_GE(advice.size(), 2U);
  EXPECT_EQ(advice.front()["kind"], "degradation");
  EXPECT_EQ(advice.front()["without"], "slow-links");
  EXPECT_EQ(advice.back()["kind"], "plan");
  EXPECT_EQ(json["jobs"][0]["slow_links"][0]["says"], "the NIC of h3 runs at 200 Gbps of 400 Gbps");
}

TEST(PlantedCause, OfOtherJobsIsApartFromOwnPackets) {
  const std::vector<BlameEntry> blame{{"a", 0, "queueing", "job", "a", "x->y", 30_us},
                                      {"a", 0, "queueing", "job", "b", "x->y", 10_us},
                                      {"a", 0, "serialisation", "port", "x->y", "x->y", 60_us}};
  const std::string said = explanation_text(blame);
  EXPECT_THAT(said, HasSubstr("own packets: its own bytes, in line behind each other at x->y"));
  EXPECT_THAT(said, HasSubstr("queueing: behind packets of b at x->y"));
  EXPECT_THAT(said, HasSubstr("Try first: other paths or placement"));
  EXPECT_THAT(said, HasSubstr("(queueing, 10.0 %)"));
  EXPECT_THAT(said, HasSubstr("`weft run --without job:b` shows what it costs"));
  EXPECT_THAT(said, HasSubstr("Last: fewer bytes, or faster links there (serialisation, 60.0 %)"));
}

// A window is part of the zero-load time: of a job that takes no longer than that it is the first
// to be changed. A wait for times of the job's own has an advice, too.
TEST(PlantedCause, OfAFullWindowIsNamedThoughAnEmptyNetworkHasIt) {
  RunFacts facts;
  facts.limits = {{"a", "NIC ingress of h0"}};
  const std::string pair = "rank 1 -> rank 0 (h1 -> h0)";
  const std::string full = explanation_text({{"a", 0, "window", "connection", pair, "", 85_us},
                                             {"a", 0, "serialisation", "port", "x", "x", 15_us}},
                                            10, facts);
  EXPECT_THAT(full, HasSubstr("Try first: a window of a bandwidth-delay product"));
  EXPECT_THAT(full, HasSubstr("Last: fewer bytes through NIC ingress of h0"));
  const std::string served = explanation_text({{"a", 0, "schedule", "job", "a", "", 97_us},
                                               {"a", 0, "propagation", "port", "x", "x", 3_us}},
                                              10, {});
  EXPECT_THAT(served, HasSubstr("Try first: shorter waits of its own"));
}

// A leaf that marks far earlier than the other is behind what holds its connections back. Others
// that are all set alike are not.
TEST(PlantedCause, OfSettingsOfOneSwitchNamesTheSwitch) {
  const auto facts_with = [](const std::string& node, const std::string& change) {
    return facts_of(planted_scenario(
        Planted{.fabric = ", changes: [{node: " + node + ", " + change + "}]"}.text()));
  };
  const auto advice = [](const RunFacts& facts, const std::string& cause,
                         const std::string& culprit) {
    return first_advice({{"a", 0, cause, "connection", culprit, "", 40_us}}, facts);
  };
  const std::string marks = "classes: [{name: data, ecn: {kmin: 4KB, kmax: 8KB, pmax: 1}}]";
  const RunFacts early = facts_with("leaf1", marks);
  const std::string to_it = "rank 0 -> rank 4 (h0 -> h4)";
  const std::string beside_it = "rank 0 -> rank 1 (h0 -> h1)";
  EXPECT_EQ(advice(early, "congestion control", to_it),
            "changed-settings: set leaf1 as the others are: `fabric.changes[0]` changes its marks");
  EXPECT_THAT(
      explanation_text({{"a", 0, "congestion control", "connection", to_it, "", 40_us}}, 10, early),
      HasSubstr("; leaf1 has settings of its own (fabric.changes[0])"));
  EXPECT_THAT(advice(early, "congestion control", beside_it), Not(HasSubstr("leaf1")));
  EXPECT_THAT(advice(early, "pause", "leaf1[0]->h4"), Not(HasSubstr("set leaf1")));
  EXPECT_THAT(advice(facts_with("leaf*", marks), "congestion control", to_it),
              Not(HasSubstr("as the others")));
  const RunFacts small = facts_with("leaf1", "buffer: 2MB");
  EXPECT_THAT(advice(small, "pause", "leaf1[0]->h4"), HasSubstr("set leaf1 as the others are"));
  EXPECT_THAT(advice(small, "retransmission", to_it), HasSubstr("set leaf1 as the others are"));
  EXPECT_THAT(advice(small, "congestion control", to_it), Not(HasSubstr("set leaf1")));
  EXPECT_TRUE(is_blamed("changed-settings",
                        {"a", 0, "congestion control", "connection", to_it, "", 40_us}, {}));
}

// Where links between switches and not NICs set the time in an empty network, more of them help.
TEST(PlantedCause, OfANarrowTierIsItsLinks) {
  const std::vector<BlameEntry> blame{
      {"a", 0, "congestion control", "connection", "rank 1 -> rank 0 (h1 -> h0)", "", 60_us},
      {"a", 0, "serialisation", "port", "h1->leaf0[1]", "h1->leaf0[1]", 40_us}};
  const auto with = [&blame](const char* by, double ideal) {
    RunFacts facts;
    add_outcome({{"jobs",
                  {{{"name", "a"},
                    {"jct_seconds", 1e-4},
                    {"ideal_seconds", ideal},
                    {"ideal_set_by", by}}}}},
                facts);
    return explanation_text(blame, 10, facts);
  };
  EXPECT_THAT(with("tier 1 egress around leaf0", 7e-5),
              HasSubstr("Try first: more or faster links between switches: tier 1 egress around "
                        "leaf0 has less than NICs send (zero-load time, 70.0 %)"));
  EXPECT_THAT(with("tier 1 egress around leaf0", 3e-5), HasSubstr("Then: more or faster links"));
  EXPECT_THAT(with("NIC ingress of h0", 7e-5), Not(HasSubstr("between switches")));
}

// A hundredth of the time is worth a line, and what is broken comes before settings and plans.
TEST(PlantedCause, IsAdvisedAgainstFromAHundredthOfTheTimeOn) {
  const auto against = [](const std::string& cause, std::int64_t time) {
    return advice_of(cause, Picoseconds(time), {});
  };
  std::vector<Advice> all{against("serialisation", 900), against("queueing", 10),
                          against("time-out", 9), against("straggler", 20)};
  rank(all, Picoseconds(1000));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].against, "straggler");
  EXPECT_EQ(all[1].against, "queueing");
  EXPECT_EQ(all[2].against, "serialisation");
}

// What links say of themselves is more than what mends the errors that they come from.
TEST(PlantedCause, ThatALinkShowsItselfKeepsItsOwnAdvice) {
  for (const auto& [cause, origin] :
       {std::pair("link retry", "bit-errors"), std::pair("link failure", "link-failures")}) {
    const Advice own = advice_of(cause, Picoseconds(1), {{origin, {}}});
    EXPECT_EQ(own.text, words_of(cause)->advice);
    EXPECT_EQ(own.without, origin);
    EXPECT_EQ(own.lever, Lever::kDegradation);
  }
  EXPECT_EQ(advice_of("time-out", Picoseconds(1), {{"bit-errors", {}}}).text,
            "mend the links that corrupt frames");
}

// Two of them are named; what is as planned, and jobs that are skipped, are none.
TEST(PlantedCause, OfLateRanksIsNamedByJobWithTheFirstTwo) {
  const auto late = [](const std::string& job) {
    const auto all = late_ranks(planted_scenario(Planted{.job = job}.text()));
    return all.size() == 1 ? all.front().text : std::to_string(all.size());
  };
  const std::string two =
      ", stragglers: [{ranks: 3, late: 1ms}], noise: [{ranks: [4, 5], factor: 1.5}]";
  EXPECT_EQ(late(two), "rank 3 (late by 1 ms), ranks 4, 5 (computing x 1.5)");
  EXPECT_EQ(late(", stragglers: [{ranks: 3, late: 1ms}, {ranks: 1, compute: 2}], noise: [{ranks: "
                 "[4, 5], factor: 1.5}]"),
            "rank 3 (late by 1 ms), rank 1 (computing x 2) and 1 more");
  EXPECT_EQ(late(two + ", skip: false"), late(two));
  EXPECT_EQ(late(", noise: [{ranks: [4, 5], factor: 1}]"), "0");
}

}  // namespace
}  // namespace weft::scenarios
