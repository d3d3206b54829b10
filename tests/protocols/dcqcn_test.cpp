// The reaction point of DCQCN (Zhu et al., SIGCOMM 2015, section 3.1 and figure 7): on a CNP
//   R_T <- R_C,  R_C <- R_C (1 - alpha/2),  alpha <- (1 - g) alpha + g;
// without CNPs alpha <- (1 - g) alpha per alpha timer, and every increase event moves R_C half way
// to R_T, which itself rises by R_AI after F events of one kind, and by R_HAI after F of both.

#include "protocols/dcqcn/dcqcn.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simcore/random.hpp"

namespace weft::protocols {
namespace {

constexpr std::int64_t kLine = 40'000'000'000;

DcqcnConfig paper() { return DcqcnConfig::from_preset(DcqcnConfig::Preset::kPaper); }
DcqcnConfig hpcc() { return DcqcnConfig::from_preset(DcqcnConfig::Preset::kHpccNs3); }
std::int64_t us(double n) { return static_cast<std::int64_t>(n * 1e6); }

TEST(Dcqcn, SendsAtLineRateUntilTheFirstCnpAndThenCutsByAlphaOverTwo) {
  const DcqcnParameters p(paper());
  Dcqcn d;
  EXPECT_FALSE(d.active());
  d.on_cnp(p, kLine, us(100));
  EXPECT_TRUE(d.active());
  EXPECT_EQ(d.rate(), kLine / 2);  // alpha is 1
  EXPECT_EQ(d.target(), kLine);
  EXPECT_DOUBLE_EQ(d.alpha(), 1.0);
}

TEST(Dcqcn, AlphaDecaysByGPerTimerAndRisesWithACnp) {
  const DcqcnParameters p(paper());
  Dcqcn d;
  d.on_cnp(p, kLine, 0);
  d.catch_up(p, us(55.0 * 10));
  const double decayed = std::pow(1 - 1.0 / 256, 10);
  EXPECT_NEAR(d.alpha(), decayed, 1e-6);
  d.on_cnp(p, kLine, us(551));
  EXPECT_NEAR(d.alpha(), decayed * (1 - 1.0 / 256) + 1.0 / 256, 1e-6);
}

TEST(Dcqcn, FastRecoveryHalvesTheDistanceFiveTimesThenTheTargetRises) {
  const DcqcnParameters p(paper());
  Dcqcn d;
  d.on_cnp(p, kLine, 0);
  d.on_cnp(p, kLine, us(50));  // 20 -> target 20, rate 20 (1 - alpha/2)
  const std::int64_t target = d.target();
  EXPECT_EQ(target, kLine / 2);
  std::int64_t distance = target - d.rate();
  for (int step = 1; step <= 5; ++step) {
    d.catch_up(p, us(50 + 55.0 * step));
    EXPECT_EQ(d.target(), target) << "step " << step;
    distance /= 2;
    EXPECT_NEAR(static_cast<double>(target - d.rate()), static_cast<double>(distance), step);
  }
  d.catch_up(p, us(50 + 55.0 * 6));
  EXPECT_EQ(d.target(), target + 40'000'000);
  d.catch_up(p, us(50 + 55.0 * 7));
  EXPECT_EQ(d.target(), target + 2 * 40'000'000);
}

TEST(Dcqcn, HyperIncreaseNeedsTimerAndByteCounterPastFastRecovery) {
  DcqcnConfig config = paper();
  config.byte_counter = 1_MB;
  const DcqcnParameters p(config);
  Dcqcn d;
  d.on_cnp(p, kLine, 0);
  d.on_cnp(p, kLine, us(50));
  const std::int64_t target = d.target();
  for (int i = 0; i < 6; ++i) d.on_sent(p, 1'000'000);  // byte stages 0..5: the last one adds R_AI
  EXPECT_EQ(d.target(), target + 40'000'000);
  d.catch_up(p, us(50 + 55.0 * 6));  // timer stages 0..5, while the byte stage is 6
  EXPECT_EQ(d.target(), target + 7 * 40'000'000);
  d.catch_up(p, us(50 + 55.0 * 7));  // both past 5: timer stage 6 is the first with least > F
  EXPECT_EQ(d.target(), target + 7 * 40'000'000 + 400'000'000);
}

TEST(Dcqcn, TheTargetNeverExceedsLineRateNorTheRateTheMinimum) {
  const DcqcnParameters p(hpcc());
  Dcqcn d;
  for (int i = 0; i < 1000; ++i) d.on_cnp(p, kLine, us(3.0 * i));
  EXPECT_EQ(d.rate(), 1'000'000'000);  // the preset's minimum
  d.catch_up(p, us(10'000'000));
  EXPECT_EQ(d.target(), kLine);
  EXPECT_NEAR(static_cast<double>(d.rate()), static_cast<double>(kLine), 1);
}

TEST(Dcqcn, PeriodicReactionCutsAtTheCheckOnlyIfACnpCame) {
  const DcqcnParameters p(hpcc());
  Dcqcn d;
  d.on_cnp(p, kLine, us(10));
  d.catch_up(p, us(13.9));
  EXPECT_EQ(d.rate(), kLine);  // the check is at 14 us
  d.catch_up(p, us(14));
  const std::int64_t once = d.rate();
  EXPECT_NEAR(static_cast<double>(once), 0.5 * kLine * (1 + 4.0 / 256), 0.01 * kLine);
  d.catch_up(p, us(100));
  EXPECT_EQ(d.rate(), once);  // no CNP, no cut; the increase timer is at 314 us
  EXPECT_EQ(d.target(), kLine) << "no increase since, so the cut leaves the target";
  d.on_cnp(p, kLine, us(101));
  d.catch_up(p, us(102));
  EXPECT_LT(d.rate(), once);  // checks stay at 14 + 4 k us
}

TEST(Dcqcn, AfterAnIncreaseACutMakesTheCurrentRateTheTarget) {
  const DcqcnParameters p(hpcc());
  Dcqcn d;
  d.on_cnp(p, kLine, 0);
  d.catch_up(p, us(310));  // cut at 4 us, increase at 304 us
  const std::int64_t raised = d.rate();
  d.on_cnp(p, kLine, us(310));
  d.catch_up(p, us(312));
  EXPECT_EQ(d.target(), raised);
  EXPECT_LT(d.rate(), raised);
}

TEST(Dcqcn, CatchingUpAtOnceEqualsCatchingUpOften) {
  // The timers fire lazily; how often anybody looks must not matter. Random CNPs and sends; one
  // copy is also caught up every microsecond.
  for (const auto preset : {DcqcnConfig::Preset::kPaper, DcqcnConfig::Preset::kConnectx,
                            DcqcnConfig::Preset::kHpccNs3}) {
    const DcqcnParameters p(DcqcnConfig::from_preset(preset));
    const RandomStream random(3, Purpose::kTestScenario, static_cast<std::uint64_t>(preset));
    Dcqcn lazy;
    Dcqcn eager;
    std::int64_t now = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto gap = static_cast<std::int64_t>(random.below(3 * i, 200'000'000));
      for (std::int64_t t = now; eager.active() && t < now + gap; t += 1'000'000) {
        eager.catch_up(p, t);
      }
      now += gap;
      if (random.below(3 * i + 1, 3) == 0) {
        lazy.on_cnp(p, kLine, now);
        eager.on_cnp(p, kLine, now);
      } else if (lazy.active()) {
        const auto bytes = static_cast<std::int64_t>(random.below(3 * i + 2, 100'000));
        for (Dcqcn* d : {&lazy, &eager}) {
          d->catch_up(p, now);
          d->on_sent(p, bytes);
        }
      }
      ASSERT_EQ(lazy.rate(), eager.rate()) << "step " << i;
      ASSERT_EQ(lazy.target(), eager.target()) << "step " << i;
      ASSERT_DOUBLE_EQ(lazy.alpha(), eager.alpha()) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace weft::protocols
