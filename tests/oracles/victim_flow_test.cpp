// The victim flow of the DCQCN paper on the shipped scenario.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::testing {
namespace {

/// The shipped scenario with flows that do not end, measured from 10 to 30 ms. The victim begins at
/// 5 ms: all in-cast senders start at line rate, and DCQCN would recover from that for longer.
scenarios::Results run_victim(const std::string& congestion_control) {
  const auto loaded = scenarios::load_scenario(
      std::string(WEFT_SOURCE_DIR) + "/scenarios/pfc-victim.yaml",
      {"jobs[0].size=1GiB", "jobs[1].list[0].size=1GiB", "jobs[1].start=5ms", "run.warmup=10ms",
       "run.until=30ms", "transport.congestion_control=" + congestion_control});
  EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  EXPECT_TRUE(experiment.ok());
  return scenarios::simulate(experiment.value());
}

/// Of the victim, whose host sends nothing else, as a share of its link.
double victim_share(const scenarios::Results& results) {
  const auto nic = std::find_if(results.ports.begin(), results.ports.end(),
                                [](const auto& port) { return port.name.rfind("h0->", 0) == 0; });
  EXPECT_NE(nic, results.ports.end());
  return static_cast<double>(nic->counters.bytes.count()) * 8 / 100e9 / 20e-3;
}

// Max-min: the six senders of the in-cast share its receiver's 100 Gbps, and the uplinks of 400
// Gbps have room for them and the victim, whose own links give it 100 Gbps (Y. Zhu et al.,
// "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 2.2 and figure 4:
// the victim gets less than half with PFC alone).

TEST(VictimFlow, LosesMoreThanHalfOfItsShareToPfcAlone) {
  const scenarios::Results results = run_victim("none");
  EXPECT_LE(victim_share(results), 0.5);
  EXPECT_EQ(results.totals.buffer_drops, 0);
  // The report names the victim and the root: the egress towards the in-cast's receiver.
  ASSERT_FALSE(results.pauses.victims.empty());
  const auto& worst = results.pauses.victims.front();
  EXPECT_EQ(worst.source, HostId(0u));
  EXPECT_EQ(worst.destination, HostId(5u));
  ASSERT_FALSE(worst.losses.empty());
  EXPECT_GT(to_seconds(worst.lost), 0.5 * 20e-3);
}

TEST(VictimFlow, HasItsShareBackWithDcqcn) { EXPECT_GE(victim_share(run_victim("dcqcn")), 0.9); }

}  // namespace
}  // namespace weft::testing
