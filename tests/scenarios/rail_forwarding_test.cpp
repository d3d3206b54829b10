#include "scenarios/build/rail_forwarding.hpp"
#include "scenarios/run/build_experiment.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "scenarios/checks/limits/traffic.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;

/// Two servers of eight H100 on eight rails of 400 Gbps, whose leaves have a spine in common.
std::string two_servers(const std::string& jobs, const std::string& rest) {
  return "name: two-servers\n"
         "racks: {count: 2, servers: 1, server: hgx-h100}\n"
         "fabric: {topology: rail-optimised, group: 2, spines: 4, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs: [" +
         jobs + "]\n" + rest;
}

const std::string kAllToAll =
    "{name: a, type: all-to-all, algorithm: pairwise, size: 1MiB, iterations: 2}";

std::int64_t to_spines(const Results& results) {
  std::int64_t bytes = 0;
  for (const auto& port : results.ports) {
    if (port.peer_node.starts_with("spine")) bytes += port.counters.bytes.count();
  }
  return bytes;
}

std::int64_t to_leaves(const Results& results) {
  std::int64_t bytes = 0;
  for (const auto& port : results.ports) {
    if (port.node.starts_with("gpu") && port.peer_node.starts_with("leaf")) {
      bytes += port.counters.bytes.count();
    }
  }
  return bytes;
}

// Of the eight peers in the other server one is on the sender's own rail: 7/8 of what leaves a
// server crosses the spines, and with forwarding nothing does. The same bytes leave the servers,
// give or take the ACKs: 2 * 16 * 8 messages of 1 MiB.
TEST(RailForwarding, KeepsTrafficOnItsRail) {
  const Results straight = simulate(experiment_of_text(two_servers(kAllToAll, "")));
  const Results forwarded = simulate(experiment_of_text(two_servers(kAllToAll, "pxn: true\n")));
  ASSERT_EQ(forwarded.outcome, Outcome::kFinished);
  EXPECT_EQ(to_spines(forwarded), 0);
  const double payload = 2.0 * 16 * 8 * (1 << 20);
  EXPECT_GT(static_cast<double>(to_spines(straight)), payload * 7 / 8);
  EXPECT_GT(static_cast<double>(to_leaves(forwarded)), payload);
  EXPECT_NEAR(static_cast<double>(to_leaves(forwarded)), static_cast<double>(to_leaves(straight)),
              payload * 0.01);
  // Every NIC sends 8 MiB in an iteration: 168 us at 400 Gbps, which forwarding cannot beat. It
  // saves the collisions on the uplinks.
  EXPECT_GE(forwarded.jobs[0].jct, 336_us);
  EXPECT_LT(forwarded.jobs[0].jct, straight.jobs[0].jct * 3 / 4);
  EXPECT_EQ(forwarded.jobs[0].bytes, straight.jobs[0].bytes);
  EXPECT_GE(forwarded.jobs[0].jct, forwarded.jobs[0].ideal);
}

/// Eight H100 with a NIC each beside four with a NIC each, on eight rails, whatever their order.
std::string mixed_servers(bool large_first, const std::string& job, const std::string& rest) {
  const std::string large = "{count: 1, servers: 1, server: hgx-h100}";
  const std::string small = "{count: 1, servers: 1, server: {part: hgx-h100, gpus: 4, nics: 4}}";
  return "name: mixed\nracks: [" + (large_first ? large + ", " + small : small + ", " + large) +
         "]\nfabric: {topology: rail-optimised, group: 2, spines: 4, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\njobs: [" +
         job + "]\n" + rest;
}

// Every host sends to all others, over all rails, and every message arrives (the run ends, and its
// laws of conservation hold). A message for one of the last four rails from the server of four
// crosses a spine, as no GPU there is on that rail; back it is forwarded to the rail of the
// receiver.
TEST(RailForwarding, ServersWithFewerRailsSendAcrossSpines) {
  for (const bool large_first : {true, false}) {
    const Experiment e = experiment_of_text(mixed_servers(large_first, kAllToAll, ""));
    const Results straight = simulate(e);
    const Results forwarded =
        simulate(experiment_of_text(mixed_servers(large_first, kAllToAll, "pxn: true\n")));
    ASSERT_EQ(straight.outcome, Outcome::kFinished);
    ASSERT_EQ(forwarded.outcome, Outcome::kFinished);
    EXPECT_EQ(straight.messages.completed(), 2U * 12 * 11);
    EXPECT_GE(straight.jobs[0].jct, straight.jobs[0].ideal);
    // Of 4 x 8 pairs in each direction 4 share a rail. Two iterations of 1 MiB.
    EXPECT_GT(static_cast<double>(to_spines(straight)), 2.0 * 2 * 28 * (1 << 20));
    // Only the 4 x 4 messages to the last rails cross, in one direction.
    EXPECT_GT(static_cast<double>(to_spines(forwarded)), 2.0 * 16 * (1 << 20));
    EXPECT_LT(static_cast<double>(to_spines(forwarded)), 2.0 * 16 * (1 << 20) * 1.1);
  }
  const Results fluid = simulate_fluid(experiment_of_text(mixed_servers(true, kAllToAll, "")));
  EXPECT_EQ(fluid.outcome, Outcome::kFinished);
}

TEST(RailForwarding, AllReducesSpanServersWithFewerRails) {
  const Results results = simulate(experiment_of_text(
      mixed_servers(true, "{name: a, type: all-reduce, algorithm: ring, size: 4MiB}", "")));
  ASSERT_EQ(results.outcome, Outcome::kFinished);
  EXPECT_GE(results.jobs[0].jct, *results.jobs[0].bound);
}

// With nothing in the way but the relays' own NICs, which both engines share fairly.
TEST(RailForwarding, EnginesAgree) {
  const Experiment e = experiment_of_text(two_servers(kAllToAll, "pxn: true\n"));
  const Results fluid = simulate_fluid(e);
  ASSERT_EQ(fluid.outcome, Outcome::kFinished);
  EXPECT_EQ(to_spines(fluid), 0);
  EXPECT_NEAR(to_seconds(fluid.jobs[0].jct), to_seconds(simulate(e).jobs[0].jct), 40e-6)
      << "5 % of the 0.8 ms that it takes";
}

TEST(RailForwarding, DoesNotDependOnThreads) {
  const Experiment e = experiment_of_text(
      two_servers("{name: a, type: all-to-all, algorithm: pairwise, size: "
                  "300KB, iterations: 3, execution: {preset: "
                  "nccl}}, {name: b, type: permutation, size: 1MB}",
                  "pxn: {chunk: 64KiB, enabled: true}\nrun: {partition: finest}\n"));
  const Results alone = simulate(e);
  const Results shared =
      simulate(e, {}, nullptr, {.threads = 2, .share_from = 0, .waits_for_all = true});
  ASSERT_EQ(alone.outcome, Outcome::kFinished);
  EXPECT_GT(shared.logical_processes, 1U);
  EXPECT_EQ(alone.digest(), shared.digest());
}

// Whatever is on the way, chunks and legs included, the parts of the path are the whole.
TEST(RailForwarding, PartsOfTheCriticalPathAreTheWhole) {
  for (const char* execution : {"{}", "{preset: nccl, channels: 2, chunk: 512KiB, in_flight: 2}"}) {
    const Results results = simulate(experiment_of_text(two_servers(
        "{name: a, type: all-to-all, algorithm: pairwise, size: 1MiB, iterations: 2, execution: " +
            std::string(execution) + "}",
        "pxn: true\n")));
    ASSERT_EQ(results.collectives.size(), 2U);
    for (const CollectiveResult& c : results.collectives) {
      EXPECT_EQ(c.path.total(), c.end - c.start) << execution;
      EXPECT_GT(c.path.messages, 0U);
    }
  }
}

// One message of 8 MiB from rail 0 to rail 1, nothing in the way. It takes at least as long as it
// takes on the NIC alone, and the first chunk's time on NVLink more; the path is wire, but for ACKs
// and the gaps between chunks.
TEST(RailForwarding, PipelinesTheLegsOfAMessage) {
  const Results results = simulate(experiment_of_text(
      two_servers("{name: a, type: send-recv, execution: plain, size: 8MiB, ranks: [0, 9]}", "")));
  const Results forwarded = simulate(experiment_of_text(
      two_servers("{name: a, type: send-recv, execution: plain, size: 8MiB, ranks: [0, 9, 1]}",
                  "pxn: true\n")));
  EXPECT_EQ(to_spines(forwarded), 0);
  EXPECT_GT(to_spines(results), 0);
  const CollectiveResult& c = forwarded.collectives.at(0);
  EXPECT_LT(c.path.queueing, c.path.total() / 20);
}

// GPU 4 of the sender's server is on the receiver's rail, but has no rank: only ranks forward.
TEST(RailForwarding, GoesStraightWhereTheJobHasNoGpuOnTheRail) {
  for (const bool has_relay : {false, true}) {
    const Results results = simulate(experiment_of_text(two_servers(
        "{name: a, type: messages, ranks: [0, 12" + std::string(has_relay ? ", 4" : "") +
            "], list: [{from: 0, to: 1, size: 1MiB}]}",
        "pxn: true\n")));
    ASSERT_EQ(results.outcome, Outcome::kFinished);
    EXPECT_EQ(results.messages.count(), has_relay ? 16U : 1U) << "eight chunks of 128 KiB, twice";
    EXPECT_EQ(to_spines(results) == 0, has_relay);
  }
}

TEST(RailForwarding, ObservesBothLegs) {
  const Experiment e =
      experiment_of_text(two_servers(kAllToAll, "pxn: true\nobserve: {packets: [\"a:0->9\"]}\n"));
  ASSERT_EQ(e.observation.packet_flows.size(), 2U);
  std::set<std::uint32_t> ranks;
  for (const ConnectionId flow : e.observation.packet_flows) {
    const Connection& c = e.workload.connections()[flow.value()];
    ranks.insert({e.workload.rank_of(c.source), e.workload.rank_of(c.destination)});
  }
  EXPECT_EQ(ranks, (std::set<std::uint32_t>{0, 1, 9}));
}

// Eight GPUs of a domain on four rails, two on each: GPU i on rail i modulo 4. Of the eight GPUs of
// the other domain six are on other rails. A relay has the place of the receiver.
TEST(RailForwarding, TakesTheRelayInTheReceiversPlace) {
  const Experiment e = experiment_of_text(
      "name: places\n"
      "racks: {count: 2, servers: 1, server: {part: hgx-h100, rails: 4}}\n"
      "fabric: {topology: rail-optimised, group: 2, spines: 1, switch: spectrum-4}\n"
      "jobs: [{name: a, type: all-to-all, algorithm: pairwise, size: 1KiB}]\npxn: true\n");
  ASSERT_FALSE(e.workload.relays().empty());
  for (const collectives::Relay& relay : e.workload.relays()) {
    const auto rank = [&e](ProcessId p) { return e.workload.rank_of(p); };
    const Connection& first = e.workload.connections()[relay.first.value()];
    EXPECT_EQ(rank(first.destination) / 8, rank(relay.source) / 8);
    EXPECT_EQ(rank(first.destination) % 8, rank(relay.destination) % 8);
    EXPECT_NE(rank(relay.source) % 4, rank(relay.destination) % 4);
  }
  EXPECT_EQ(e.workload.relays().size(), 16U * 6);
}

// Limits ask for it while the experiment is built, and the forecast has it from there.
TEST(RailForwarding, IsCountedOnce) {
  const Experiment e = experiment_of_text(two_servers(kAllToAll, "pxn: true\n"));
  ASSERT_TRUE(e.traffic.has_value());
  const Traffic again = count_traffic(e.scenario, e.fabric, e.routes, e.workload);
  EXPECT_EQ(e.traffic->messages, again.messages);
  EXPECT_EQ(e.traffic->packet_hops, again.packet_hops);
}

// 16 * 7 messages of 1 GiB are forwarded, in 2^20 chunks on each leg: 2.3e8.
TEST(RailForwarding, RefusesMoreChunksThanCanBeRecorded) {
  const auto loaded =
      load_scenario_text(two_servers("{name: a, type: all-to-all, algorithm: pairwise, size: 1GiB}",
                                     "pxn: {enabled: true, chunk: 1KiB}\n"),
                         "test.yaml");
  ASSERT_TRUE(loaded.ok());
  const auto experiment = build_experiment(loaded.value().scenario);
  ASSERT_FALSE(experiment.ok());
  EXPECT_EQ(experiment.errors()[0].where.key, "pxn.chunk");
}

TEST(RailForwarding, IsRefusedWithoutDomainsOnRails) {
  const auto loaded = load_scenario_text(
      "name: none\nracks: {count: 2, servers: 4}\nfabric: {topology: leaf-spine, spines: 2}\n"
      "jobs: [{name: a, type: all-to-all, algorithm: pairwise, size: 1KiB}]\npxn: true\n",
      "test.yaml");
  ASSERT_TRUE(loaded.ok());
  const auto experiment = build_experiment(loaded.value().scenario);
  ASSERT_FALSE(experiment.ok());
  EXPECT_EQ(experiment.errors()[0].where.key, "pxn");
  EXPECT_NE(experiment.errors()[0].message.find("two rails"), std::string::npos);
}

}  // namespace
}  // namespace weft::scenarios
