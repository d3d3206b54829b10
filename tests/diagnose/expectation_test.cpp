#include "tools/diagnose/expectation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tools/diagnose/model/band.hpp"

namespace weft::diagnose {
namespace {

using ::testing::HasSubstr;

/// Two leaves, two servers under each, two GPUs and NICs in each.
constexpr const char* kSmall =
    "name: small\n"
    "racks: {count: 2, servers: 2, server: {gpus: 2, gpu: h100, nics: 2, nic: connectx-7, "
    "scale_up: "
    "{part: nvswitch-3, switches: 1, links_per_switch: 18}, host_link: pcie-5-x16}}\n"
    "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 2, load_balancing: spray}\n"
    "transport: {receiver: any-order}\n"
    "jobs: [{name: ar, type: all-reduce, size: 1MiB}]\n";

Simulator small(Twin twin = Twin::kHealthy, const std::vector<std::string>& overrides = {}) {
  return Simulator::of_text(kSmall, "small.yaml", overrides, twin).value();
}

ExpectationQuery all_ranks(std::vector<Bytes> sizes) {
  return {.operations = {collectives::Operation::kAllReduce},
          .sizes = std::move(sizes),
          .hosts = {0, 1, 2, 3, 4, 5, 6, 7}};
}

TEST(Places, ComeFromTheFabricAlone) {
  const Simulator simulator = small();
  const Places& places = simulator.places();
  ASSERT_EQ(places.servers.size(), 4U);
  EXPECT_EQ(places.servers[2].name, "server2");
  EXPECT_EQ(places.nics.size(), 8U);
  EXPECT_EQ(places.nics[5].name, "gpu5");
  EXPECT_EQ(places.nics[5].server, 2U);
  EXPECT_FALSE(places.crosses_uplinks(0, 1));
  EXPECT_TRUE(places.crosses_uplinks(0, 2));
  EXPECT_EQ(places.relation(0, 2), places.relation(1, 3));
  EXPECT_EQ(places.nic_of(2, "mlx5_1", {}), 5U);
  EXPECT_EQ(places.nic_of(2, "mlx5_2", {}), std::nullopt);
}

TEST(Places, HostsNamedServerAndNicAreNicsOfTheServer) {
  auto simulator = Simulator::of_text(
      "name: named\nfabric:\n  topology: custom\n  nodes:\n"
      "    - {name: gpu01/mlx5_0, kind: host}\n    - {name: gpu01/mlx5_1, kind: host}\n"
      "    - {name: gpu02/mlx5_0, kind: host}\n    - {name: gpu02/mlx5_1, kind: host}\n"
      "    - {name: leaf01, kind: switch}\n  links:\n"
      "    - {from: gpu01/mlx5_0, to: leaf01, rate: 400Gbps, latency: 500ns}\n"
      "    - {from: gpu01/mlx5_1, to: leaf01, rate: 400Gbps, latency: 500ns}\n"
      "    - {from: gpu02/mlx5_0, to: leaf01, rate: 400Gbps, latency: 500ns}\n"
      "    - {from: gpu02/mlx5_1, to: leaf01, rate: 400Gbps, latency: 500ns}\n"
      "jobs: [{name: ar, type: all-reduce, size: 1MiB}]\n",
      "named.yaml", {}, Twin::kHealthy);
  ASSERT_TRUE(simulator.ok()) << simulator.errors().front().to_string();
  const Places& places = simulator.value().places();
  ASSERT_EQ(places.servers.size(), 2U);
  EXPECT_EQ(places.servers[1].name, "gpu02");
  EXPECT_EQ(places.nics[*places.nic_of(1, "mlx5_1", {})].name, "gpu02/mlx5_1");
}

TEST(Expectation, NamesWhatLimitsEachSize) {
  Simulator simulator = small();
  const auto found = expectation(simulator, all_ranks({1_KiB, 16_MiB}));
  ASSERT_TRUE(found.ok());
  const auto& times = found.value().times;
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NE(times[1].limit.find("NICs ("), std::string::npos) << times[1].limit;
  EXPECT_EQ(times[0].limit.find("NIC"), std::string::npos) << times[0].limit;
  EXPECT_GT(times[0].run.channels, 0U);
  EXPECT_GT(times[0].band, times[1].band);
}

TEST(Expectation, LargeSizesGoOnAsTheLastTwoSimulated) {
  Simulator simulator = small();
  const Bytes highest = Simulator::largest(8);
  const auto found = expectation(simulator, all_ranks({highest / 2, highest, highest * 4}));
  ASSERT_TRUE(found.ok());
  const auto& times = found.value().times;
  EXPECT_FALSE(times[1].run.is_extrapolated);
  ASSERT_TRUE(times[2].run.is_extrapolated);
  const double per_half = times[1].run.time_us - times[0].run.time_us;
  EXPECT_NEAR(times[2].run.time_us, times[1].run.time_us + 6 * per_half, 1);
  EXPECT_GE(times[2].run.bus_bandwidth, times[1].run.bus_bandwidth);
}

/// Four servers of 8 H100 under two leaves.
Simulator four_servers() {
  return Simulator::of_text(
             "name: four\nracks: {count: 2, servers: 2, server: hgx-h100}\n"
             "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 8, load_balancing: spray}\n"
             "transport: {receiver: any-order}\n"
             "jobs: [{name: ar, type: all-reduce, size: 1MiB}]\n",
             "four.yaml", {}, Twin::kHealthy)
      .value();
}

// 64 MiB run by LL128, and 1 GiB by Simple: what stands for 1 GiB runs by Simple as well.
TEST(Expectation, SizesBeyondThoseSimulatedRunAsNcclChoosesForThem) {
  Simulator simulator = four_servers();
  ExpectationQuery query{.operations = {collectives::Operation::kAllGather},
                         .sizes = {64_MiB, Bytes(std::int64_t{1} << 30U)}};
  for (std::uint32_t host = 0; host < 32; ++host) query.hosts.push_back(host);
  const auto found = expectation(simulator, query);
  ASSERT_TRUE(found.ok());
  const auto& first = found.value().times[0].run;
  const auto& large = found.value().times[1].run;
  EXPECT_EQ(first.protocol, "ll128");
  EXPECT_EQ(large.protocol, "simple");
  ASSERT_TRUE(large.is_extrapolated);
  // A NIC sends and gets 31 of 32 parts for the 8 NICs of its server together.
  const double wire_us = 31.0 / 32 * static_cast<double>(std::int64_t{1} << 30U) / (8 * 50e3);
  EXPECT_GT(large.time_us, wire_us);
  EXPECT_LT(large.time_us, 1.08 * wire_us);
}

// What more bytes take is no less than their time on the busiest part, however steep the start was.
TEST(Expectation, NothingIsFasterThanItsBusiestPart) {
  auto opened = Simulator::of_text(
      "name: eight\nracks: {count: 2, servers: 4, server: hgx-h100}\n"
      "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 16, load_balancing: spray}\n"
      "transport: {receiver: any-order}\njobs: [{name: ar, type: all-reduce, size: 1MiB}]\n",
      "eight.yaml", {}, Twin::kHealthy);
  ASSERT_TRUE(opened.ok());
  ExpectationQuery query{.operations = {collectives::Operation::kAllReduce},
                         .sizes = {Bytes(std::int64_t{4} << 30U)}};
  for (std::uint32_t host = 0; host < 64; ++host) query.hosts.push_back(host);
  const auto found = expectation(opened.value(), query);
  ASSERT_TRUE(found.ok());
  const auto& run = found.value().times[0].run;
  ASSERT_TRUE(run.is_extrapolated);
  EXPECT_LE(run.bottleneck_us(), run.time_us);
}

TEST(Expectation, PairsOfFewServersAreASquareAndOfManyGroups) {
  Expectation few{.pair_size = 1_MiB};
  few.pairs = {{"a", "b", 100, 1}, {"a", "c", 50.25, 1}, {"b", "c", 50, 1}};
  EXPECT_THAT(to_text(few), HasSubstr("               a       b       c\n"
                                      "       a       -   100.0    50.2\n"
                                      "       b   100.0       -    50.0\n"
                                      "       c    50.2    50.0       -\n"));
  Expectation many{.pair_size = 1_MiB};
  for (int a = 0; a < 17; ++a) {
    for (int b = a + 1; b < 17; ++b) {
      many.pairs.push_back({fmt::format("s{}", a), fmt::format("s{}", b), b == 16 ? 50.0 : 100, 1});
    }
  }
  EXPECT_THAT(to_text(many), HasSubstr("      50.0  16 pairs, such as s0 and s16\n"
                                       "     100.0  120 pairs, such as s0 and s1\n"));
}

TEST(Expectation, PairsAreSlowerWhereAFaultIsKept) {
  const std::vector<std::string> fault{"faults=[{type: link-rate, from: gpu5, rate: 100Gbps}]"};
  ExpectationQuery query{.servers = {0, 1, 2, 3}, .pair_size = 16_MiB};
  Simulator healthy = small(Twin::kHealthy, fault);
  const auto meant = expectation(healthy, query);
  ASSERT_TRUE(meant.ok());
  ASSERT_EQ(meant.value().pairs.size(), 6U);
  EXPECT_EQ(meant.value().findings.size(), 1U);
  EXPECT_EQ(meant.value().pairs[1].time_us, meant.value().pairs[2].time_us);
  Simulator found = small(Twin::kAsFound, fault);
  const auto pairs = expectation(found, query);
  ASSERT_TRUE(pairs.ok());
  // The third server has the slow NIC: the pairs with it, and no other.
  for (const ExpectedPair& pair : pairs.value().pairs) {
    const bool has_it = pair.from == "server2" || pair.to == "server2";
    EXPECT_EQ(pair.time_us > 1.3 * meant.value().pairs[0].time_us, has_it)
        << pair.from << " " << pair.to;
  }
  const auto is = expectation(found, all_ranks({16_MiB}));
  const auto should = expectation(healthy, all_ranks({16_MiB}));
  ASSERT_TRUE(is.ok() && should.ok());
  EXPECT_GT(is.value().times[0].run.time_us, 1.5 * should.value().times[0].run.time_us);
}

}  // namespace
}  // namespace weft::diagnose
