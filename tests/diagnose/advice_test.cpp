// What the answer says beside the verdict: one culprit per place with its link tests, rows that are
// not counted, bands that rest on an assumption, and the commands that come next.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/diagnose/diagnosis.hpp"

namespace weft::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::string balanced_text(const std::string& balancing) {
  return "name: four\n"
         "racks: {count: 2, servers: 2, server: hgx-h100}\n"
         "fabric:\n"
         "  topology: leaf-spine\n"
         "  spines: 2\n"
         "  links_per_pair: 8\n"
         "  load_balancing: " +
         balancing + "\njobs: [{name: ar, type: all-reduce, size: 64MiB}]\n";
}

Simulator balanced(const std::string& balancing = "spray",
                   const std::vector<std::string>& overrides = {}) {
  return Simulator::of_text(balanced_text(balancing), "four.yaml", overrides, Twin::kHealthy)
      .value();
}

/// perftest on a NIC of two servers, Gb/s.
evidence::PairSeries link(const std::string& from, const std::string& to, const std::string& nic,
                          double gigabits) {
  return {.operation = "write-bw",
          .bytes = 65'536,
          .nic = nic,
          .values = {{.from = from, .to = to, .gigabytes_per_second = gigabits / 8}}};
}

/// An all-reduce of all ranks, by size its time over what is expected.
Diagnosis with_times(Simulator& healthy, const std::vector<std::pair<int, double>>& mebibytes,
                     const std::vector<evidence::Counter>& counters = {}) {
  evidence::Series series{.operation = "all-reduce", .type = "float", .on = {.ranks = 32}};
  Call call{};
  for (std::uint32_t host = 0; host < 32; ++host) call.hosts.push_back(host);
  for (const auto& [size, slower] : mebibytes) {
    call.size = Bytes(std::int64_t{size} << 20U);
    series.times.push_back(
        {.bytes = call.size.count(), .time_us = slower * healthy.run(call).value().time_us});
  }
  evidence::Measurements measured;
  measured.series.push_back(std::move(series));
  measured.counters = counters;
  return diagnose(healthy, measured, nullptr, {.confirms_by_packets = false}).value();
}

Diagnosis with_links(const std::vector<evidence::PairSeries>& links) {
  Simulator healthy = balanced();
  evidence::Measurements measured;
  measured.pairs = links;
  return diagnose(healthy, measured, nullptr, {.confirms_by_packets = false}).value();
}

TEST(Advice, LinkTestsOfOneNicAreOneCulpritWithItsEvidence) {
  const Diagnosis d = with_links(
      {link("server0", "server1", "mlx5_0", 392), link("server0", "server1", "mlx5_1", 119.8),
       link("server1", "server0", "mlx5_1", 117.6), link("server0", "server2", "mlx5_1", 115.4),
       link("server1", "server2", "mlx5_1", 393.7)});
  ASSERT_EQ(d.culprits.size(), 1U) << to_text(d);
  EXPECT_TRUE(d.undecided.empty()) << to_text(d);
  EXPECT_EQ(d.culprits.front().kind, "slow-nic");
  EXPECT_THAT(d.culprits.front().places, ElementsAre("gpu1"));
  EXPECT_EQ(d.culprits.front().evidence.size(), 3U);
  EXPECT_THAT(to_text(d), HasSubstr("write-bw from gpu1 to gpu9 finds 119.8 of 400 Gb/s"));
  const auto json = to_json(d);
  EXPECT_EQ(json["culprits"].size(), 1U);
  EXPECT_EQ(json["culprits"][0]["evidence"].size(), 3U);
}

// Two NICs are slow: each has its own finding.
TEST(Advice, TwoSlowNicsAreTwoFindings) {
  const Diagnosis d = with_links(
      {link("server0", "server1", "mlx5_1", 119.8), link("server1", "server2", "mlx5_1", 392),
       link("server2", "server3", "mlx5_5", 200.5), link("server3", "server1", "mlx5_5", 392)});
  std::vector<std::string> places;
  for (const auto* causes : {&d.culprits, &d.undecided}) {
    for (const Culprit& c : *causes) {
      if (c.kind == "slow-nic") places.insert(places.end(), c.places.begin(), c.places.end());
    }
  }
  EXPECT_THAT(places, testing::IsSupersetOf({"gpu1", "gpu21"})) << to_text(d);
}

/// All pairs of four servers, in both directions; `slow` says at which part of `usual` each is.
evidence::PairSeries matrix(evidence::PairSeries series, double usual,
                            const std::function<double(int, int)>& slow) {
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      if (a == b) continue;
      series.values.push_back({.from = "server" + std::to_string(a),
                               .to = "server" + std::to_string(b),
                               .gigabytes_per_second = usual * slow(a, b)});
    }
  }
  return series;
}

// Of four NICs of a rail two are slow: most pairs are, and one is well, so that it is not all NICs.
TEST(Advice, TwoSlowNicsOfOneRailAreNotAllNics) {
  const Diagnosis d =
      with_links({matrix({.operation = "write-bw", .rail = 3}, 49, [](int a, int b) {
        return a == 0 || b == 0 || a == 3 || b == 3 ? 0.5 : 1.0;
      })});
  EXPECT_TRUE(d.nothing_explains_it) << to_text(d);
  EXPECT_TRUE(d.culprits.empty()) << to_text(d);
}

// One server explains three of the five slow pairs, and the other two have nothing to do with it.
TEST(Advice, PairsThatAreSlowBesideACulpritAreNotPassedOver) {
  const Diagnosis d =
      with_links({matrix({.operation = "all-reduce", .bytes = 64 << 20}, 320, [](int a, int b) {
        if (a == 0 || b == 0) return 0.42;
        return a == 2 || b == 2 ? 0.5 : 1.0;
      })});
  EXPECT_TRUE(d.nothing_explains_it) << to_text(d);
  EXPECT_TRUE(d.culprits.empty()) << to_text(d);
}

TEST(Advice, ALinkTestWithoutServersIsASuspect) {
  const Diagnosis d = with_links({link("", "", "mlx5_1", 119.8)});
  EXPECT_TRUE(d.culprits.empty()) << to_text(d);
  ASSERT_EQ(d.undecided.size(), 1U);
  EXPECT_THAT(d.undecided.front().places, ElementsAre("mlx5_1"));
  EXPECT_THAT(to_text(d), HasSubstr("suspect: slow-nic mlx5_1, at 0.30 of its rate"));
  EXPECT_THAT(to_text(d), Not(HasSubstr("culprit")));
  EXPECT_THAT(d.next_measurement, HasSubstr("ib_write_bw-server0-server3-mlx5_1.txt"));
}

TEST(Advice, ALinkTestWithoutServersIsSlowBesideLinksThatAreWell) {
  const Diagnosis d =
      with_links({link("server0", "server1", "mlx5_0", 392), link("", "", "mlx5_1", 119.8)});
  EXPECT_EQ(d.verdict, Verdict::kSlower) << to_text(d);
  EXPECT_EQ(d.undecided.size(), 1U);
}

TEST(Advice, OneOfTwoNicsIsMeasuredAgainstAThirdServer) {
  const Diagnosis d = with_links({link("server0", "server1", "mlx5_1", 119.8)});
  EXPECT_TRUE(d.culprits.empty()) << to_text(d);
  EXPECT_THAT(to_text(d), Not(HasSubstr("culprit")));
  EXPECT_THAT(d.next_measurement, HasSubstr("against a third server")) << to_text(d);
  EXPECT_THAT(d.next_measurement, HasSubstr("on server2 `ib_write_bw -d mlx5_1`, on server0 "
                                            "`ib_write_bw -d mlx5_1 server2 > "
                                            "ib_write_bw-server0-server2-mlx5_1.txt`"));
}

// A NIC or its server: one other NIC of it tells.
TEST(Advice, ANicOrItsServerAsksForOneOtherNic) {
  const Diagnosis d = with_links({link("server0", "server1", "mlx5_1", 119.8),
                                  link("server0", "server2", "mlx5_1", 115.4),
                                  link("server1", "server2", "mlx5_1", 393.7)});
  ASSERT_EQ(d.undecided.size(), 2U) << to_text(d);
  EXPECT_THAT(d.next_measurement, HasSubstr("ib_write_bw-server0-server1-mlx5_0.txt"));
  EXPECT_THAT(d.next_measurement, Not(HasSubstr("mlx5_2")));
}

TEST(Advice, ACertainServerAsksForEachOfItsNics) {
  Simulator healthy = balanced();
  evidence::PairSeries pairs{.operation = "all-reduce", .bytes = std::int64_t{16} << 20U};
  const auto rate = [](int a, int b) { return a == 2 || b == 2 ? 60.0 : 180.0; };
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) {
      pairs.values.push_back({.from = "server" + std::to_string(a),
                              .to = "server" + std::to_string(b),
                              .gigabytes_per_second = rate(a, b)});
    }
  }
  evidence::Measurements measured;
  measured.pairs.push_back(std::move(pairs));
  const Diagnosis d = diagnose(healthy, measured, nullptr, {.confirms_by_packets = false}).value();
  for (int nic = 0; nic < 8; ++nic) {
    EXPECT_THAT(d.next_measurement,
                HasSubstr("ib_write_bw-server2-server0-mlx5_" + std::to_string(nic) + ".txt"))
        << to_text(d);
  }
}

// Whichever file is read first: both NICs are left.
TEST(Advice, CountersOfTwoNicsLeaveBoth) {
  Simulator healthy = balanced();
  const std::vector<std::pair<int, double>> slow{{8, 1.6}, {16, 1.8}, {32, 1.9}};
  const auto nics_of = [](const Diagnosis& d) {
    const auto nic = std::ranges::find(d.undecided, "slow-nic", &Culprit::kind);
    return nic == d.undecided.end() ? std::vector<std::string>() : nic->places;
  };
  ASSERT_GT(nics_of(with_times(healthy, slow)).size(), 20U);
  const Diagnosis d = with_times(healthy, slow,
                                 {{"server2", "gpu21", "rx_crc_errors_phy", 81234, {}},
                                  {"server1", "gpu11", "rx_crc_errors_phy", 91234, {}}});
  EXPECT_THAT(nics_of(d), UnorderedElementsAre("gpu21", "gpu11")) << to_text(d);
  EXPECT_TRUE(d.culprits.empty());
}

TEST(Advice, ARowIsSlowerOnlyWhereTheVerdictCountsIt) {
  Simulator healthy = balanced();
  const Diagnosis one = with_times(healthy, {{4, 1.0}, {8, 1.5}, {16, 1.0}});
  EXPECT_EQ(one.verdict, Verdict::kAsExpected) << to_text(one);
  EXPECT_EQ(one.compared[1].verdict, Verdict::kAlone);
  ASSERT_EQ(one.notes.size(), 1U);
  EXPECT_THAT(to_text(one), HasSubstr("8388608 bytes take 1.50 times as long as expected (±30 %), "
                                      "and the sizes beside it do not"));
  EXPECT_THAT(to_text(one), Not(HasSubstr("slower\n")));
  EXPECT_EQ(to_json(one)["compared"][1]["verdict"], "beyond its band, not counted");
  EXPECT_EQ(to_json(one)["notes"].size(), 1U);

  const Diagnosis two = with_times(healthy, {{4, 1.0}, {8, 1.5}, {16, 1.5}});
  EXPECT_EQ(two.verdict, Verdict::kSlower) << to_text(two);
  EXPECT_EQ(two.compared[1].verdict, Verdict::kSlower);
  EXPECT_EQ(two.compared[2].verdict, Verdict::kSlower);
  EXPECT_EQ(two.anomalies.size(), 2U);
  EXPECT_TRUE(two.notes.empty());
}

// Pairs that are all a little slow are within what weft may be off, and no row says otherwise.
TEST(Advice, PairsThatAreAllALittleSlowAreNotCounted) {
  const Diagnosis d = with_links(
      {link("server0", "server1", "mlx5_1", 354), link("server1", "server2", "mlx5_2", 354)});
  EXPECT_EQ(d.verdict, Verdict::kAsExpected) << to_text(d);
  for (const ComparedPoint& point : d.compared) EXPECT_NE(point.verdict, Verdict::kSlower);
  EXPECT_TRUE(d.culprits.empty() && d.undecided.empty()) << to_text(d);
}

TEST(Advice, ABandThatRestsOnAssumedLoadBalancingSaysSo) {
  const std::string assumed = "ecmp  # assumed: no file says it";
  const std::vector<std::pair<int, double>> times{{4, 1.45}, {8, 1.45}, {16, 1.45}};
  Simulator healthy = balanced(assumed);
  const Diagnosis d = with_times(healthy, times);
  EXPECT_EQ(d.verdict, Verdict::kAsExpected) << to_text(d);
  EXPECT_THAT(to_text(d), HasSubstr("3 sizes are too slow if the switches spray packets, by up to "
                                    "1.45 times. The band there is ±55 %, and not ±30 %"));
  EXPECT_THAT(to_text(d), HasSubstr("--load-balancing spray"));
  EXPECT_THAT(d.next_measurement, HasSubstr("every pair of the 4 servers"));
  // Nothing is assumed of what a file says or the user sets; within the narrow band nothing hides.
  Simulator said = balanced("ecmp");
  EXPECT_TRUE(with_times(said, times).notes.empty());
  Simulator set = balanced(assumed, {"fabric.load_balancing=ecmp"});
  EXPECT_TRUE(with_times(set, times).notes.empty());
  EXPECT_TRUE(with_times(healthy, {{4, 1.2}, {8, 1.2}}).notes.empty());
}

}  // namespace
}  // namespace weft::diagnose
