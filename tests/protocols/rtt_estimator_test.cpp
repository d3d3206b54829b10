// The retransmission time-out of RFC 6298, by a sequence that was computed by hand in its section
// 2:
//   first R:  SRTT = R, RTTVAR = R / 2, RTO = SRTT + 4 RTTVAR
//   next R':  RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R'|, then SRTT = 7/8 SRTT + 1/8 R'

#include "protocols/state/rtt_estimator.hpp"

#include <gtest/gtest.h>

#include <array>

namespace weft::protocols {
namespace {

constexpr RttEstimator::Limits kAny{.min = 1_us, .max = 60_s};

TEST(RttEstimator, IsASecondBeforeTheFirstRoundTrip) { EXPECT_EQ(RttEstimator().timeout(), 1_s); }

TEST(RttEstimator, FollowsTheSequenceComputedByHand) {
  struct Step {
    Picoseconds sample;
    Picoseconds smoothed;
    Picoseconds variation;
    Picoseconds timeout;
  };
  // 100 us; then 180: |100 - 180| = 80, RTTVAR 37.5 + 20 = 57.5, SRTT 87.5 + 22.5 = 110, RTO 340;
  // 110: RTTVAR 43.125, SRTT 110, RTO 282.5; 30: RTTVAR 32.34375 + 20 = 52.34375, SRTT 96.25 + 3.75
  // = 100, RTO 309.375; 100: RTTVAR 39.2578125, RTO 257.03125.
  constexpr std::array<Step, 5> kSteps{{{100_us, 100_us, 50_us, 300_us},
                                        {180_us, 110_us, 57'500_ns, 340_us},
                                        {110_us, 110_us, 43'125_ns, 282'500_ns},
                                        {30_us, 100_us, 52'343'750_ps, 309'375_ns},
                                        {100_us, 100_us, 39'257'813_ps, 257'031'252_ps}}};
  RttEstimator estimator;
  for (const Step& step : kSteps) {
    estimator.add(step.sample, kAny);
    EXPECT_EQ(estimator.smoothed(), step.smoothed);
    EXPECT_NEAR(static_cast<double>(estimator.variation().count()),
                static_cast<double>(step.variation.count()), 1)
        << "a picosecond of rounding";
    EXPECT_NEAR(static_cast<double>(estimator.timeout().count()),
                static_cast<double>(step.timeout.count()), 4);
  }
}

TEST(RttEstimator, IsNeverLessThanTheLeastNorMoreThanTheMost) {
  const RttEstimator::Limits limits{.min = 10_ms, .max = 35_ms};
  RttEstimator estimator;
  estimator.add(20_us, limits);
  EXPECT_EQ(estimator.timeout(), 10_ms);
  estimator.add(100_ms, limits);
  EXPECT_EQ(estimator.timeout(), 35_ms);
}

TEST(RttEstimator, DoublesWithEachTimeOutUntilARoundTripIsMeasured) {
  const RttEstimator::Limits limits{.min = 10_ms, .max = 60_ms};
  RttEstimator estimator;
  estimator.add(20_us, limits);
  for (const Picoseconds timeout : {20_ms, 40_ms, 60_ms, 60_ms}) {
    estimator.back_off(limits);
    EXPECT_EQ(estimator.timeout(), timeout);
  }
  estimator.add(20_us, limits);
  EXPECT_EQ(estimator.timeout(), 10_ms);
}

}  // namespace
}  // namespace weft::protocols
