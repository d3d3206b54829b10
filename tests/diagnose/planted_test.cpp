#include <gtest/gtest.h>

#include "tests/diagnose/planted.hpp"

namespace weft::diagnose {
namespace {

using planted::Hit;

// In packets, with what the search does not know: another seed, cables, a common factor of 5 %, and
// noise of 2 %. More of them: planted_full_test.cpp.
TEST(Planted, CulpritsAreNamedFirst) {
  planted::Tally tally;
  for (std::uint32_t number = 0; number < 18; ++number) planted::run_case(number, false, tally);
  RecordProperty("tally", tally.text());
  EXPECT_GE(tally.count(Hit::kFirst), tally.visible() * 9 / 10) << tally.text();
  EXPECT_GE(tally.visible(), 14) << tally.text();
}

TEST(Planted, HealthyClustersHaveNoCulprit) {
  planted::Tally tally;
  for (std::uint32_t number = 0; number < 8; ++number) planted::run_case(number, true, tally);
  EXPECT_EQ(tally.false_culprits, 0) << tally.text();
}

}  // namespace
}  // namespace weft::diagnose
