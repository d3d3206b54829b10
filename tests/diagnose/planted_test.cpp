#include <gtest/gtest.h>

#include "tests/diagnose/planted.hpp"

namespace weft::diagnose {
namespace {

using planted::Hit;

// In packets, with what the search does not know: another seed, cables, a common factor of 5 %, and
// noise of 2 %. More of them: planted_full_test.cpp.
TEST(Planted, CulpritsAreNamedFirst) {
  planted::Tally tally;
  // One of each kind whose packets are few, in the order of planted::kinds().
  for (const std::uint32_t number : {0U, 1U, 4U, 5U, 6U, 8U, 9U, 11U}) {
    planted::run_case(number, false, tally);
  }
  RecordProperty("tally", tally.text());
  EXPECT_GE(tally.count(Hit::kFirst), tally.visible() * 9 / 10) << tally.text();
  EXPECT_GE(tally.visible(), 7) << tally.text();
}

TEST(Planted, HealthyClustersHaveNoCulprit) {
  planted::Tally tally;
  for (std::uint32_t number = 0; number < 5; ++number) planted::run_case(number, true, tally);
  EXPECT_EQ(tally.false_culprits, 0) << tally.text();
}

TEST(Planted, TwoFaultsAtOnceAreExplainedByNothing) {
  planted::Cluster cluster{.servers = 4, .gpus = 2, .leaves = 1, .spines = 2, .links = 4};
  planted::Laboratory laboratory(cluster, 3);
  const planted::Fault fault{
      .kind = "two",
      .changes = {"faults=[{type: link-rate, from: gpu0, rate: 120Gbps}, {type: link-rate, from: "
                  "gpu5, rate: 160Gbps}]"}};
  const auto measured = laboratory.measure(fault);
  auto healthy = Simulator::of_text(cluster.text(), "planted.yaml", {}, Twin::kHealthy);
  const auto found = diagnose(healthy.value(), measured, nullptr, {.confirms_by_packets = false});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found.value().nothing_explains_it) << to_text(found.value());
  EXPECT_TRUE(found.value().culprits.empty()) << to_text(found.value());
}

}  // namespace
}  // namespace weft::diagnose
