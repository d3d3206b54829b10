// Headroom that is exact, where packets hold an egress before all of them is there.

#include <gtest/gtest.h>

#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

// Hosts at 100 Gbps below uplinks at 400: a packet that is forwarded by its first 234 B holds the
// uplink until its rest has come, and pause frames to the spine wait for it.
const std::string kSlowHosts =
    "name: random-1608\n"
    "seed: 888\n"
    "racks: {count: 4, servers: 5, server: host-400g}\n"
    "links: {access: {rate: 100Gbps, length: 3m, cable: copper}, uplink: {rate: 400Gbps, length: "
    "125m, cable: fibre}}\n"
    "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 1, switch: ideal, load_balancing: "
    "ecmp, flow_control: {type: pfc, xoff: 191KB, xon: 95KB, headroom: exact}, pause: {frame: 64B, "
    "quanta: until-resume}, ecn: {type: step, kmin: 106KB, mark: dequeue}, forwarding: "
    "cut-through, cut_through_after: 234B, buffer_release: transmission-end}\n"
    "jobs:\n"
    "  - {name: j0, start: 4us, type: all-to-all, algorithm: pairwise, size: 21848B}\n"
    "  - {name: j1, start: 2us, type: incast, senders: 15, receiver: 0, size: 160187B, rounds: 3, "
    "jitter: 3us}\n"
    "  - {name: j2, start: 16us, type: permutation, size: 39758B, jitter: 0us}\n";

TEST(CutThroughHeadroom, CoversPausesThatWaitForAPacketFromASlowerLink) {
  const auto loaded = load_scenario_text(
      kSlowHosts + "transport: {type: roce, receiver: any-order, congestion_control: none}\n",
      "t.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors()[0].to_string();
  const auto experiment = build_experiment(loaded.value().scenario);
  ASSERT_TRUE(experiment.ok()) << experiment.errors()[0].to_string();
  const Results results = simulate(experiment.value());
  EXPECT_EQ(results.outcome, Outcome::kFinished);
  EXPECT_GT(results.totals.pauses, 10);
  EXPECT_EQ(results.totals.buffer_drops, 0);
}

}  // namespace
}  // namespace weft::scenarios
