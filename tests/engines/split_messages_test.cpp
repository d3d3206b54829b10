// Messages that are split over the queue pairs of their connection. Two racks of one host each,
// two spines, latencies of 500 ns on each of four links. A full packet has 4,178 bytes (4,096 and
// 82 of headers): 167.12 ns at 200 Gbps, 334.24 ns at 100 Gbps. 1 MiB are 256 packets.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/messages/split_message.hpp"
#include "tests/engines/invariants.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Picoseconds kAt200 = Picoseconds(167'120);
constexpr Picoseconds kAt100 = Picoseconds(334'240);
constexpr Picoseconds kLatency = 4 * 500_ns + 300_ns;  ///< with what the NIC takes

std::string text_of(const std::string& transport, const std::string& jobs,
                    const char* uplink = "100Gbps", std::uint64_t seed = 1) {
  return fmt::format(
      "name: split\nseed: {}\n"
      "racks: {{count: 2, servers: 1, server: {{nics: 1, nic: {{rate: 200Gbps}}}}}}\n"
      "links: {{access: {{rate: 200Gbps, latency: 500ns}}, uplink: {{rate: {}, latency: 500ns}}}}\n"
      "fabric: {{topology: leaf-spine, spines: 2, switch: ideal, flow_control: none, ecn: none}}\n"
      "transport: {{type: roce, congestion_control: none, {}}}\njobs: {}\n",
      seed, uplink, transport, jobs);
}

std::string message_of(const char* size) {
  return fmt::format("[{{name: m, type: messages, list: [{{from: 0, to: 1, size: {}}}]}}]", size);
}

/// The first seed with which two queue pairs of the first connection take two spines, or one.
std::uint64_t seed_of(bool differs) {
  for (std::uint64_t seed = 1;; ++seed) {
    const scenarios::Experiment e =
        experiment_of_text(text_of("queue_pairs: 2", message_of("1MiB"), "100Gbps", seed));
    const std::uint32_t label = e.workload.connections().front().flow_label;
    const auto path = [&](std::uint32_t i) {
      const std::uint32_t entropy =
          flow_entropy(HostId(0U), HostId(1U), queue_pair_number(label, i));
      return flow_path(e.fabric, e.routes, e.scenario.seed, HostId(0U), HostId(1U), entropy);
    };
    if ((path(0) != path(1)) == differs) return seed;
  }
}

MessageRun run_of(const std::string& transport, const char* size, const char* uplink,
                  bool differs) {
  return packet_run(
      experiment_of_text(text_of(transport, message_of(size), uplink, seed_of(differs))));
}

const scenarios::MessageResult& only(const MessageRun& run) {
  EXPECT_EQ(run.messages.size(), 1U);
  return run.messages.front();
}

std::vector<std::int64_t> parts_of(std::int64_t size, std::uint32_t queue_pairs) {
  std::vector<std::int64_t> parts;
  for (std::uint32_t i = 0; i < queue_pairs; ++i) {
    parts.push_back(part_of(Bytes(size), queue_pairs, i).count());
  }
  return parts;
}

// ncclIbMultiSend: DIVUP(DIVUP(size, nqps), 128) * 128, and what is left.
TEST(SplitMessages, PartsAreThoseOfNccl) {
  EXPECT_THAT(parts_of(1'048'576, 2), ElementsAre(524'288, 524'288));
  EXPECT_THAT(parts_of(1'000, 4), ElementsAre(256, 256, 256, 232));
  EXPECT_THAT(parts_of(1'000, 3), ElementsAre(384, 384, 232));
  EXPECT_THAT(parts_of(300, 4), ElementsAre(128, 128, 44, 0));
  EXPECT_THAT(parts_of(1, 2), ElementsAre(1, 0));
}

// One queue pair takes one spine: every packet crosses its uplink. Two take both, each with half of
// the packets. The first one sends as soon as it has its part, and is in line again when the other
// comes: two of its packets go first. So the last two of the other one leave the NIC side by side,
// as numbers 255 and 256, and the uplink takes them one after the other.
TEST(SplitMessages, TakeHalfTheTimeOverTwoPaths) {
  const MessageRun whole = run_of("queue_pairs: 2", "1MiB", "100Gbps", true);
  const MessageRun split = run_of("queue_pairs: 2, split_messages: true", "1MiB", "100Gbps", true);
  EXPECT_EQ(*only(whole).delivered, kAt200 + 256 * kAt100 + kAt100 + kAt200 + kLatency);
  EXPECT_EQ(*only(split).delivered, 255 * kAt200 + 2 * kAt100 + kAt100 + kAt200 + kLatency);
  EXPECT_EQ(only(split).bytes, 1_MiB);
  EXPECT_EQ(*only(split).completed, only(split).ideal + kAt200) << "that order costs a packet";
  EXPECT_EQ(split.results.jobs[0].messages.completed(), 1U);
}

TEST(SplitMessages, TakeAsLongWhereTheirQueuePairsCollide) {
  const MessageRun whole = run_of("queue_pairs: 2", "1MiB", "100Gbps", false);
  const MessageRun split = run_of("queue_pairs: 2, split_messages: true", "1MiB", "100Gbps", false);
  EXPECT_EQ(*only(split).delivered, *only(whole).delivered);
}

// Where the NIC is the narrowest link nothing is won: all packets leave by it.
TEST(SplitMessages, TakeAsLongThroughANicOfTheRateOfOnePath) {
  const MessageRun split = run_of("queue_pairs: 2, split_messages: true", "1MiB", "200Gbps", true);
  EXPECT_EQ(*only(split).delivered, (256 + 3) * kAt200 + kLatency);
  EXPECT_EQ(*only(split).completed, only(split).ideal);
}

// 100 bytes over four queue pairs: one packet with them, and three that have headers only. The
// message is whole with the last of these.
TEST(SplitMessages, OfFewBytesSendEmptyPackets) {
  const scenarios::Experiment e = experiment_of_text(
      text_of("queue_pairs: 4, split_messages: true", message_of("100B"), "200Gbps"));
  const MessageRun run = packet_run(e);
  const Picoseconds with_payload = transmission_time(182_B, 200_Gbps);
  const Picoseconds empty = transmission_time(82_B, 200_Gbps);
  EXPECT_EQ(run.results.totals.packets_injected, 4U + 4U) << "data and ACKs";
  EXPECT_LE(*only(run).delivered, 4 * with_payload + 3 * empty + kLatency);
  EXPECT_GE(*only(run).delivered, with_payload + 3 * empty + 3 * empty + kLatency);
  EXPECT_LE(only(run).ideal, *only(run).completed);
}

// The shares of fluids: each uplink has half of the bytes.
TEST(SplitMessages, TakeHalfTheTimeAsFluids) {
  const auto time = [](const char* transport) {
    const Times times = fluid_times(
        experiment_of_text(text_of(transport, message_of("64MiB"), "100Gbps", seed_of(true))));
    EXPECT_EQ(times.messages.size(), 1U);
    return static_cast<double>(times.messages.front());
  };
  EXPECT_NEAR(time("queue_pairs: 2, split_messages: true") / time("queue_pairs: 2"), 0.5, 0.001);
}

// Every message once, with the laws that hold for every run: in both engines, under both kinds of
// repair, with losses, and for what is smaller than its queue pairs.
TEST(SplitMessages, AreWholeMessagesInEveryResult) {
  for (const char* transport :
       {"queue_pairs: 3, split_messages: true", "queue_pairs: 4, split_messages: true, window: 8",
        "queue_pairs: 2, split_messages: true, receiver: any-order, ack: {every: 4}",
        "queue_pairs: 2, split_messages: true, recovery: selective-repeat"}) {
    for (const char* job :
         {"permutation, size: 100KB, pairs: shift", "incast, size: 1KB, rounds: 2",
          "open-loop, size: 10KB, load: 0.3, stop: 30us",
          "messages, list: [{from: 0, to: 1, size: 1B}, {from: 0, to: 1, size: 50KB}, {from: 0, "
          "to: 1, size: 300B}]",
          "all-reduce, algorithm: ring, size: 300KB"}) {
      SCOPED_TRACE(fmt::format("{} by {}", job, transport));
      const scenarios::Experiment e =
          experiment_of_text(text_of(transport, fmt::format("[{{name: m, type: {}}}]", job)));
      check_both_engines(e);
      EXPECT_EQ(std::ssize(packet_run(e).messages), message_count(e));
    }
  }
}

TEST(SplitMessages, AreRepeatedPartByPart) {
  std::string text = text_of("queue_pairs: 2, split_messages: true, retransmit_timeout: 50us",
                             "[{name: m, type: incast, size: 100KB, rounds: 20}]");
  text.replace(text.find("uplink: {"), 9, "uplink: {frame_loss_rate: 0.01, ");
  const MessageRun run = packet_run(experiment_of_text(text));
  EXPECT_EQ(run.results.outcome, scenarios::Outcome::kFinished);
  EXPECT_GT(run.results.totals.packets_retransmitted, 0U);
  EXPECT_EQ(run.messages.size(), 20U);
}

// A run that ends early has the messages that are under way, each once.
TEST(SplitMessages, ThatAreUnderWayAtTheEndAreOneRowEach) {
  std::string text = text_of("queue_pairs: 2, split_messages: true",
                             "[{name: m, type: messages, list: [{from: 0, to: 1, size: 100KB}, "
                             "{from: 0, to: 1, size: 1MiB}]}]",
                             "100Gbps", seed_of(true)) +
                     "run: {until: 20us}\n";
  const MessageRun run = packet_run(experiment_of_text(text));
  ASSERT_EQ(run.messages.size(), 2U);
  EXPECT_TRUE(run.messages[0].completed.has_value());
  EXPECT_FALSE(run.messages[1].delivered.has_value());
  EXPECT_EQ(run.messages[1].bytes, 1_MiB);
}

TEST(SplitMessages, AreBlamedToThePicosecond) {
  for (const char* jobs : {"[{name: m, type: all-reduce, algorithm: ring, size: 300KB}]",
                           "[{name: m, type: incast, size: 1MiB, rounds: 2}]"}) {
    scenarios::Experiment e =
        experiment_of_text(text_of("queue_pairs: 2, split_messages: true", jobs));
    e.scenario.observe.blame = true;
    const scenarios::Results r = scenarios::simulate(e);
    Picoseconds blamed;
    for (const auto& row : r.blame) blamed += row.time;
    EXPECT_EQ(blamed, r.jobs[0].jct) << jobs;
  }
}

std::string refusal_of(const std::string& transport, const std::string& jobs) {
  std::string text = text_of("x", jobs);
  text.replace(text.find("{type: roce"), text.find(", x}") + 4 - text.find("{type: roce"),
               transport);
  const auto loaded = scenarios::load_scenario_text(text, "test.yaml");
  if (!loaded.ok()) return loaded.errors().front().to_string();
  const auto built = scenarios::build_experiment(loaded.value().scenario);
  return built.ok() ? std::string() : built.errors().front().to_string();
}

TEST(SplitMessages, AreRefusedWhereTheyHaveNoMeaning) {
  const std::string job = message_of("1MiB");
  EXPECT_THAT(refusal_of("{type: roce, queue_pairs: 2, split_messages: true, queue_pair_life: "
                         "message}",
                         job),
              HasSubstr("split_messages"));
  EXPECT_THAT(refusal_of("{type: uec, queue_pairs: 2, split_messages: true}", job),
              HasSubstr("split_messages"));
  EXPECT_THAT(refusal_of("{type: roce, queue_pairs: 2, split_messages: true}",
                         "[{name: m, type: messages, operation: read, list: [{from: 0, to: 1, "
                         "size: 1MiB}]}]"),
              HasSubstr("a read has one request"));
  EXPECT_THAT(refusal_of("{type: roce, queue_pairs: 2, split_messages: true}", job), IsEmpty());
}

}  // namespace
}  // namespace weft::testing
