// One message on a network that carries nothing else has slowdown 1: it takes what `zero_load`
// says, exactly, wherever the message cannot collide with itself. On random fabrics with hosts of
// every shape, over links of one rate, without a window:
//
// - `ecmp`, whatever the host.
// - `round-robin` and `adaptive` with whole packets, and flowlets. Of dual-ToR hosts both ports'
//   packets meet again at the spines, which send those that come side by side to different leaves.
//   But in three tiers they may meet at the uplinks of a spine, too, as those of two ports of one
//   edge switch of a fat tree do, and where PCIe is faster than a port packets wait for ports:
//   never less than the ideal time, and a few packets more.
// - GPUs that share a NIC reach it by PCIe, as if it were one switch more.
// - A NIC that takes in less than its link brings, or more, is one more stage, of ACKs as well.
// - `spray` from two ports: a packet waits for the port that it drew. It sends on average
//   Q(2) = 1.5 packets in the time of one (see protocols/MODEL.md), not 2, so that a long message
//   takes 4/3 of its ideal time.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "simcore/base/random.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

constexpr std::int64_t kPayload = 4096;

/// A fabric with hosts of one shape, and a message between two of them in different racks.
class LoneMessage {
 public:
  explicit LoneMessage(std::uint64_t seed) : random_(seed, Purpose::kTestScenario, 11) {}

  enum class Tiers : std::uint8_t { kTwo, kThree, kFatTree };
  /// Of the hosts, and of what they are attached to.
  struct Shape {
    const char* name;
    int ports = 1;  ///< of a NIC
    int leaves = 1;
    int planes = 1;
    Tiers tiers = Tiers::kTwo;
    bool has_rails = false;
    /// With the hosts that one has. Where several share a NIC, that is a switch on PCIe.
    const char* server = "nics: 1";
    std::uint64_t per_server = 1;
    const char* nic = "";  ///< more keys of it
  };

  std::string text(const Shape& shape, const std::string& balancing, std::int64_t bytes) {
    const std::uint64_t racks = 2 * (1 + below(2));
    const std::uint64_t servers = 1 + below(4);
    const char* rate = choose({"100", "200", "400"});
    std::uint64_t ranks = racks * servers * shape.per_server;
    std::uint64_t apart =
        servers * shape.per_server;  // this many ranks are in the first rack or pod
    const std::string server = fmt::format("server: {{{}, nic: {{rate: {}Gbps, ports: {}{}}}}}",
                                           shape.server, rate, shape.ports, shape.nic);
    std::string yaml = fmt::format("name: lone\nseed: {}\n", 1 + below(1000));
    if (shape.tiers != Tiers::kFatTree) {
      yaml += fmt::format("racks: {{count: {}, servers: {}, {}}}\n", racks, servers, server);
    }
    yaml +=
        fmt::format("links: {{access: {{length: {}m}}, uplink: {{rate: {}Gbps, length: {}m}}}}\n",
                    1 + below(20), rate, 1 + below(300));
    if (shape.tiers == Tiers::kFatTree) {
      // As many servers as NIC ports allow, on k pods.
      const std::uint64_t k = 4 + 4 * below(2);
      ranks = k * k * k / 4 / static_cast<std::uint64_t>(shape.ports) * shape.per_server;
      apart = ranks / k;
      yaml +=
          fmt::format("fabric: {{topology: fat-tree, k: {}, {}, switch: spectrum-4, ", k, server);
    } else {
      yaml += clos(shape, servers);
    }
    yaml += fmt::format("flow_control: none, ecn: none, load_balancing: {}}}\n", balancing);
    yaml += fmt::format(
        "transport: {{type: roce, receiver: any-order, ack: {{every: {}}}, queue_pair_use: {}, "
        "congestion_control: none}}\n",
        1 + below(3), choose({"unidirectional", "bidirectional"}));
    const std::uint64_t from = below(apart);
    const std::uint64_t to = ranks - 1 - below(apart);
    yaml += fmt::format(
        "jobs: [{{name: m, type: messages, list: [{{from: {}, to: {}, size: {}B}}]}}]\n", from, to,
        bytes);
    return yaml;
  }

  std::uint64_t below(std::uint64_t n) { return random_.below(counter_++, n); }

 private:
  std::string clos(const Shape& shape, std::uint64_t servers) {
    const bool has_pods = shape.tiers == Tiers::kThree;
    std::string yaml =
        fmt::format("fabric: {{topology: {}, leaves: {}, planes: {}, links_per_pair: {}, ",
                    has_pods          ? "clos"
                    : shape.has_rails ? "rail-optimised"
                                      : "leaf-spine",
                    shape.leaves, shape.planes, 1 + below(3));
    const std::uint64_t spines = 1 + below(6);
    yaml += fmt::format("spines: {}, switch: spectrum-4, ", spines);
    if (shape.has_rails) yaml += fmt::format("group: {}, ", servers);
    if (shape.has_rails && has_pods) yaml += "attachment: rail, ";
    if (has_pods) {
      yaml += fmt::format("pods: 2, super_spines: {}, super_links_per_pair: {}, ",
                          spines * (1 + below(3)), 1 + below(2));
    }
    return yaml;
  }

  template <std::size_t N>
  const char* choose(const char* const (&choices)[N]) {
    return choices[below(N)];
  }

  RandomStream random_;
  std::uint64_t counter_ = 0;
};

using Shape = LoneMessage::Shape;
using Tiers = LoneMessage::Tiers;

struct Outcome {
  Picoseconds taken;
  Picoseconds ideal;
};

Outcome run(const scenarios::Experiment& e) {
  const MessageRun all = packet_run(e);
  EXPECT_EQ(all.messages.size(), 1U);
  const scenarios::MessageResult& m = all.messages.at(0);
  const scenarios::Results& results = all.results;
  EXPECT_GE(results.jobs.at(0).jct, results.jobs.at(0).ideal) << results.jobs.at(0).ideal_set_by;
  return {*m.completed - m.start, m.ideal};
}

std::int64_t any_size(LoneMessage& draw) {
  return static_cast<std::int64_t>(1 + draw.below(draw.below(2) == 0 ? 60'000 : 3'000'000));
}
std::int64_t whole_packets(LoneMessage& draw) {
  return kPayload * static_cast<std::int64_t>(1 + draw.below(draw.below(2) == 0 ? 20 : 700));
}

class Shapes : public ::testing::TestWithParam<Shape> {};
class ShapesWithoutMeetings : public Shapes {};

TEST_P(Shapes, EcmpTakesTheIdealTime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    LoneMessage draw(seed);
    const std::string text = draw.text(GetParam(), "ecmp", any_size(draw));
    const Outcome o = run(experiment_of_text(text));
    EXPECT_EQ(o.taken, o.ideal) << text;
  }
}

TEST_P(ShapesWithoutMeetings, FlowletsTakeTheIdealTime) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    LoneMessage draw(seed);
    const char* flowlets = seed % 2 == 0 ? "{type: flowlet, gap: 1ns}" : "flowlet";
    const std::string text = draw.text(GetParam(), flowlets, whole_packets(draw));
    const Outcome o = run(experiment_of_text(text));
    EXPECT_EQ(o.taken, o.ideal) << text;
  }
}

// MODEL.md 5.6
TEST_P(ShapesWithoutMeetings, InTurnTakesTheIdealTime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    LoneMessage draw(seed);
    const std::string text = draw.text(GetParam(), "round-robin", whole_packets(draw));
    const Outcome o = run(experiment_of_text(text));
    EXPECT_EQ(o.taken, o.ideal) << text;
  }
}

// MODEL.md 6.2
TEST_P(ShapesWithoutMeetings, AdaptiveTakesTheIdealTime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    LoneMessage draw(seed);
    const std::string text = draw.text(GetParam(), "adaptive", whole_packets(draw));
    const Outcome o = run(experiment_of_text(text));
    EXPECT_EQ(o.taken, o.ideal) << text;
  }
}

TEST_P(Shapes, NothingIsFasterThanTheIdealTime) {
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    LoneMessage draw(seed);
    const char* how[] = {"round-robin", "adaptive", "spray"};
    const std::string text = draw.text(GetParam(), how[seed % 3], any_size(draw));
    const Outcome o = run(experiment_of_text(text));
    EXPECT_GE(o.taken, o.ideal) << text;
  }
}

constexpr Shape kSinglePort{.name = "SinglePort"};
constexpr Shape kDualPlane{.name = "DualPlane", .ports = 2, .planes = 2};
constexpr Shape kDualTor{.name = "DualTor", .ports = 2, .leaves = 2};
constexpr Shape kRails{
    .name = "Rails", .has_rails = true, .server = "part: hgx-h100", .per_server = 8};

constexpr Shape kClos{.name = "Clos", .tiers = Tiers::kThree};
constexpr Shape kDualTorInClos{
    .name = "DualTorInClos", .ports = 2, .leaves = 2, .tiers = Tiers::kThree};
constexpr Shape kDualPlaneInClos{
    .name = "DualPlaneInClos", .ports = 2, .planes = 2, .tiers = Tiers::kThree};
constexpr Shape kDualTorOfRails{.name = "DualTorOfRails",
                                .ports = 2,
                                .leaves = 2,
                                .has_rails = true,
                                .server = "part: hgx-h100",
                                .per_server = 8};
constexpr Shape kRailsInClos{.name = "RailsInClos",
                             .tiers = Tiers::kThree,
                             .has_rails = true,
                             .server = "part: hgx-h100",
                             .per_server = 8};
constexpr Shape kDualTorOfRailsInClos{.name = "DualTorOfRailsInClos",
                                      .ports = 2,
                                      .leaves = 2,
                                      .tiers = Tiers::kThree,
                                      .has_rails = true,
                                      .server = "part: hgx-h100",
                                      .per_server = 8};
constexpr Shape kFatTree{.name = "FatTree", .tiers = Tiers::kFatTree};
constexpr Shape kDualPortInFatTree{
    .name = "DualPortInFatTree", .ports = 2, .tiers = Tiers::kFatTree};
/// Two GPUs on each NIC, by PCIe that is slower than it or faster.
constexpr const char* kSharing = "gpus: 4, nics: 2, host_link: pcie-4-x16";
constexpr Shape kSharedNics{.name = "SharedNics", .server = kSharing, .per_server = 4};
constexpr Shape kSharedNicsInClos{
    .name = "SharedNicsInClos", .tiers = Tiers::kThree, .server = kSharing, .per_server = 4};
constexpr Shape kSharedDualTor{
    .name = "SharedDualTor", .ports = 2, .leaves = 2, .server = kSharing, .per_server = 4};
constexpr Shape kSharedDualPlaneInClos{.name = "SharedDualPlaneInClos",
                                       .ports = 2,
                                       .planes = 2,
                                       .tiers = Tiers::kThree,
                                       .server = kSharing,
                                       .per_server = 4};

/// With room for the whole message.
constexpr const char* kTakesInSlowly = ", receive_rate: 70Gbps, receive_buffer: 64MiB";
constexpr Shape kSlowReceiver{.name = "SlowReceiver", .nic = kTakesInSlowly};
constexpr Shape kFastReceiver{.name = "FastReceiver",
                              .nic = ", receive_rate: 800Gbps, receive_buffer: 64MiB"};
constexpr Shape kSlowDualPlane{
    .name = "SlowDualPlane", .ports = 2, .planes = 2, .nic = kTakesInSlowly};
constexpr Shape kSlowDualTorInClos{.name = "SlowDualTorInClos",
                                   .ports = 2,
                                   .leaves = 2,
                                   .tiers = Tiers::kThree,
                                   .nic = kTakesInSlowly};
constexpr Shape kSlowSharedNics{
    .name = "SlowSharedNics", .server = kSharing, .per_server = 4, .nic = kTakesInSlowly};

const auto kNameOf = [](const auto& test) { return test.param.name; };

INSTANTIATE_TEST_SUITE_P(Hosts, Shapes,
                         ::testing::Values(kSinglePort, kDualPlane, kDualTor, kRails, kClos,
                                           kDualTorInClos, kDualTorOfRails, kDualPlaneInClos,
                                           kRailsInClos, kDualTorOfRailsInClos, kFatTree,
                                           kDualPortInFatTree, kSharedNics, kSharedNicsInClos,
                                           kSharedDualTor, kSharedDualPlaneInClos, kSlowReceiver,
                                           kFastReceiver, kSlowDualPlane, kSlowDualTorInClos,
                                           kSlowSharedNics),
                         kNameOf);
INSTANTIATE_TEST_SUITE_P(Hosts, ShapesWithoutMeetings,
                         ::testing::Values(kSinglePort, kDualPlane, kDualTor, kRails, kClos,
                                           kDualPlaneInClos, kRailsInClos, kFatTree, kSharedNics,
                                           kSharedNicsInClos),
                         kNameOf);

/// The mean over seeds of what a long message takes, over its ideal time.
double mean_slowdown(const Shape& shape, const std::string& balancing, std::int64_t packets) {
  constexpr int kSeeds = 30;
  double sum = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    LoneMessage draw(static_cast<std::uint64_t>(seed));
    const Outcome o = run(experiment_of_text(draw.text(shape, balancing, packets * kPayload)));
    sum += to_seconds(o.taken) / to_seconds(o.ideal);
  }
  return sum / kSeeds;
}

TEST(DualTor, MeetingAgainCostsALongMessageLittle) {
  // 4,000 packets; what waits at one of two alike links leaves the other one idle at the end only.
  for (const Shape& shape : {kDualTorInClos, kDualTorOfRails, kDualTorOfRailsInClos,
                             kDualPortInFatTree, kSharedDualTor, kSharedDualPlaneInClos}) {
    for (const char* how : {"round-robin", "adaptive"}) {
      EXPECT_LT(mean_slowdown(shape, how, 4'000), 1.02) << shape.name << ", " << how;
    }
  }
}

// MODEL.md 6.3
TEST(Spray, OverTwoPortsSendsThreePacketsInTheTimeOfTwo) {
  // Long messages, so that latencies do not matter: 2 / Q(2) = 4/3.
  for (const Shape& shape : {kDualPlane, kDualTor, kDualPlaneInClos}) {
    EXPECT_NEAR(mean_slowdown(shape, "spray", 8'000), 4.0 / 3, 0.02 * 4 / 3);
  }
  EXPECT_EQ(mean_slowdown(kSinglePort, "spray", 500), 1.0);
}

TEST(Fluid, TakesTheIdealTimeWhateverTheHost) {
  for (const Shape& shape : {kSinglePort, kDualPlane, kDualTor, kRails}) {
    for (const char* how : {"ecmp", "round-robin", "adaptive", "spray", "flowlet"}) {
      LoneMessage draw(7);
      const auto e = experiment_of_text(draw.text(shape, how, 1'000 * kPayload));
      const scenarios::Experiment& experiment = e;
      const std::int64_t ideal = run(experiment).ideal.count();
      const Times fluid = fluid_times(experiment);
      EXPECT_NEAR(static_cast<double>(fluid.messages.at(0)), static_cast<double>(ideal), 2) << how;
    }
  }
}

// Two leaves with two links to one spine, two full packets and one of 1 B. The first and the last
// share the uplink, not the link down: what the short one gains over the first it keeps, and it
// leaves the last switch before either. So the last byte is that of the second full packet:
// 5 t + 4 latencies.
TEST(LoneMessage, OvertakesWhereASwitchTakesTurnsOfItsOwn) {
  const scenarios::Experiment e = experiment_of_text(
      "name: lone\nracks: {count: 2, servers: 1, server: host-400g}\n"
      "links: {access: {rate: 400Gbps, latency: 100ns}, uplink: {rate: 400Gbps, latency: 100ns}}\n"
      "fabric: {topology: leaf-spine, spines: 1, links_per_pair: 2, switch: {latency: 0ns}, "
      "load_balancing: round-robin, flow_control: none, ecn: none}\n"
      "transport: {type: roce, mtu: 1024B, receiver: any-order, congestion_control: none}\n"
      "jobs: [{name: m, type: messages, list: [{from: 0, to: 1, size: 2049B}]}]\n");
  const MessageRun run = packet_run(e);
  ASSERT_EQ(run.messages.size(), 1U);
  const scenarios::MessageResult& m = run.messages.front();
  EXPECT_EQ(m.completed - m.start, m.ideal);
}

}  // namespace
}  // namespace weft::testing
