// Reads by packets. Two hosts on one switch, links of 100 Gbps and 500 ns, NICs that hand on what
// they receive after 300 ns. A request has 16 bytes behind the 82 of every packet (preamble, gap
// and headers of RoCE), 98 in all: 7.84 ns on a link. A full packet has 4,178: 334.24 ns. A request
// has an ACK as all messages have, of 86 bytes, which leaves before the data: 6.88 ns. The ideal
// time is that of messages that do not meet.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "tests/engines/invariants.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kReadPackets = 256;  // 1 MiB

std::string text_of_reads(const std::string& jobs, const std::string& transport = "{type: roce}") {
  return fmt::format(
      "name: reads\n"
      "racks: {{count: 1, servers: 4, server: {{nics: 1, nic: {{rate: 100Gbps}}}}}}\n"
      "links: {{access: {{rate: 100Gbps, latency: 500ns}}, uplink: {{rate: 100Gbps, latency: "
      "500ns}}}}\n"
      "fabric: {{topology: leaf-spine, spines: 1, switch: ideal, flow_control: none, ecn: none}}\n"
      "transport: {}\njobs: {}\n",
      transport, jobs);
}

std::string message_by(const char* verb) {
  return fmt::format(
      "[{{name: m, type: messages, operation: {}, list: [{{from: 0, to: 1, size: 1MiB}}]}}]", verb);
}

// Store and forward: what is left of the message on the first link, and its last packet on the
// second one.
TEST(ReadsByPackets, TakeARequestBeforeTheData) {
  const Picoseconds request = 2 * 500_ns + 300_ns + 2 * Picoseconds(7'840);
  const Picoseconds data = 2 * 500_ns + 300_ns + (kReadPackets + 1) * Picoseconds(334'240);
  const scenarios::Results r =
      scenarios::simulate(experiment_of_text(text_of_reads(message_by("read"))));
  EXPECT_EQ(r.jobs[0].ideal, request + data);
  EXPECT_EQ(r.jobs[0].jct, request + data + Picoseconds(6'880));
}

TEST(ReadsByPackets, SendsAreWritesToTheBit) {
  const auto run = [](const char* verb) {
    return scenarios::simulate(experiment_of_text(text_of_reads(message_by(verb)))).digest();
  };
  EXPECT_EQ(run("send"), run("write"));
  EXPECT_NE(run("read"), run("write"));
}

// Each with the laws that hold for every run, by packets and by fair shares.
TEST(ReadsByPackets, GoByEveryReliableTransportAndEngine) {
  for (const char* type :
       {"permutation, size: 100KB, pairs: shift", "incast, size: 100KB, rounds: 2",
        "permutation, size: 100KB", "open-loop, size: 10KB, load: 0.3, stop: 30us",
        "messages, list: [{from: 0, to: 1, size: 50KB}, {from: 2, to: 1, size: 1KB}]"}) {
    for (const char* transport : {"{type: roce, queue_pairs: 3}", "{type: uec}"}) {
      SCOPED_TRACE(fmt::format("{} by {}", type, transport));
      const scenarios::Experiment e = experiment_of_text(
          text_of_reads(fmt::format("[{{name: m, operation: read, type: {}}}]", type), transport));
      check_both_engines(e);
      EXPECT_EQ(std::ssize(packet_run(e).messages), message_count(e));
    }
  }
}

// PXN forwards requests to the rail of who has the data, and the data to that of who reads: two
// messages each, in chunks.
TEST(ReadsByPackets, AreForwardedFromRailToRail) {
  scenarios::Experiment e = experiment_of_text(
      "name: pxn\n"
      "racks: {count: 1, servers: 2, server: hgx-h100}\n"
      "fabric: {topology: rail-optimised, group: 2, spines: 2}\n"
      "pxn: true\n"
      "transport: {type: roce, congestion_control: none}\n"
      "jobs: [{name: m, operation: read, type: messages, list: [{from: 0, to: 9, size: 300KiB}, "
      "{from: 9, to: 0, size: 1MiB}]}]\n");
  std::int64_t messages = 0;
  collectives::for_each_transfer(e.workload, 0,
                                 [&](ConnectionId, Bytes, std::int64_t n) { messages += n; });
  EXPECT_EQ(messages, 2 * (1 + 3) + 2 * (1 + 8)) << "chunks of 128 KiB, on both legs";
  e.scenario.observe.blame = true;
  const scenarios::Results r = scenarios::simulate(e);
  EXPECT_TRUE(r.jobs[0].is_finished);
  Picoseconds blamed;
  for (const auto& row : r.blame) blamed += row.time;
  EXPECT_EQ(blamed, r.jobs[0].jct);
}

std::string refusal_of_read(const std::string& transport, const char* verb) {
  const auto loaded =
      scenarios::load_scenario_text(text_of_reads(message_by(verb), transport), "test.yaml");
  if (!loaded.ok()) return loaded.errors().front().to_string();
  const auto built = scenarios::build_experiment(loaded.value().scenario);
  return built.ok() ? std::string() : built.errors().front().to_string();
}

TEST(ReadsByPackets, AreRefusedWhereThereIsNoRead) {
  EXPECT_THAT(refusal_of_read("{type: tcp}", "read"), HasSubstr("tcp has no RDMA operations"));
  EXPECT_THAT(refusal_of_read("{type: tcp}", "send"), HasSubstr("tcp has no RDMA operations"));
  EXPECT_THAT(refusal_of_read("{type: datagram}", "read"), HasSubstr("datagrams have no READ"));
  EXPECT_EQ(refusal_of_read("{type: datagram}", "send"), "");
  EXPECT_EQ(refusal_of_read("{type: tcp}", "write"), "");
}

}  // namespace
}  // namespace weft::testing
