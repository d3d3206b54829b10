#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"

/// Starting a run later, by any number of picoseconds, shifts every result by that and changes
/// nothing else: no rule goes by absolute time. ACKs echo times in steps of 256 or 4,096 ps
/// (protocols/MODEL.md, section 12): where controls measure delays, the shift is a multiple of
/// both.
namespace weft::testing {
namespace {

using scenarios::Experiment;
using scenarios::Results;
using scenarios::Scenario;

bool measures_delays(const Scenario& scenario) {
  return std::ranges::any_of(scenario.transports(), [](const protocols::TransportConfig& t) {
    const auto traits = protocols::traits_of(t);
    return protocols::congestion::requirements_of(traits.congestion_control).echo_time;
  });
}

/// Not a multiple of a packet's time, nor of a step of anything where nobody sees the steps.
Picoseconds shift_of(const Scenario& scenario) {
  return measures_delays(scenario) ? Picoseconds(301'408 * 4'096) : Picoseconds(1'234'567'891);
}

Scenario shifted(Scenario scenario) {
  const Picoseconds shift = shift_of(scenario);
  for (scenarios::JobSpec& job : scenario.jobs) {
    if (job.after.empty()) job.start += shift;
  }
  for (scenarios::FaultSpec& fault : scenario.faults) {
    fault.at += shift;
    if (fault.until) *fault.until += shift;
  }
  if (scenario.run.warmup > Picoseconds(0)) scenario.run.warmup += shift;
  if (scenario.run.until) *scenario.run.until += shift;
  return scenario;
}

void expect_shifted(const Results& a, const Results& b, Picoseconds shift) {
  EXPECT_EQ(b.simulated, a.simulated + shift);
  EXPECT_EQ(b.packet_latency, a.packet_latency);
  EXPECT_EQ(b.totals.packet_hops, a.totals.packet_hops);
  EXPECT_EQ(b.totals.ecn_marked, a.totals.ecn_marked);
  EXPECT_EQ(b.totals.paused_time, a.totals.paused_time);
  EXPECT_EQ(b.totals.packets_retransmitted, a.totals.packets_retransmitted);
  ASSERT_EQ(b.jobs.size(), a.jobs.size());
  for (std::size_t j = 0; j < a.jobs.size(); ++j) {
    EXPECT_EQ(b.jobs[j].start, a.jobs[j].start + shift);
    EXPECT_EQ(b.jobs[j].jct, a.jobs[j].jct) << a.jobs[j].name;
  }
  ASSERT_EQ(b.phases.size(), a.phases.size());
  for (std::size_t p = 0; p < a.phases.size(); ++p) {
    EXPECT_EQ(b.phases[p].start, a.phases[p].start + shift);
    EXPECT_EQ(b.phases[p].messages, a.phases[p].messages);
    EXPECT_EQ(b.phases[p].sum, a.phases[p].sum) << "messages of job " << a.phases[p].job;
  }
  for (std::size_t p = 0; p < a.ports.size(); ++p) {
    const protocols::PortCounters& x = a.ports[p].counters;
    const protocols::PortCounters& y = b.ports[p].counters;
    EXPECT_EQ(std::tuple(y.bytes, y.packets, y.peak_backlog, y.ecn_marked, y.paused_time,
                         y.credit_stalls, y.credit_stall_time),
              std::tuple(x.bytes, x.packets, x.peak_backlog, x.ecn_marked, x.paused_time,
                         x.credit_stalls, x.credit_stall_time))
        << a.ports[p].name;
    EXPECT_TRUE(y.queue_integral == x.queue_integral) << a.ports[p].name;
  }
}

class Shift : public ::testing::TestWithParam<std::uint64_t> {};

// MODEL.md 12.5
TEST_P(Shift, OfARunShiftsItsResults) {
  const std::string text = RandomScenario(GetParam()).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  ASSERT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  SCOPED_TRACE(text);
  const auto later = scenarios::build_experiment(shifted(loaded.value().scenario));
  ASSERT_TRUE(later.ok()) << later.errors().front().to_string();
  expect_shifted(scenarios::simulate(build_loaded(loaded.value())),
                 scenarios::simulate(later.value()), shift_of(loaded.value().scenario));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Shift, swarm_seeds(1, 60), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace weft::testing
