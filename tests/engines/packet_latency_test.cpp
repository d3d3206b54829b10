// A packet holds the time of its sending modulo 70 s. However long it is under way, its latency is
// what it took. It also holds the size class of its message.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "simcore/messages/size_class.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

/// Four links of `latency` each.
MessageRun run_over(const std::string& latency, const std::string& messages) {
  const std::string text =
      "name: far\n"
      "racks: {count: 2, servers: 2, server: host-400g}\n" +
      fmt::format("links: {{access: {{latency: {0}}}, uplink: {{latency: {0}}}}}\n", latency) +
      "fabric: {topology: leaf-spine, spines: 2, switch: ideal, flow_control: none, ecn: none}\n"
      "transport: {type: datagram}\n" +
      fmt::format("jobs: [{{name: m, type: messages, list: [{}]}}]\n", messages);
  return packet_run(experiment_of_text(text));
}

// MODEL.md 12.4
TEST(PacketLatency, DoesNotWrap) {
  for (const char* latency : {"100ms", "260ms", "280ms", "700ms", "1s"}) {
    const MessageRun run = run_over(latency, "{from: 0, to: 2, size: 1KB}");
    ASSERT_EQ(run.results.packet_latency.count(), 1U) << latency;
    const scenarios::MessageResult& m = run.messages.at(0);
    EXPECT_NEAR(static_cast<double>(run.results.packet_latency.max()),
                static_cast<double>((*m.delivered - m.start).count()), 256)
        << latency;
  }
}

// Packets that set out at different times, each with another number of wraps behind it, among
// others that stay in their rack.
TEST(PacketLatency, IsEachPacketsOwn) {
  std::string messages;
  for (int i = 0; i < 12; ++i) {
    messages += fmt::format("{{from: 0, to: 3, size: 9KB, start: {}ms}}, ", 290 * i);
    messages += fmt::format("{{from: 1, to: 0, size: 1KB, start: {}ms}}, ", 270 * i);
  }
  const MessageRun run = run_over("600ms", messages);
  ASSERT_EQ(run.results.packet_latency.count(), 12U * 4);
  // 36 of the packets take four links, 12 two: at least 2.4 and 1.2 s and some microseconds.
  EXPECT_NEAR(static_cast<double>(run.results.packet_latency.quantile(0.01)), 1.2e12,
              0.02 * 1.2e12);
  EXPECT_NEAR(static_cast<double>(run.results.packet_latency.quantile(0.5)), 2.4e12, 0.02 * 2.4e12);
  EXPECT_NEAR(static_cast<double>(run.results.packet_latency.max()), 2.4e12, 1e7);
}

/// Packets that arrived, by size class of their messages.
std::map<std::uint32_t, std::uint64_t> counts(const scenarios::Results& results) {
  std::map<std::uint32_t, std::uint64_t> all;
  std::uint64_t sum = 0;
  for (const LatencyBySize& job : results.packet_latency_by_size) {
    for (const SizedLatency& size : job) {
      all[size.size_class] += size.latency.count();
      sum += size.latency.count();
    }
  }
  EXPECT_EQ(sum, results.packet_latency.count());
  return all;
}

std::map<std::uint32_t, std::uint64_t> counts(const std::string& network,
                                              const std::string& messages) {
  const MessageRun run = packet_run(experiment_of_text(
      "name: t\n"
      "racks: {count: 2, servers: 2, server: host-400g}\n" +
      network + "jobs: [{name: m, type: messages, list: [" + messages + "]}]\n"));
  EXPECT_EQ(run.results.outcome, scenarios::Outcome::kFinished);
  return counts(run.results);
}

// As many packets of each class as if the messages of the class were alone, whatever carries them:
// messages share queue pairs, packets overtake each other, wait for repairs, or carry telemetry.
TEST(PacketLatency, IsToldApartByTheSizeOfTheMessage) {
  const std::string fabric = "fabric: {topology: leaf-spine, spines: 2, load_balancing: spray}\n";
  const std::string one_path = "fabric: {topology: leaf-spine, spines: 2}\n";
  const std::string credits =
      "fabric: {topology: leaf-spine, spines: 2, flow_control: {type: credit}, ecn: none}\n";
  const std::string roce = "transport: {type: roce, receiver: any-order}\n";
  for (const std::string& network :
       {fabric + roce, credits + roce, one_path + "transport: {type: tcp}\n",
        one_path + "transport: {type: datagram}\n",
        one_path + "transport: {type: roce, congestion_control: hpcc}\n"}) {
    const std::string tiny = "{from: 0, to: 2, size: 100B}, {from: 0, to: 2, size: 4KiB}";
    const std::string middle = "{from: 0, to: 2, size: 70000B}, {from: 1, to: 3, size: 1MiB}";
    const std::string large = "{from: 0, to: 2, size: 1048577B}, {from: 1, to: 0, size: 2MiB}";
    const auto together = counts(network, fmt::format("{}, {}, {}, {}", tiny, middle, large, tiny));
    std::map<std::uint32_t, std::uint64_t> apart = counts(network, fmt::format("{0}, {0}", tiny));
    apart.merge(counts(network, middle));
    apart.merge(counts(network, large));
    EXPECT_EQ(together, apart) << network;
    EXPECT_EQ(together.size(), 3U) << network;
  }
}

// Packets that scale-up switches made are of the size of what they were made from.
TEST(PacketLatency, OfSumsAndCopiesIsOfTheSizeOfTheMessages) {
  for (const char* size : {"64KiB", "1MiB", "16MiB"}) {
    const MessageRun run = packet_run(experiment_of_text(
        "name: t\n"
        "racks: {count: 1, servers: 1, server: hgx-h100}\n"
        "fabric: {topology: leaf-spine, spines: 1, switch: quantum-2}\n" +
        fmt::format("jobs: [{{name: a, type: all-reduce, algorithm: nvls, size: {}}}]\n", size)));
    std::set<std::uint32_t> wanted;
    for (const scenarios::MessageResult& m : run.messages) wanted.insert(size_class_of(m.bytes));
    std::set<std::uint32_t> found;
    for (const auto& [size_class, packets] : counts(run.results)) found.insert(size_class);
    EXPECT_EQ(found, wanted) << size;
  }
}

// Errors of links corrupt one frame in a hundred, and packets are sent again one by one or from the
// one that is missing on.
TEST(PacketLatency, OfWhatIsSentAgainIsOfTheSizeOfItsMessage) {
  for (const char* repair : {"go-back-n", "selective-repeat"}) {
    const MessageRun run = packet_run(
        experiment_of_text("name: t\n"
                           "racks: {count: 2, servers: 2, server: host-400g}\n"
                           "links: {uplink: {frame_loss_rate: 0.01}}\n"
                           "fabric: {topology: leaf-spine, spines: 1}\n" +
                           fmt::format("transport: {{type: roce, recovery: {}}}\n", repair) +
                           "jobs: [{name: m, type: messages, list: [{from: 0, to: 2, size: 1MiB}, "
                           "{from: 0, to: 2, size: 4MiB}, {from: 0, to: 2, size: 1MiB}]}]\n"));
    ASSERT_GT(run.results.totals.packets_retransmitted, 0U) << repair;
    const auto found = counts(run.results);
    ASSERT_EQ(found.size(), 2U) << repair;
    EXPECT_GE(found.at(2), 512U) << repair;
    EXPECT_GE(found.at(3), 1024U) << repair;
  }
}

}  // namespace
}  // namespace weft::testing
