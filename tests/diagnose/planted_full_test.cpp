#include <gtest/gtest.h>

#include <cstdio>

#include "tests/diagnose/planted.hpp"

namespace weft::diagnose {
namespace {

using planted::Hit;

// The search was set on the cases 100 to 299: these are others.
constexpr std::uint32_t kFirst = 1100;
constexpr std::uint32_t kEnd = 1300;

TEST(PlantedFull, TwoHundredCulpritsAreNamedFirst) {
  planted::Tally tally;
  for (std::uint32_t number = kFirst; number < kEnd; ++number)
    planted::run_case(number, false, tally);
  std::fputs(tally.text().c_str(), stdout);
  EXPECT_GE(tally.count(Hit::kFirst) * 10, tally.visible() * 9);
  EXPECT_GE((tally.count(Hit::kFirst) + tally.count(Hit::kAmongThree)) * 50, tally.visible() * 49);
}

TEST(PlantedFull, TwoHundredHealthyClustersHaveNoCulprit) {
  planted::Tally tally;
  for (std::uint32_t number = kFirst; number < kEnd; ++number)
    planted::run_case(number, true, tally);
  std::fputs(tally.text().c_str(), stdout);
  EXPECT_LE(tally.false_culprits * 50, tally.healthy);
}

}  // namespace
}  // namespace weft::diagnose
