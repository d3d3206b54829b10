// PCIe links of servers without GPUs, and bonds of two ports. Latencies of 500 ns per cable, and
// 300 ns in the receiving NIC. A full packet has 4,178 bytes: 334.24 ns at 100 Gbps, 167.12 ns at
// 200 Gbps. 1 MiB are 256 packets.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "tests/engines/invariants.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

constexpr std::int64_t kOfMebibyte = 256;
constexpr Picoseconds kLink100 = Picoseconds(334'240);
constexpr Picoseconds kLink200 = Picoseconds(167'120);

std::string text_of_servers(const std::string& server, const std::string& fabric,
                            const std::string& jobs, const std::string& transport = "",
                            std::uint64_t seed = 1) {
  return fmt::format(
      "name: server-links\nseed: {}\n"
      "racks: {{count: 2, servers: 2, server: {{nics: 1, {}}}}}\n"
      "links: {{access: {{latency: 500ns}}, uplink: {{rate: 400Gbps, latency: 500ns}}}}\n"
      "fabric: {{topology: leaf-spine, spines: 1, switch: ideal, flow_control: none, ecn: "
      "none{}}}\n"
      "transport: {{type: roce, congestion_control: none{}}}\njobs: {}\n",
      seed, server, fabric, transport, jobs);
}

std::string messages_between(const std::vector<std::pair<int, int>>& pairs) {
  std::string list;
  for (const auto& [from, to] : pairs) {
    list += fmt::format("{}{{from: {}, to: {}, size: 1MiB}}", list.empty() ? "" : ", ", from, to);
  }
  return "[{name: m, type: messages, list: [" + list + "]}]";
}

Picoseconds last_of(const MessageRun& run) {
  Picoseconds last;
  for (const auto& m : run.messages) last = std::max(last, *m.delivered);
  return last;
}

// The hosts are under one leaf: PCIe, NIC and leaf there, NIC and PCIe here. Each but the first
// stores the last packet.
TEST(PcieOfServers, HoldsInBothDirections) {
  const scenarios::Experiment e = experiment_of_text(
      text_of_servers("nic: {rate: 200Gbps}, host_link: {rate: 100Gbps, latency: 400ns}", "",
                      messages_between({{0, 1}})));
  const MessageRun run = packet_run(e);
  EXPECT_EQ(last_of(run),
            kOfMebibyte * kLink100 + 2 * kLink200 + kLink100 + 2 * 500_ns + 300_ns + 2 * 400_ns);
  EXPECT_EQ(*run.messages.front().completed, run.messages.front().ideal);
  check_both_engines(e);
}

// Two senders to one: its PCIe link carries both, one way. Two that exchange: each way has its own.
TEST(PcieOfServers, IsSharedByWhatGoesOneWay) {
  const std::string server = "nic: {rate: 200Gbps}, host_link: {rate: 100Gbps}";
  const Picoseconds alone = last_of(
      packet_run(experiment_of_text(text_of_servers(server, "", messages_between({{0, 1}})))));
  const Picoseconds together = last_of(packet_run(
      experiment_of_text(text_of_servers(server, "", messages_between({{0, 1}, {2, 1}})))));
  const Picoseconds exchanged = last_of(packet_run(
      experiment_of_text(text_of_servers(server, "", messages_between({{0, 1}, {1, 0}})))));
  EXPECT_EQ(together - alone, kOfMebibyte * kLink100);
  EXPECT_LT(exchanged - alone, 10 * kLink100) << "ACKs take some of the link";
}

// Two ports of 100 Gbps behind one PCIe link of 100 Gbps: whatever ports two messages leave by,
// they have the rate of one. The last packet crosses PCIe last.
TEST(PcieOfServers, IsSharedByThePortsOfANic) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const scenarios::Experiment e = experiment_of_text(text_of_servers(
        "nic: {rate: 100Gbps, ports: 2}, host_link: {rate: 100Gbps}", ", leaves: 2",
        messages_between({{0, 1}, {0, 1}}), ", queue_pairs: 2, split_messages: true", seed));
    const MessageRun run = packet_run(e);
    EXPECT_GE(last_of(run), 2 * kOfMebibyte * kLink100 + 3 * kLink100 + 2 * 500_ns + 300_ns);
    EXPECT_LE(last_of(run), 2 * kOfMebibyte * kLink100 + 5 * kLink100 + 2 * 500_ns + 300_ns);
  }
}

/// The ports of host 0 by which the first two queue pairs to host 1 leave.
bool takes_both_ports(const scenarios::Experiment& e) {
  const std::uint32_t label = e.workload.connections().front().flow_label;
  const auto port = [&](std::uint32_t i) {
    const std::uint32_t entropy = flow_entropy(HostId(0U), HostId(1U), queue_pair_number(label, i));
    return flow_path(e.fabric, e.routes, e.scenario.seed, HostId(0U), HostId(1U), entropy).front();
  };
  return port(0) != port(1);
}

// A bond of 2 x 100 Gbps over a pair of leaves. One queue pair has one port. Two that hash to both
// ports have both, and half the time; two that hash to one have that.
TEST(Bonds, GiveEachQueuePairOnePort) {
  int both = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const auto experiment = [&](const char* transport) {
      return experiment_of_text(text_of_servers("nic: {rate: 100Gbps, ports: 2}", ", leaves: 2",
                                                messages_between({{0, 1}}), transport, seed));
    };
    const Picoseconds rest = kLink100 + 2 * 500_ns + 300_ns;
    EXPECT_EQ(last_of(packet_run(experiment(""))), kOfMebibyte * kLink100 + rest);
    const scenarios::Experiment split = experiment(", queue_pairs: 2, split_messages: true");
    const bool has_both = takes_both_ports(split);
    const std::int64_t packets = has_both ? kOfMebibyte / 2 : kOfMebibyte;
    EXPECT_EQ(last_of(packet_run(split)), packets * kLink100 + rest) << seed;
    both += has_both ? 1 : 0;
  }
  EXPECT_GE(both, 4);
  EXPECT_LE(both, 12) << "a half of all hashes";
}

// Where a leaf of the pair fails, its queue pairs go by the other port.
TEST(Bonds, OutliveAPort) {
  const std::string text =
      text_of_servers("nic: {rate: 100Gbps, ports: 2}", ", leaves: 2, convergence: 10us",
                      messages_between({{0, 2}}),
                      ", queue_pairs: 2, split_messages: true, retransmit_timeout: "
                      "50us") +
      "faults: [{type: switch-down, switch: leaf0, at: 20us}]\n";
  const MessageRun run = packet_run(experiment_of_text(text));
  EXPECT_EQ(run.results.outcome, scenarios::Outcome::kFinished);
  EXPECT_EQ(run.messages.size(), 1U);
}

}  // namespace
}  // namespace weft::testing
