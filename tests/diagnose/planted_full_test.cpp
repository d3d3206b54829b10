#include <gtest/gtest.h>

#include <cstdio>

#include "tests/diagnose/planted.hpp"

namespace weft::diagnose {
namespace {

using planted::Hit;

TEST(PlantedFull, TwoHundredCulpritsAreNamedFirst) {
  planted::Tally tally;
  for (std::uint32_t number = 100; number < 300; ++number) planted::run_case(number, false, tally);
  std::fputs(tally.text().c_str(), stdout);
  EXPECT_GE(tally.count(Hit::kFirst) * 10, tally.visible() * 9);
  EXPECT_GE((tally.count(Hit::kFirst) + tally.count(Hit::kAmongThree)) * 50, tally.visible() * 49);
}

TEST(PlantedFull, TwoHundredHealthyClustersHaveNoCulprit) {
  planted::Tally tally;
  for (std::uint32_t number = 100; number < 300; ++number) planted::run_case(number, true, tally);
  std::fputs(tally.text().c_str(), stdout);
  EXPECT_LE(tally.false_culprits * 50, tally.healthy);
}

}  // namespace
}  // namespace weft::diagnose
