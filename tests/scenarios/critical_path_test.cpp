// What critical paths of collectives say about flow control, against closed forms.

#include <gtest/gtest.h>

#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

Experiment build_paths(const std::string& fabric, const std::string& rest) {
  const auto loaded = load_scenario_text(
      "name: t\n"
      "racks: {count: 2, servers: 2, server: host-400g}\n"
      "transport: {type: roce, congestion_control: none}\n" +
          fabric + rest,
      "t.yaml");
  EXPECT_TRUE(loaded.ok()) << loaded.errors()[0].to_string();
  auto experiment = build_experiment(loaded.value().scenario);
  EXPECT_TRUE(experiment.ok()) << experiment.errors()[0].to_string();
  return std::move(experiment).value();
}

const CollectiveResult& only(const Results& results) {
  EXPECT_EQ(results.outcome, Outcome::kFinished);
  EXPECT_EQ(results.collectives.size(), 1U);
  EXPECT_EQ(results.collectives[0].path.total(),
            results.collectives[0].end - results.collectives[0].start);
  return results.collectives[0];
}

const Picoseconds kPacket = transmission_time(4178_B, 400_Gbps);

// A NIC pauses its leaf for d while a message comes. Nothing else is on the fabric, and thresholds
// are out of reach, so no other port pauses. The message takes d longer, less what is left of the
// packet that is under way when the pause begins. Both frames, that of the pause and that of its
// end, may wait for a packet of the other direction: another packet's time in each. All of the
// delay is the pause's, and none is queueing that was not there without it.
TEST(CriticalPath, OfAMessageHasAPauseOfKnownLength) {
  const std::string fabric =
      "links:\n"
      "  access: {rate: 400Gbps, length: 3m, cable: copper}\n"
      "  uplink: {rate: 400Gbps, length: 30m, cable: fibre}\n"
      "fabric:\n"
      "  topology: leaf-spine\n"
      "  spines: 1\n"
      "  switch: spectrum-4\n"
      "  flow_control: {type: pfc, threshold: static, xoff: 8MB, xon: 7MB}\n";
  const std::string job = "jobs: [{name: a, type: send-recv, size: 8MiB, ranks: [h0, h2]}]\n";
  const Results undisturbed = simulate(build_paths(fabric, job));
  const CollectiveResult& plain = only(undisturbed);
  EXPECT_EQ(plain.path.paused, 0_ps);
  for (const Picoseconds d : {1_us, 20_us, 70_us}) {
    const Results results = simulate(
        build_paths(fabric, job + "faults: [{type: nic-pause, host: h2, at: 50us, until: " +
                                std::to_string((50_us + d).count()) + "ps}]\n"));
    const CollectiveResult& c = only(results);
    EXPECT_EQ(c.path.wire, plain.path.wire);
    const Picoseconds longer = c.path.total() - plain.path.total();
    EXPECT_LE(longer, d + kPacket);
    EXPECT_GE(longer, d - 2 * kPacket - plain.path.queueing);
    const Picoseconds expected = std::min(d, longer + plain.path.queueing);
    EXPECT_LE(c.path.paused, expected + kPacket);
    EXPECT_GE(c.path.paused, expected - kPacket);
    EXPECT_LE(c.path.queueing, plain.path.queueing + 2 * kPacket);
  }
}

// A loop of credits: n packets per round trip (tests/oracles/credit_loop_test.cpp has the algebra):
// k packets take k / n RTT instead of k t. All of the difference is want of credits, at the ports
// in front of the long links. 2 %: the first and the last round.
TEST(CriticalPath, OfAMessageHasTheWaitsOfACreditLoop) {
  for (const int metres : {500, 2'000}) {
    const Experiment e = build_paths(
        "links:\n"
        "  access: {rate: 400Gbps, length: 3m, cable: copper}\n"
        "  uplink: {rate: 400Gbps, length: " +
            std::to_string(metres) +
            "m, cable: fibre}\n"
            "fabric:\n"
            "  topology: leaf-spine\n"
            "  spines: 1\n"
            "  switch: spectrum-4\n"
            "  flow_control: {type: credit, buffer: 64KiB}\n",
        "jobs: [{name: a, type: send-recv, size: 8MiB, ranks: [h0, h2]}]\n");
    const Results results = simulate(e);
    const CollectiveResult& c = only(results);
    const std::int64_t packets = 8 * 1024 / 4;
    const std::int64_t per_round = (65'536 / 64) / ((4178 + 63) / 64);
    PortId uplink(0u);
    for (std::uint32_t p = 0; p < e.fabric.ports.size(); ++p) {
      if (e.fabric.port(PortId(p)).wire_latency > e.fabric.port(uplink).wire_latency) {
        uplink = PortId(p);
      }
    }
    // Transmission, the way there, the next transmission, and the way back of the credit.
    const Picoseconds round =
        2 * kPacket + e.fabric.data_latency(uplink) + e.fabric.port(uplink).wire_latency;
    const Picoseconds expected = packets * round / per_round - packets * kPacket;
    EXPECT_GT(expected, 0_ps);
    EXPECT_NEAR(to_seconds(c.path.paused) / to_seconds(expected), 1, 0.02) << metres;
    EXPECT_LT(c.path.queueing, c.path.paused / 50) << metres;
  }
}

}  // namespace
}  // namespace weft::scenarios
