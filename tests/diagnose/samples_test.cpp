#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tools/diagnose/diagnosis.hpp"
#include "tools/evidence/forms.hpp"

namespace weft::diagnose {
namespace {

/// The cluster that tests/operators describes.
constexpr const char* kCluster =
    "name: four-servers\n"
    "racks: {count: 2, servers: 2, server: hgx-h100}\n"
    "links: {access: {length: 3m, cable: copper}, uplink: {length: 20m, cable: fibre}}\n"
    "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 8, load_balancing: spray}\n"
    "transport: {receiver: any-order}\n"
    "jobs: [{name: ar, type: all-reduce, size: 64MiB}]\n";

std::string log_of(const std::string& name) {
  return std::string(WEFT_SOURCE_DIR) + "/tests/operators/logs/" + name;
}

evidence::Measurements read(const std::vector<std::string>& names) {
  evidence::Measurements all;
  for (const std::string& name : names) {
    const auto file = import::InputFile::read(log_of(name));
    EXPECT_TRUE(file.ok()) << name;
    if (file.ok()) evidence::read_file(file.value(), nullptr, all);
  }
  EXPECT_FALSE(import::has_errors(all.remarks));
  return all;
}

Simulator cluster(const std::vector<std::string>& overrides = {}) {
  return Simulator::of_text(kCluster, "four.yaml", overrides, Twin::kHealthy).value();
}

constexpr const char* kSlow = "nccl-tests-2.17.8-allreduce-4n-slow.txt";
constexpr const char* kHealthy = "nccl-tests-2.17.8-allreduce-4n-healthy.txt";

const Culprit* find(const std::vector<Culprit>& culprits, const std::string& kind) {
  const auto at = std::ranges::find(culprits, kind, &Culprit::kind);
  return at == culprits.end() ? nullptr : &*at;
}

TEST(Samples, AHealthyLogHasNoCulprit) {
  Simulator healthy = cluster();
  const auto found = diagnose(healthy, read({kHealthy}));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().verdict, Verdict::kAsExpected) << to_text(found.value());
  EXPECT_TRUE(found.value().culprits.empty());
  EXPECT_TRUE(found.value().undecided.empty());
  EXPECT_FALSE(found.value().nothing_explains_it);
}

// One curve cannot tell a NIC at half of its rate from flows that meet two by two.
TEST(Samples, ASlowCurveAloneIsUndecidedAndAsksForPairs) {
  Simulator healthy = cluster();
  const auto found = diagnose(healthy, read({kSlow}));
  ASSERT_TRUE(found.ok());
  const Diagnosis& d = found.value();
  EXPECT_EQ(d.verdict, Verdict::kSlower);
  EXPECT_TRUE(d.culprits.empty()) << to_text(d);
  ASSERT_NE(find(d.undecided, "slow-nic"), nullptr) << to_text(d);
  EXPECT_NE(find(d.undecided, "collisions"), nullptr) << to_text(d);
  // Up to 256 MiB trees load the two inner servers most, and beyond rings load all alike: at one
  // part of its rate a NIC of the inner ones alone explains both.
  const auto& places = find(d.undecided, "slow-nic")->places;
  EXPECT_EQ(places.size(), 16U);
  EXPECT_NE(std::ranges::find(places, "gpu21"), places.end());
  EXPECT_NE(d.next_measurement.find("every pair"), std::string::npos) << to_text(d);
}

// What a file of the cluster shows, such as a slot with half of its lanes, is said by the scenario.
TEST(Samples, WhatTheScenarioSaysIsLookedAtFirst) {
  Simulator healthy = cluster({"faults=[{type: link-rate, from: gpu21, rate: 200Gbps}]"});
  const auto found = diagnose(healthy, read({kSlow}), nullptr, {.confirms_by_packets = false});
  ASSERT_TRUE(found.ok());
  const Diagnosis& d = found.value();
  ASSERT_FALSE(d.undecided.empty()) << to_text(d);
  EXPECT_EQ(d.undecided.front().kind, "slow-nic");
  ASSERT_EQ(d.undecided.front().places.size(), 16U);
  EXPECT_EQ(d.undecided.front().places.front(), "gpu21");
  EXPECT_NE(d.undecided.front().why.find("the scenario says so of gpu21"), std::string::npos);
}

// The levels of these logs are invented: with the healthy one as baseline only ratios count.
TEST(Samples, PairsDecideWhichNicItIs) {
  Simulator healthy = cluster();
  for (const bool has_baseline : {false, true}) {
    const evidence::Measurements before = read({kHealthy});
    const auto found = diagnose(healthy,
                                read({kSlow, "pairs-allreduce.csv", "pairs-rail4-write-bw.csv",
                                      "pairs-rail5-write-bw.csv"}),
                                has_baseline ? &before : nullptr);
    ASSERT_TRUE(found.ok());
    const Diagnosis& d = found.value();
    ASSERT_EQ(d.culprits.size(), 1U) << to_text(d);
    EXPECT_EQ(d.culprits.front().kind, "slow-nic");
    // mlx5_5 of gpu03, the third server.
    EXPECT_EQ(d.culprits.front().places, std::vector<std::string>{"gpu21"});
    EXPECT_EQ(d.culprits.front().whereabouts, std::vector<std::string>{"NIC 5 of server2"});
    EXPECT_NE(to_text(d).find("culprit: slow-nic gpu21 (NIC 5 of server2), at"), std::string::npos);
    EXPECT_EQ(to_json(d)["culprits"][0]["whereabouts"][0], "NIC 5 of server2");
    EXPECT_TRUE(d.undecided.empty()) << to_text(d);
    ASSERT_TRUE(d.culprits.front().value.has_value());
    EXPECT_NEAR(*d.culprits.front().value, 0.5, 0.1) << to_text(d);
    // A row of a pair says whose it is.
    const auto& servers = healthy.places().servers;
    EXPECT_NE(to_text(d).find(servers[0].name + " and " + servers[2].name + ": slower"),
              std::string::npos)
        << to_text(d);
  }
}

// A slow NIC and a slow server look alike on rail 5: only the other rails tell them apart.
TEST(Samples, ARailThatWasMeasuredIsNotAskedForAgain) {
  Simulator healthy = cluster();
  const auto found = diagnose(healthy, read({"pairs-rail5-write-bw.csv"}), nullptr,
                              {.confirms_by_packets = false});
  ASSERT_TRUE(found.ok());
  const Diagnosis& d = found.value();
  ASSERT_NE(find(d.undecided, "slow-server"), nullptr) << to_text(d);
  EXPECT_NE(d.next_measurement.find("-mlx5_0.txt"), std::string::npos) << to_text(d);
  EXPECT_EQ(d.next_measurement.find("-mlx5_5.txt"), std::string::npos) << to_text(d);
  const auto both =
      diagnose(healthy, read({"pairs-rail5-write-bw.csv", "pairs-rail4-write-bw.csv"}), nullptr,
               {.confirms_by_packets = false});
  EXPECT_EQ(both.value().culprits.size(), 1U) << to_text(both.value());
}

// Of hosts that are named after their server, and of servers, nothing more is to be said.
TEST(Samples, TheServerOfANicIsSaidWhereItsNameHidesIt) {
  const Simulator healthy = cluster();
  const Places& places = healthy.places();
  EXPECT_EQ(places.whereabouts("gpu0"), "NIC 0 of server0");
  EXPECT_EQ(places.whereabouts("gpu15"), "NIC 7 of server1");
  EXPECT_EQ(places.whereabouts("server1"), "");
  const auto named = Simulator::of_text(
      "name: two\nracks: {count: 1, servers: 2, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1}\njobs: [{name: ar, type: all-reduce, size: "
      "1MiB}]\n",
      "two.yaml", {}, Twin::kHealthy);
  ASSERT_TRUE(named.ok());
  for (const NicPlace& nic : named.value().places().nics) {
    EXPECT_EQ(named.value().places().whereabouts(nic.name), "") << nic.name;
  }
}

// One run of two NICs does not say which of them it is.
TEST(Samples, PerftestOfOneNicIsAFindingByItself) {
  Simulator healthy = cluster();
  const auto found = diagnose(healthy, read({"ib_write_bw-gpu01-gpu03-mlx5_5.txt"}));
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found.value().culprits.empty()) << to_text(found.value());
  const Culprit* nic = find(found.value().undecided, "slow-nic");
  ASSERT_NE(nic, nullptr) << to_text(found.value());
  EXPECT_EQ(nic->places.size(), 2U);
  EXPECT_NEAR(*nic->value, 203.4 / 400, 0.06);
  EXPECT_EQ(nic->evidence.size(), 1U);
}

// Of all sizes (-a) small messages are far below the rate of any NIC.
TEST(Samples, PerftestOfAllSizesFindsAHealthyNicWell) {
  Simulator healthy = cluster();
  const auto found = diagnose(healthy, read({"ib_write_bw-gpu01-gpu02-mlx5_5-all-sizes.txt"}));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().verdict, Verdict::kAsExpected) << to_text(found.value());
  EXPECT_TRUE(found.value().culprits.empty());
  EXPECT_TRUE(found.value().undecided.empty());
  EXPECT_TRUE(std::ranges::any_of(found.value().remarks, [](const std::string& remark) {
    return remark.find("messages below 64 KiB is not compared") != std::string::npos;
  })) << to_text(found.value());
}

TEST(Samples, EvidenceOfAnotherMachineIsRefused) {
  auto two = Simulator::of_text(
      "name: two\nracks: {count: 1, servers: 2, server: hgx-h100}\n"
      "fabric: {topology: leaf-spine, spines: 1}\njobs: [{name: ar, type: all-reduce, size: "
      "1MiB}]\n",
      "two.yaml", {}, Twin::kHealthy);
  ASSERT_TRUE(two.ok());
  const auto found = diagnose(two.value(), read({kSlow}));
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.errors().front().message.find("another machine"), std::string::npos);

  auto others = Simulator::of_text(
      kCluster, "four.yaml", {"racks={count: 2, servers: 2, server: hgx-b200}"}, Twin::kHealthy);
  ASSERT_TRUE(others.ok());
  const auto gpus = diagnose(others.value(), read({kSlow}));
  ASSERT_FALSE(gpus.ok());
  EXPECT_NE(gpus.errors().front().message.find("Blackwell"), std::string::npos);
}

TEST(Samples, FaultsOfTheScenarioAreLeftOutAndSaid) {
  const std::vector<std::string> fault{"faults=[{type: link-rate, from: gpu21, rate: 200Gbps}]"};
  auto healthy = Simulator::of_text(kCluster, "four.yaml", fault, Twin::kHealthy);
  auto as_found = Simulator::of_text(kCluster, "four.yaml", fault, Twin::kAsFound);
  ASSERT_TRUE(healthy.ok() && as_found.ok());
  EXPECT_EQ(healthy.value().left_out().size(), 1U);
  Call call{.size = 16_MiB};
  for (std::uint32_t host = 0; host < 32; ++host) call.hosts.push_back(host);
  EXPECT_LT(healthy.value().run(call).value().time_us, as_found.value().run(call).value().time_us);
}

TEST(Samples, JsonHasWhatScriptsRead) {
  Simulator healthy = cluster();
  const auto found = diagnose(healthy, read({"ib_write_bw-gpu01-gpu03-mlx5_5.txt"}));
  ASSERT_TRUE(found.ok());
  const auto json = to_json(found.value());
  for (const char* key : {"verdict", "culprits", "undecided", "next_measurement"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"kind", "place", "value", "explained", "confidence"}) {
    EXPECT_TRUE(json["undecided"][0].contains(key)) << key;
  }
}

}  // namespace
}  // namespace weft::diagnose
