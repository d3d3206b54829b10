// The largest size alone beyond its band: noise, or a finding where runs agree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/diagnose/diagnosis.hpp"

namespace weft::diagnose {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLoneCluster =
    "name: four\n"
    "racks: {count: 2, servers: 2, server: hgx-h100}\n"
    "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 8, load_balancing: spray}\n"
    "jobs: [{name: ar, type: all-reduce, size: 64MiB}]\n";

/// An operation of all ranks: by size in MiB its time over what is expected.
struct OneRun {
  collectives::Operation operation = collectives::Operation::kAllReduce;
  std::vector<std::pair<int, double>> slower;
};

Diagnosis of_runs(const std::vector<OneRun>& curves) {
  auto healthy = Simulator::of_text(kLoneCluster, "four.yaml", {}, Twin::kHealthy);
  evidence::Measurements measured;
  for (const OneRun& curve : curves) {
    evidence::Series series{
        .operation = name_of(curve.operation), .type = "float", .on = {.ranks = 32}};
    Call call{.operation = curve.operation};
    for (std::uint32_t host = 0; host < 32; ++host) call.hosts.push_back(host);
    for (const auto& [size, slower] : curve.slower) {
      call.size = Bytes(std::int64_t{size} << 20U);
      const double expected = healthy.value().run(call).value().time_us;
      series.times.push_back({.bytes = call.size.count(), .time_us = slower * expected});
    }
    measured.series.push_back(std::move(series));
  }
  return diagnose(healthy.value(), measured, nullptr, {.confirms_by_packets = false}).value();
}

// The band of 4 to 64 MiB is 30 %: 1.9 is far beyond twice of it.
const OneRun kFar{.slower = {{4, 1.0}, {8, 1.0}, {16, 1.9}}};
const OneRun kWell{.slower = {{4, 1.0}, {8, 1.0}, {16, 1.0}}};

TEST(Lone, OneRunIsNoFindingAndTheNoteNamesTheCommand) {
  const Diagnosis d = of_runs({kFar});
  EXPECT_EQ(d.verdict, Verdict::kAsExpected) << to_text(d);
  EXPECT_EQ(d.compared.back().verdict, Verdict::kAlone);
  ASSERT_EQ(d.notes.size(), 1U);
  EXPECT_THAT(d.notes.front(), HasSubstr("`all_reduce_perf -b 16M -e 16M -n 100`"));
  EXPECT_THAT(d.next_measurement, HasSubstr("run `all_reduce_perf -b 16M -e 16M -n 100` on the "
                                            "same servers, and hand over its log"));
  const auto json = to_json(d);
  EXPECT_EQ(json["next_commands"][0]["command"], "all_reduce_perf -b 16M -e 16M -n 100");
}

TEST(Lone, ARepeatedRunThatAgreesMakesItAFinding) {
  // What the command of the note measures: that size alone.
  const Diagnosis d = of_runs({kFar, {.slower = {{16, 1.8}}}});
  EXPECT_EQ(d.verdict, Verdict::kSlower) << to_text(d);
  ASSERT_EQ(d.anomalies.size(), 2U) << to_text(d);
  EXPECT_THAT(d.anomalies.front(),
              HasSubstr("16777216 bytes, the largest size alone, take 1.90 times as long"));
  EXPECT_THAT(d.anomalies.front(), HasSubstr("all-reduce of 32 ranks, run 2 agrees"));
  EXPECT_EQ(d.compared[2].verdict, Verdict::kSlower);
  EXPECT_EQ(d.compared[3].verdict, Verdict::kSlower);
}

TEST(Lone, ARepeatedRunThatIsWellLeavesItNoise) {
  const Diagnosis d = of_runs({kFar, kWell});
  EXPECT_EQ(d.verdict, Verdict::kAsExpected) << to_text(d);
  // Nor do others make it one then.
  const Diagnosis three =
      of_runs({kFar, kWell, {collectives::Operation::kAllGather, {{4, 1.0}, {8, 1.0}, {16, 2.6}}}});
  EXPECT_EQ(three.compared[2].verdict, Verdict::kAlone) << to_text(three);
}

TEST(Lone, AnotherOperationThatAgreesMakesItAFinding) {
  const Diagnosis d =
      of_runs({kFar, {collectives::Operation::kAllGather, {{4, 1.0}, {8, 1.0}, {16, 1.7}}}});
  EXPECT_EQ(d.verdict, Verdict::kSlower) << to_text(d);
  EXPECT_THAT(d.anomalies.front(), HasSubstr("all-gather of 32 ranks agrees"));
}

TEST(Lone, BarelyBeyondTheBandIsNoFindingHoweverManyAgree) {
  const OneRun near{.slower = {{4, 1.0}, {8, 1.0}, {16, 1.45}}};
  const Diagnosis d = of_runs({near, near, near});
  EXPECT_EQ(d.verdict, Verdict::kAsExpected) << to_text(d);
  EXPECT_EQ(d.notes.size(), 3U);
}

}  // namespace
}  // namespace weft::diagnose
