#include <gtest/gtest.h>

#include "tests/diagnose/planted.hpp"

namespace weft::diagnose {
namespace {

using planted::Hit;

// In packets, with what the search does not know: another seed, cables, a common factor of 5 %, and
// noise of 2 %. More of them: planted_full_test.cpp.
TEST(Planted, CulpritsAreNamedFirst) {
  planted::Tally tally;
  // By planted::kinds(): an algorithm, thresholds, loss, a storm, GPU-direct, a straggler, a NIC.
  // Their clusters have three or four servers.
  for (const std::uint32_t number : {9U, 10U, 11U, 18U, 56U, 65U, 72U}) {
    planted::run_case(number, false, tally);
  }
  RecordProperty("tally", tally.text());
  EXPECT_GE(tally.count(Hit::kFirst), tally.visible() * 9 / 10) << tally.text();
  EXPECT_GE(tally.visible(), 6) << tally.text();
}

// With NVLSTree alone, pairs of servers are faster than expected, and a ring of all is slower.
TEST(Planted, AnAlgorithmIsHeldAgainstPairsAsTheyDifferFromEachOther) {
  planted::Tally tally;
  planted::run_case(1281, false, tally);
  EXPECT_EQ(tally.count(Hit::kFirst), 1) << tally.misses;
}

TEST(Planted, HealthyClustersHaveNoCulprit) {
  planted::Tally tally;
  for (std::uint32_t number = 0; number < 5; ++number) planted::run_case(number, true, tally);
  EXPECT_EQ(tally.false_culprits, 0) << tally.text();
}

/// What is found of faults of which none is the catalogue's alone.
void expect_nothing_explains(const planted::Fault& fault, std::uint32_t number) {
  const planted::Cluster cluster{.servers = 4, .gpus = 2, .leaves = 1, .spines = 2, .links = 4};
  planted::Laboratory laboratory(cluster, number);
  const auto measured = laboratory.measure(fault);
  auto healthy = Simulator::of_text(cluster.text(), "planted.yaml", {}, Twin::kHealthy);
  const auto found = diagnose(healthy.value(), measured, nullptr, {.confirms_by_packets = false});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found.value().nothing_explains_it) << to_text(found.value());
  EXPECT_TRUE(found.value().culprits.empty()) << to_text(found.value());
}

TEST(Planted, TwoFaultsAtOnceAreExplainedByNothing) {
  expect_nothing_explains(
      {.kind = "two",
       .changes = {"faults=[{type: link-rate, from: gpu0, rate: 120Gbps}, {type: link-rate, from: "
                   "gpu5, rate: 160Gbps}]"}},
      3);
}

// A slow NIC, and a process that is late for each call.
TEST(Planted, FaultsOfTwoKindsAreExplainedByNothing) {
  expect_nothing_explains({.kind = "two",
                           .changes = {"faults=[{type: link-rate, from: gpu2, rate: 120Gbps}]"},
                           .keys = {"stragglers: [{ranks: ['0'], late: 400us}]"}},
                          4);
}

}  // namespace
}  // namespace weft::diagnose
