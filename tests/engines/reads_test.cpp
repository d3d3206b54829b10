// Reads by packets. Two hosts on one switch, links of 100 Gbps and 500 ns. A request has 16 bytes
// behind the 82 of every packet (preamble, gap and headers of RoCE), 98 in all: 7.84 ns on a link.
// A full packet has 4,178: 334.24 ns.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kPackets = 256;  // 1 MiB

std::string text_of_reads(const std::string& jobs, const std::string& transport = "{type: roce}",
                          const char* more = "") {
  return fmt::format(
      "name: reads\n"
      "racks: {{count: 1, servers: 4, server: {{nics: 1, nic: {{rate: 100Gbps}}}}}}\n"
      "links: {{access: {{rate: 100Gbps, latency: 500ns}}, uplink: {{rate: 100Gbps, latency: "
      "500ns}}}}\n"
      "fabric: {{topology: leaf-spine, spines: 1, switch: ideal, flow_control: none, ecn: none}}\n"
      "transport: {}\njobs: {}\n{}",
      transport, jobs, more);
}

std::string message_by(const char* verb) {
  return fmt::format(
      "[{{name: m, type: messages, operation: {}, list: [{{from: 0, to: 1, size: 1MiB}}]}}]", verb);
}

Picoseconds run_reads(const std::string& text) {
  const scenarios::Results r = scenarios::simulate(experiment_of_text(text));
  EXPECT_EQ(r.jobs[0].jct, r.jobs[0].ideal);
  return r.jobs[0].jct;
}

// Store and forward: what is left of the message on the first link, and its last packet on the
// second one.
TEST(ReadsByPackets, TakeARequestBeforeTheData) {
  const Picoseconds request = 2 * 500_ns + 2 * Picoseconds(7'840);
  const Picoseconds data = 2 * 500_ns + (kPackets + 1) * Picoseconds(334'240);
  EXPECT_EQ(run_reads(text_of_reads(message_by("read"))), request + data);
}

TEST(ReadsByPackets, SendsAreWritesToTheBit) {
  const auto run = [](const char* verb) {
    return scenarios::simulate(experiment_of_text(text_of_reads(message_by(verb)))).digest();
  };
  EXPECT_EQ(run("send"), run("write"));
  EXPECT_NE(run("read"), run("write"));
}

TEST(ReadsByPackets, GoByEveryReliableTransportAndEngine) {
  for (const char* type :
       {"permutation, size: 100KB, pairs: shift", "incast, size: 100KB, rounds: 2",
        "permutation, size: 100KB", "open-loop, size: 10KB, load: 0.3, stop: 30us",
        "messages, list: [{from: 0, to: 1, size: 50KB}, {from: 2, to: 1, size: 1KB, after: 0}]"}) {
    for (const char* transport : {"{type: roce, queue_pairs: 3}", "{type: uec}"}) {
      for (const char* engine : {"", "run: {engine: fluid}\n", "run: {threads: 2}\n"}) {
        const scenarios::Experiment e = experiment_of_text(text_of_reads(
            fmt::format("[{{name: m, operation: read, type: {}}}]", type), transport, engine));
        const scenarios::Results r = scenarios::simulate(e);
        EXPECT_TRUE(r.jobs[0].is_finished) << type << transport << engine;
        EXPECT_GE(r.jobs[0].jct, r.jobs[0].ideal) << type << transport << engine;
      }
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
  collectives::for_each_transfer(
      e.workload, 0, [&](ConnectionId, Bytes, std::int64_t n) { messages += n; });
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
