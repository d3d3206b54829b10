// Host links that several NICs share, and such that carry what is sent and what is received one
// after the other. Latencies of 500 ns per cable, and 300 ns in the receiving NIC. A full packet
// has 4,178 bytes: 167.12 ns at 200 Gbps, 83.56 ns at 400 Gbps. 1 MiB are 256 packets.
//
// Servers are alike, with 4 NICs of 200 Gbps each; server 0 has the hosts 0 to 3, server 1 the
// hosts 4 to 7, on one leaf. Where k messages share a link of rate r at their senders, the last of
// their k x 256 packets leaves it after k x 256 packet times; then it crosses the NIC, the leaf and
// the host link there, where it finds nothing before it but what came with it.
//
// Tolerances: none where one message flows. Where several do, packets of others may be before the
// last one at the links behind: at most one each at the NIC and the leaf, and k at the host link.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/engines/invariants.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

constexpr std::int64_t kMebibytePackets = 256;
constexpr Picoseconds kSharedPacket = Picoseconds(167'120);
constexpr Picoseconds kFarWires = 2 * 500_ns + 300_ns;

std::string text_of_sharers(const std::string& server, const Pairs& pairs,
                            const std::string& more = "") {
  std::string list;
  for (const auto& [from, to] : pairs) {
    list += fmt::format("{}{{from: {}, to: {}, size: 1MiB}}", list.empty() ? "" : ", ", from, to);
  }
  return fmt::format(
      "name: shared-host-links\n"
      "racks: {{count: 2, servers: 2, server: {{nics: 4, nic: {{rate: 200Gbps}}, {}}}}}\n"
      "links: {{access: {{latency: 500ns}}, uplink: {{rate: 400Gbps, latency: 500ns}}}}\n"
      "fabric: {{topology: leaf-spine, spines: 1, switch: ideal, flow_control: none, ecn: none}}\n"
      "transport: {{type: roce, congestion_control: none}}\n"
      "jobs: [{{name: m, type: messages, list: [{}]}}]\n{}",
      server, list, more);
}

Picoseconds last_delivery(const MessageRun& run) {
  Picoseconds last;
  for (const auto& m : run.messages) last = std::max(last, *m.delivered);
  return last;
}

Picoseconds time_of_sharers(const std::string& server, const Pairs& pairs) {
  return last_delivery(packet_run(experiment_of_text(text_of_sharers(server, pairs))));
}
double fluid_microseconds_of(const std::string& text) {
  const Times times = fluid_times(experiment_of_text(text));
  return static_cast<double>(std::ranges::max(times.delivered)) * 1e-6;
}
double fluid_microseconds(const std::string& server, const Pairs& pairs) {
  return fluid_microseconds_of(text_of_sharers(server, pairs));
}

/// Of n MiB with headers, at a rate in Gbps, in microseconds.
double wire_microseconds(double mebibytes, double rate) {
  return mebibytes * kMebibytePackets * 4178 * 8 / rate / 1e3;
}

// One message alone has the whole link, in both directions and both engines.
TEST(SharedHostLinks, AreWholeForOneMessage) {
  for (const char* server :
       {"host_link: {rate: 200Gbps, shared_by: 2}", "host_link: {rate: 200Gbps, shared_by: 4}",
        "gpus: 4, host_link: {rate: 200Gbps, shared_by: 4}"}) {
    const scenarios::Experiment e = experiment_of_text(text_of_sharers(server, {{1, 4}}));
    const MessageRun run = packet_run(e);
    EXPECT_EQ(last_delivery(run), (kMebibytePackets + 3) * kSharedPacket + kFarWires) << server;
    EXPECT_EQ(*run.messages.front().completed, run.messages.front().ideal);
    check_both_engines(e);
  }
}

// Several messages out of one server, to one NIC each, of servers whose links carry that; then into
// one server. NICs in pairs: two messages share a link if they are of one pair.
TEST(SharedHostLinks, CarryAllThatGoesOneWay) {
  struct Case {
    int shared_by;
    Pairs pairs;
    std::int64_t messages;  ///< on the busiest link
  };
  const std::vector<Case> cases{
      {2, {{0, 4}, {1, 6}}, 2},
      {2, {{0, 4}, {2, 6}}, 1},
      {2, {{4, 0}, {6, 1}}, 2},
      {2, {{4, 0}, {6, 3}}, 1},
      {4, {{0, 4}, {1, 8}, {2, 12}}, 3},
      {4, {{4, 0}, {8, 1}, {12, 3}}, 3},
      {4, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 4},
  };
  for (const auto& [shared_by, pairs, messages] : cases) {
    for (const char* gpus : {"", "gpus: 4, "}) {
      const std::string server =
          fmt::format("{}host_link: {{rate: 200Gbps, shared_by: {}}}", gpus, shared_by);
      SCOPED_TRACE(server + " " + std::to_string(pairs.size()));
      const Picoseconds time = time_of_sharers(server, pairs);
      // Across the spine there are two hops more.
      const Picoseconds spine = pairs.back().second >= 8 || pairs.front().first >= 8
                                    ? 2 * 500_ns + kSharedPacket
                                    : Picoseconds();
      EXPECT_GE(time, (messages * kMebibytePackets + 3) * kSharedPacket + kFarWires);
      // ACKs of 84 bytes and less take a fiftieth of what goes the other way.
      EXPECT_LE(time, (messages * kMebibytePackets + 3 + 2 + messages) * kSharedPacket + kFarWires +
                          spine);
      EXPECT_NEAR(fluid_microseconds(server, pairs),
                  wire_microseconds(static_cast<double>(messages), 200), 4);
    }
  }
}

// Without GPUs in between, both directions of a link are apart; through the root complex they are
// one. ACKs are 62 bytes of preamble and headers each, one per packet: a sixtieth.
TEST(SharedHostLinks, ThroughTheRootComplexSendAndReceiveInTurn) {
  for (const int shared_by : {1, 2, 4}) {
    const std::string link = fmt::format("rate: 200Gbps, shared_by: {}", shared_by);
    const std::string straight = "gpus: 4, host_link: {" + link + "}";
    const std::string around = "gpus: 4, host_link: {" + link + ", through: root-complex}";
    // One message has the link to itself but for its ACKs.
    const Picoseconds alone = time_of_sharers(straight, {{0, 4}});
    const Picoseconds alone_around = time_of_sharers(around, {{0, 4}});
    EXPECT_GE(alone_around, alone);
    EXPECT_LE(to_seconds(alone_around), 1.03 * to_seconds(alone));
    // What goes both ways takes twice as long.
    const Pairs both{{0, 4}, {4, 0}};
    EXPECT_LE(to_seconds(time_of_sharers(straight, both)), 1.03 * to_seconds(alone));
    const double twice = to_seconds(time_of_sharers(around, both));
    EXPECT_GE(twice * 1e6, wire_microseconds(2, 200));
    EXPECT_LE(twice, 2.06 * to_seconds(alone));
    EXPECT_NEAR(fluid_microseconds(straight, both), wire_microseconds(1, 200), 3);
    EXPECT_NEAR(fluid_microseconds(around, both), 1.02 * wire_microseconds(2, 200), 4);
    // All NICs both ways.
    Pairs all;
    for (int i = 0; i < 4; ++i) {
      all.emplace_back(i, 4 + i);
      all.emplace_back(4 + i, i);
    }
    const double of_all = to_seconds(time_of_sharers(around, all)) * 1e6;
    EXPECT_GE(of_all, wire_microseconds(2 * shared_by, 200));
    EXPECT_LE(of_all, 1.04 * wire_microseconds(2 * shared_by, 200) + 4);
    EXPECT_NEAR(fluid_microseconds(around, all), 1.02 * wire_microseconds(2 * shared_by, 200),
                0.02 * wire_microseconds(2 * shared_by, 200) + 3);
  }
}

// Two GPUs below one switch that have only their NICs: what one sends the other passes the link
// twice, up and down for sending and up and down for receiving.
TEST(SharedHostLinks, AreCrossedTwiceBetweenGpusThatShareOne) {
  const std::string around =
      "gpus: 4, host_link: {rate: 200Gbps, shared_by: 2, through: root-complex}";
  const double packets = to_seconds(time_of_sharers(around, {{0, 1}})) * 1e6;
  EXPECT_GE(packets, wire_microseconds(2, 200));
  EXPECT_LE(packets, 1.06 * wire_microseconds(2, 200));
  EXPECT_NEAR(fluid_microseconds(around, {{0, 1}}), 1.03 * wire_microseconds(2, 200), 5);
  // Others have what is left: all four together take as long as three of one crossing each.
  EXPECT_NEAR(fluid_microseconds(around, {{0, 1}, {1, 4}}), 1.03 * wire_microseconds(3, 200), 6);
}

// A link that all share is taken by turns: messages of one size end together.
// MODEL.md 6.5
TEST(SharedHostLinks, AreSharedFairly) {
  const scenarios::Experiment e = experiment_of_text(text_of_sharers(
      "host_link: {rate: 200Gbps, shared_by: 4}", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  const MessageRun run = packet_run(e);
  for (const auto& m : run.messages) {
    EXPECT_GE(*m.delivered + 8 * kSharedPacket, last_delivery(run));
  }
  check_both_engines(e);
}

// A NIC that its switch pauses does not hold up the others: a port that may not send
// passes its turn on. Host 4 takes in nothing for 300 us, long before which the other message is
// through.
// MODEL.md 6.5
TEST(SharedHostLinks, APausedNicHoldsUpNobody) {
  const std::string text = text_of_sharers(
      "gpus: 4, host_link: {rate: 200Gbps, shared_by: 4, through: root-complex}",
      {{0, 4}, {1, 8}, {9, 2}}, "faults: [{type: nic-pause, host: gpu4, at: 0s, until: 300us}]\n");
  const MessageRun run = packet_run(experiment_of_text(
      std::string(text).replace(text.find("flow_control: none"), 18, "flow_control: pfc")));
  ASSERT_EQ(run.messages.size(), 3U);
  std::vector<double> times;
  for (const auto& m : run.messages) times.push_back(to_seconds(*m.delivered) * 1e6);
  std::ranges::sort(times);
  EXPECT_LE(times[1], 1.1 * wire_microseconds(3, 200));
  EXPECT_GE(times[2], 300);
}

// A fault of a link that several share is one of all: named at one GPU, it slows down its
// neighbour.
TEST(SharedHostLinks, FailTogether) {
  for (const char* through : {"switch", "root-complex"}) {
    const std::string server =
        fmt::format("gpus: 4, host_link: {{rate: 200Gbps, shared_by: 2, through: {}}}", through);
    const std::string fault = "faults: [{type: link-rate, from: gpu0, rate: 50Gbps}]\n";
    const double slow = to_seconds(
        last_delivery(packet_run(experiment_of_text(text_of_sharers(server, {{1, 4}}, fault)))));
    EXPECT_NEAR(slow * 1e6, wire_microseconds(1, 50), 6);
    EXPECT_NEAR(fluid_microseconds_of(text_of_sharers(server, {{1, 4}}, fault)),
                wire_microseconds(1, 50), 6);
    const double whole = to_seconds(
        last_delivery(packet_run(experiment_of_text(text_of_sharers(server, {{2, 4}}, fault)))));
    EXPECT_NEAR(whole * 1e6, wire_microseconds(1, 200), 4);
  }
}

}  // namespace
}  // namespace weft::testing
