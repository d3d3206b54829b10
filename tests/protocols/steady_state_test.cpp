#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/draws.hpp"
#include "tests/support/extent.hpp"
#include "tests/support/flow_runner.hpp"
#include "tests/support/same_runs.hpp"

/// Where the whole state recurs within long messages, periods are left out: everything that can be
/// asked of a network is the same to the bit, at the end and at any time before.
namespace weft::testing {
namespace {

using protocols::PacketNetwork;

PacketNetwork::Options credit_options() {
  PacketNetwork::Options options = plain_options();
  options.switches.data().flow_control = protocols::CreditConfig{};
  options.cut = LpPlan::Cut::kOne;
  return options;
}

FlowRun run_of(const topologies::TopologySpec& topology, PacketNetwork::Options options,
               const std::vector<Flow>& flows, bool skips) {
  options.skips = skips;
  return FlowRun(topology, options, flows);
}

/// Returns what was left out.
protocols::SkipCounts expect_the_same(const topologies::TopologySpec& topology,
                                      const PacketNetwork::Options& options,
                                      const std::vector<Flow>& flows, Picoseconds until = 10_s) {
  FlowRun whole = run_of(topology, options, flows, false);
  FlowRun leaping = run_of(topology, options, flows, true);
  EXPECT_EQ(whole.network().run_until(until), leaping.network().run_until(until));
  expect_same(whole, leaping);
  EXPECT_EQ(whole.network().stalls().size(), leaping.network().stalls().size());
  EXPECT_EQ(whole.network().skips().count, 0U);
  return leaping.network().skips();
}

std::uint64_t hops_of(const topologies::TopologySpec& topology,
                      const PacketNetwork::Options& options, const std::vector<Flow>& flows) {
  FlowRun run = run_of(topology, options, flows, false);
  static_cast<void>(run.completions());
  return run.network().totals().packet_hops;
}

/// Each of `hosts` sends to the next one, and begins `apart` later than the one before.
std::vector<Flow> ring(std::uint32_t hosts, Bytes size, Picoseconds apart) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < hosts; ++i) {
    flows.push_back({HostId(i), HostId((i + 1) % hosts), size, i * apart});
  }
  return flows;
}

const topologies::TopologySpec kStar = star(8, 400'000'000'000_bps, 500_ns);

TEST(SkipCounts, OverARingSimulateOnlyItsBeginAndItsEnd) {
  const std::vector<Flow> flows = ring(8, 64_MiB, 137_ns);
  const protocols::SkipCounts skips = expect_the_same(kStar, credit_options(), flows);
  EXPECT_GT(skips.count, 0U);
  EXPECT_GT(skips.packet_hops, hops_of(kStar, credit_options(), flows) / 100 * 95);
}

// Every 10 ms it is looked whether anything was delivered; this takes 34.
TEST(SkipCounts, OverLongMessagesAreNoStalls) {
  for (const std::uint32_t every : {1U, protocols::RoceConfig::kMessage}) {
    PacketNetwork::Options options = credit_options();
    roce_of(options).ack_every = every;
    const std::vector<Flow> flows = {{HostId(0u), HostId(1u), 1'700_MB, 0_ps}};
    EXPECT_GT(expect_the_same(kStar, options, flows).count, 0U);
    FlowRun leaping = run_of(kStar, options, flows, true);
    EXPECT_EQ(leaping.network().run_until(10_s), PacketNetwork::Status::kQuiescent);
    EXPECT_TRUE(leaping.network().stalls().empty());
  }
}

TEST(SkipCounts, OverAnInCastWaitForCreditsAsLong) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i < 8; ++i) flows.push_back({HostId(i), HostId(0U), 16_MiB, i * 1_us});
  EXPECT_GT(expect_the_same(kStar, credit_options(), flows).packet_hops,
            hops_of(kStar, credit_options(), flows) / 2);
}

TEST(SkipCounts, EndWhereSomebodyElseBegins) {
  std::vector<Flow> flows = ring(8, 32_MiB, 20_ns);
  flows.push_back({HostId(2U), HostId(5U), 8_MiB, 300_us});
  flows.push_back({HostId(6U), HostId(5U), 4_KiB, 400'000'001_ps});
  EXPECT_GT(expect_the_same(kStar, credit_options(), flows).count, 1U);
}

TEST(SkipCounts, EndWhereTheRunDoes) {
  const std::vector<Flow> flows = ring(8, 64_MiB, 137_ns);
  for (const Picoseconds until : {100_us, 500'000'001_ps, 900'123'457_ps, 1'345_us}) {
    EXPECT_GT(expect_the_same(kStar, credit_options(), flows, until).count, 0U);
  }
}

TEST(SkipCounts, AreThereWithCutThroughToo) {
  PacketNetwork::Options options = credit_options();
  options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
  EXPECT_GT(expect_the_same(kStar, options, ring(8, 64_MiB, 137_ns)).count, 0U);
}

TEST(SkipCounts, AreNotTakenWhereStateDoesNotRecur) {
  const std::vector<Flow> flows = ring(8, 8_MiB, 137_ns);
  PacketNetwork::Options marks = credit_options();
  marks.switches.data().ecn.enabled = true;
  EXPECT_EQ(expect_the_same(kStar, marks, flows).count, 0U);
  PacketNetwork::Options pauses = credit_options();
  pauses.switches.data().flow_control = protocols::PfcConfig{};
  EXPECT_EQ(expect_the_same(kStar, pauses, flows).count, 0U);
  PacketNetwork::Options control = credit_options();
  roce_of(control).congestion_control = protocols::congestion::DcqcnConfig{};
  EXPECT_EQ(expect_the_same(kStar, control, flows).count, 0U);
}

// Messages of any lengths between any hosts, one after the other and at once, begun at any time.
TEST(SkipCounts, OverRandomMessagesChangeNothing) {
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = 0; seed < cases(60U, 200U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draws draws(seed);
    const auto hosts = static_cast<std::uint32_t>(draws.between(2, 9));
    PacketNetwork::Options options = credit_options();
    protocols::RoceConfig& roce = roce_of(options);
    // Rarely acknowledged messages are skipped between two acknowledgements, or none.
    roce.ack_every = static_cast<std::uint32_t>(draws.one_in(3) ? draws.between(50, 2'000)
                                                                : draws.between(1, 5));
    if (draws.one_in(6)) roce.ack_every = protocols::RoceConfig::kMessage;
    roce.retransmit_timeout = Picoseconds(draws.between(100'000'000, 2'000'000'000));
    if (draws.one_in(2)) roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
    if (draws.one_in(3)) roce.window = static_cast<std::uint32_t>(draws.between(8, 64));
    if (draws.one_in(3)) {
      options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
    }
    std::vector<Flow> flows;
    for (std::int64_t i = draws.between(1, 12); i-- > 0;) {
      const auto from = static_cast<std::uint32_t>(draws.below(hosts));
      const auto way = static_cast<std::uint32_t>(1 + draws.below(hosts - 1));
      flows.push_back({HostId(from), HostId((from + way) % hosts),
                       Bytes(draws.between(1, 6'000'000)),
                       Picoseconds(draws.between(0, 200'000'000))});
    }
    const Picoseconds until = draws.one_in(3) ? Picoseconds(draws.between(1, 400'000'000)) : 10_s;
    const auto rate = BitsPerSecond(draws.between(1, 16) * 50'000'000'000);
    skipped += expect_the_same(star(hosts, rate, Picoseconds(draws.between(10'000, 2'000'000))),
                               options, flows, until)
                   .count;
  }
  EXPECT_GT(skipped, 60U);
}

// A message one way takes a link for its packets alone, those of a ring share it with ACKs: each
// has a period of its own, and both together recur in none.
TEST(SkipCounts, OverIslandsAreThoseOfEach) {
  std::vector<Flow> flows{{HostId(0U), HostId(1U), 64_MiB, 0_ns}};
  for (std::uint32_t i = 0; i < 6; ++i) {
    flows.push_back({HostId(2 + i), HostId(2 + (i + 1) % 6), 64_MiB, i * 137_ns});
  }
  const protocols::SkipCounts skips = expect_the_same(kStar, credit_options(), flows);
  EXPECT_GT(skips.packet_hops, hops_of(kStar, credit_options(), flows) / 100 * 95);
}

TEST(SkipCounts, OverIslandsEndWhereTheyAreJoined) {
  std::vector<Flow> flows = ring(4, 32_MiB, 137_ns);
  for (std::uint32_t i = 4; i < 8; ++i) {
    flows.push_back({HostId(i), HostId(4 + (i + 1) % 4), 32_MiB, i * 1_us});
  }
  flows.push_back({HostId(2U), HostId(5U), 8_MiB, 300_us});
  flows.push_back({HostId(6U), HostId(1U), 4_KiB, 400'000'001_ps});
  EXPECT_GT(expect_the_same(kStar, credit_options(), flows).packet_hops,
            hops_of(kStar, credit_options(), flows) / 4);
}

/// A leaf for each group, whose messages to others take a way by their flow.
topologies::TopologySpec two_tiers(std::uint32_t racks, std::uint32_t servers, Draws& draws,
                                   BitsPerSecond rate, Picoseconds latency) {
  topologies::LeafSpineSpec spec;
  spec.racks = racks;
  spec.servers_per_rack = servers;
  spec.spines = static_cast<std::uint32_t>(draws.between(1, 4));
  spec.access = {rate, latency};
  spec.uplink = {rate, latency};
  return spec;
}

std::uint64_t messages_ended(const PacketNetwork& network) {
  const Worker::Sums sums = network.share().sums;
  return sums.messages_sent + sums.messages_delivered;
}

/// As `run_until`; where no message was to end or to be posted before, none has, and that counts.
PacketNetwork::Status run_as_foreseen(PacketNetwork& network, Picoseconds until,
                                      std::uint64_t& foreseen) {
  const std::optional<Picoseconds> change = network.next_change();
  const std::uint64_t ended = messages_ended(network);
  const PacketNetwork::Status status = network.run_until(until);
  if (until <= change.value_or(until)) {
    EXPECT_EQ(messages_ended(network), ended);
    ++foreseen;
  }
  return status;
}

// Each link is also taken by ACKs, for less than 5 % of the time.
TEST(SkipCounts, AreForeseenToEndNoMessage) {
  FlowRun run = run_of(kStar, credit_options(), ring(2, 64_MiB, 0_ns), true);
  PacketNetwork& network = run.network();
  network.run_until(1_us);
  const Picoseconds change = network.next_change().value();
  network.run_until(change);
  EXPECT_EQ(messages_ended(network), 0U);
  network.run_until(10_s);
  EXPECT_EQ(messages_ended(network), 4U);
  EXPECT_GT(change, network.last_event() / 100 * 95);
  EXPECT_EQ(network.next_change(), std::nullopt);
}

// Groups of hosts that send among themselves, and now and then to each other, looked at at any
// times, from some of which on counters begin again: what is looked for continues over them.
TEST(SkipCounts, OverRandomIslandsAndInStepsChangeNothing) {
  std::uint64_t skipped = 0;
  std::uint64_t foreseen = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draws draws(seed);
    const auto groups = static_cast<std::uint32_t>(draws.between(2, 4));
    const auto size = static_cast<std::uint32_t>(draws.between(2, 4));
    PacketNetwork::Options options = credit_options();
    protocols::RoceConfig& roce = roce_of(options);
    if (draws.one_in(2)) roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
    roce.ack_every = static_cast<std::uint32_t>(draws.between(1, 5));
    if (draws.one_in(3)) roce.ack_every = static_cast<std::uint32_t>(draws.between(50, 500));
    if (draws.one_in(6)) roce.ack_every = protocols::RoceConfig::kMessage;
    if (draws.one_in(3)) roce.window = static_cast<std::uint32_t>(draws.between(8, 64));
    if (draws.one_in(3)) {
      options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
    }
    std::vector<Flow> flows;
    const auto member = [&](std::uint32_t group) {
      return group * size + static_cast<std::uint32_t>(draws.below(size));
    };
    for (std::int64_t i = draws.between(3, 20); i-- > 0;) {
      const auto group = static_cast<std::uint32_t>(draws.below(groups));
      const std::uint32_t from = member(group);
      const std::uint32_t to = member(draws.one_in(8) ? (group + 1) % groups : group);
      if (from == to) continue;
      flows.push_back({HostId(from), HostId(to), Bytes(draws.between(1, 12'000'000)),
                       Picoseconds(draws.between(0, 200'000'000))});
    }
    const BitsPerSecond rate(draws.between(1, 16) * 50'000'000'000);
    const Picoseconds latency(draws.between(10'000, 2'000'000));
    const topologies::TopologySpec topology = draws.one_in(2)
                                                  ? star(groups * size, rate, latency)
                                                  : two_tiers(groups, size, draws, rate, latency);
    FlowRun whole = run_of(topology, options, flows, false);
    FlowRun leaping = run_of(topology, options, flows, true);
    const Picoseconds until = draws.one_in(3) ? Picoseconds(draws.between(1, 400'000'000)) : 10_s;
    while (leaping.network().now() < until / 2 && draws.below(200) > 0) {
      const Picoseconds step(draws.between(1, 20'000'000));
      const Picoseconds next = std::min(until, leaping.network().now() + step);
      const auto status = run_as_foreseen(leaping.network(), next, foreseen);
      if (status != PacketNetwork::Status::kTimeLimit) break;
      if (draws.below(50) > 0) continue;
      EXPECT_EQ(whole.network().run_until(next), status);
      whole.network().reset_statistics();
      leaping.network().reset_statistics();
    }
    EXPECT_EQ(whole.network().run_until(until), leaping.network().run_until(until));
    expect_same(whole, leaping);
    skipped += leaping.network().skips().count;
  }
  EXPECT_GT(skipped, 100U);
  EXPECT_GT(foreseen, 300U);
}

}  // namespace
}  // namespace weft::testing
