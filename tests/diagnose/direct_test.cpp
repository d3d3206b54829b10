// What NCCL's logs say by themselves: of one server among others it is a fault, whatever times say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/diagnose/planted.hpp"

namespace weft::diagnose {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr planted::Cluster kLoggedCluster{
    .servers = 4, .gpus = 2, .leaves = 1, .spines = 2, .links = 4};

/// Two ranks on each of four hosts.
evidence::NcclLog log_of(std::uint32_t from, std::uint32_t to) {
  evidence::NcclLog log{.id = "0x8e5d", .on = {.ranks = 8}};
  for (std::uint32_t s = from; s < to; ++s) {
    const std::string host = fmt::format("server{}", s);
    log.on.hosts.push_back(host);
    for (const std::uint32_t device : {0U, 1U}) log.seen.push_back({2 * s + device, host, device});
    log.networks[host] = {.direct = 8,
                          .nics = {"mlx5_0", "mlx5_1"},
                          .sockets = false,
                          .gpu_direct = true,
                          .worst_path = "PIX"};
  }
  log.nets.push_back({.from = 0, .to = 2});
  log.nodes = to - from;
  return log;
}

Diagnosis diagnosis_of_logs(std::vector<evidence::NcclLog> logs) {
  Simulator healthy =
      Simulator::of_text(kLoggedCluster.text(), "four.yaml", {}, Twin::kHealthy).value();
  evidence::Measurements measured;
  measured.nccl_logs = std::move(logs);
  return diagnose(healthy, measured, nullptr, {.confirms_by_packets = false}).value();
}

TEST(Direct, ServersThatAreAsTheyShouldBeAreNoFinding) {
  const Diagnosis d = diagnosis_of_logs({log_of(0, 4)});
  EXPECT_THAT(d.culprits, IsEmpty()) << to_text(d);
  EXPECT_THAT(d.undecided, IsEmpty());
}

TEST(Direct, OneServerWithoutGpuDirectIsTheCulprit) {
  evidence::NcclLog log = log_of(0, 4);
  log.networks["server2"].direct = 0;
  log.networks["server2"].through = 8;
  log.networks["server2"].gpu_direct = false;
  const Diagnosis d = diagnosis_of_logs({log});
  ASSERT_EQ(d.culprits.size(), 1U) << to_text(d);
  const Culprit& culprit = d.culprits.front();
  EXPECT_EQ(culprit.kind, "gpu-direct-off");
  EXPECT_THAT(culprit.places, ElementsAre("server2"));
  EXPECT_THAT(culprit.why, HasSubstr("NCCL's log of server2 has no GDRDMA"));
  EXPECT_THAT(culprit.evidence,
              ElementsAre(HasSubstr("8 of 8 sends and receives"), HasSubstr("3 other servers")));
  EXPECT_THAT(d.next_measurement, HasSubstr("mend it on server2"));
}

TEST(Direct, WhatAllServersHaveHasNoPlace) {
  evidence::NcclLog log = log_of(0, 4);
  for (auto& [host, network] : log.networks) network.sockets = true;
  const Diagnosis d = diagnosis_of_logs({log});
  ASSERT_EQ(d.culprits.size(), 1U) << to_text(d);
  EXPECT_EQ(d.culprits.front().kind, "sockets");
  EXPECT_THAT(d.culprits.front().places, IsEmpty());
}

TEST(Direct, TwoOfManyAreOneCulpritEach) {
  evidence::NcclLog log = log_of(0, 4);
  for (const char* host : {"server1", "server3"}) log.networks[host].worst_path = "SYS";
  const Diagnosis d = diagnosis_of_logs({log});
  ASSERT_EQ(d.culprits.size(), 2U) << to_text(d);
  for (const Culprit& culprit : d.culprits) EXPECT_EQ(culprit.places.size(), 1U) << to_text(d);
  EXPECT_NE(d.culprits[0].places, d.culprits[1].places);
  EXPECT_THAT(d.next_measurement, HasSubstr("mend it on server1 and server3"));
}

// Three of four: it is not said which is as it should be.
TEST(Direct, MostServersHaveNoPlace) {
  evidence::NcclLog log = log_of(0, 4);
  for (const char* host : {"server0", "server1", "server3"}) log.networks[host].worst_path = "SYS";
  const Diagnosis d = diagnosis_of_logs({log});
  ASSERT_EQ(d.culprits.size(), 1U) << to_text(d);
  EXPECT_THAT(d.culprits.front().places, IsEmpty());
  EXPECT_THAT(d.culprits.front().why, HasSubstr("NCCL's log of server0, server1 and server3"));
}

// NCCL_DEBUG_FILE writes a file for each process.
TEST(Direct, FilesOfOneCommunicatorAreOneRun) {
  evidence::NcclLog first = log_of(0, 2);
  evidence::NcclLog second = log_of(2, 4);
  second.networks["server3"].nics = {"mlx5_0"};
  const Diagnosis d = diagnosis_of_logs({first, second});
  ASSERT_EQ(d.culprits.size(), 1U) << to_text(d);
  EXPECT_EQ(d.culprits.front().kind, "fewer-nics");
  EXPECT_THAT(d.culprits.front().places, ElementsAre("server3"));
  EXPECT_NEAR(*d.culprits.front().value, 0.5, 1e-9);
}

TEST(Direct, AFileOfOneServerAloneNamesIt) {
  evidence::NcclLog log = log_of(1, 2);
  log.networks["server1"].worst_path = "SYS";
  const Diagnosis d = diagnosis_of_logs({log});
  ASSERT_EQ(d.culprits.size(), 1U) << to_text(d);
  EXPECT_EQ(d.culprits.front().kind, "nic-affinity");
  EXPECT_THAT(d.culprits.front().places, ElementsAre("server1"));
  EXPECT_THAT(d.culprits.front().evidence, Not(Contains(HasSubstr("other server"))));
}

}  // namespace
}  // namespace weft::diagnose
