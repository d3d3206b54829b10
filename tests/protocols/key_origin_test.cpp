#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/draws.hpp"
#include "tests/support/flow_runner.hpp"
#include "tests/support/same_runs.hpp"

/// Keys of events hold the time since an origin, which moves on: it shows nowhere.
namespace weft::testing {
namespace {

using protocols::PacketNetwork;

PacketNetwork::Options random_options(Draws& draws) {
  PacketNetwork::Options options = plain_options();
  if (draws.one_in(2)) options.switches.data().flow_control = protocols::CreditConfig{};
  if (draws.one_in(2)) {
    options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
  }
  options.cut = draws.one_in(2) ? LpPlan::Cut::kOne : LpPlan::Cut::kFinest;
  options.skips = draws.one_in(2);
  return options;
}

TEST(KeyOrigin, MovesWithoutATrace) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draws draws(seed);
    PacketNetwork::Options options = random_options(draws);
    const auto hosts = static_cast<std::uint32_t>(draws.between(3, 8));
    topologies::CustomSpec spec;
    spec.nodes.push_back({.name = "s0", .is_switch = true});
    for (std::uint32_t i = 0; i < hosts; ++i) {
      // Behind slower links packets that are cut through wait for their last bits.
      const auto rate = BitsPerSecond(draws.between(1, 4) * 100'000'000'000);
      const std::string name = "h" + std::to_string(i);
      spec.nodes.push_back({.name = name});
      spec.links.push_back({.from = name, .to = "s0", .link = {rate, 300_ns}});
    }
    std::vector<Flow> flows;
    for (std::int64_t i = draws.between(2, 10); i-- > 0;) {
      const auto from = static_cast<std::uint32_t>(draws.below(hosts));
      const auto way = static_cast<std::uint32_t>(1 + draws.below(hosts - 1));
      flows.push_back({HostId(from), HostId((from + way) % hosts), Bytes(draws.between(1, 400'000)),
                       Picoseconds(draws.between(0, 20'000'000))});
    }
    FlowRun whole(spec, options, flows);
    options.longest_key_span = Picoseconds(draws.between(1, 3'000'000));
    FlowRun in_parts(spec, options, flows);
    EXPECT_EQ(whole.network().run_until(10_s), in_parts.network().run_until(10_s));
    expect_same(whole, in_parts);
  }
}

// With cut-through, what waits holds 46 bits of time, 70 s.
TEST(KeyOrigin, LetsRunsLastForDays) {
  PacketNetwork::Options options = plain_options();
  options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
  const topologies::TopologySpec topology = star(4, 100'000'000'000_bps, 500_ns);
  const auto completions_from = [&](Picoseconds start) {
    std::vector<Flow> flows;
    for (std::uint32_t i = 1; i < 4; ++i) {
      flows.push_back({HostId(i), HostId(0U), 1_MiB, start + i * 1_us});
    }
    FlowRun run(topology, options, flows);
    EXPECT_EQ(run.network().run_until(PacketNetwork::kLongestRun),
              PacketNetwork::Status::kQuiescent);
    std::vector<Picoseconds> times;
    for (const protocols::MessageOutcome& m : run.messages())
      times.push_back(*m.acknowledged - m.posted);
    return times;
  };
  EXPECT_EQ(completions_from(1'000'000_s), completions_from(0_ps));
}

}  // namespace
}  // namespace weft::testing
