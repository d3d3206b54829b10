// A packet holds the time of its sending modulo 1.1 s. However long it is under way, its latency is
// what it took.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

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

TEST(PacketLatency, DoesNotWrap) {
  for (const char* latency : {"100ms", "260ms", "280ms", "700ms", "1s"}) {
    const MessageRun run = run_over(latency, "{from: 0, to: 2, size: 1KB}");
    ASSERT_EQ(run.results.packet_latency.count(), 1U) << latency;
    const scenarios::MessageResult& m = run.messages.at(0);
    EXPECT_NEAR(static_cast<double>(run.results.packet_latency.max()),
                static_cast<double>((m.delivered - m.start).count()), 256)
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

}  // namespace
}  // namespace weft::testing
