// The reaction point of DCQCN (Zhu et al., SIGCOMM 2015, section 3.1 and figure 7): on a CNP
//   R_T <- R_C,  R_C <- R_C (1 - alpha/2),  alpha <- (1 - g) alpha + g;
// without CNPs alpha <- (1 - g) alpha per alpha timer, and every increase event moves R_C half way
// to R_T, which itself rises by R_AI after F events of one kind, and by R_HAI after F of both.

#include "protocols/congestion/dcqcn/dcqcn.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simcore/base/random.hpp"

namespace weft::protocols::congestion {
namespace {

constexpr BitsPerSecond kLine = 40_Gbps;

DcqcnConfig paper() { return DcqcnConfig::from_preset(DcqcnConfig::Preset::kPaper); }
DcqcnConfig hpcc() { return DcqcnConfig::from_preset(DcqcnConfig::Preset::kHpccNs3); }
Picoseconds us(double n) { return Picoseconds(static_cast<std::int64_t>(n * 1e6)); }
double as_double(BitsPerSecond rate) { return static_cast<double>(rate.count()); }

/// A reaction point at a port, caught up before every call as the engine does.
struct ReactionPoint {
  explicit ReactionPoint(const DcqcnConfig& config, BitsPerSecond line = kLine) : p(config) {
    d.start(p, {.line_rate = line});
  }

  void cnp(Picoseconds now) {
    d.on_timer(p, now);
    d.on_notified(p, now);
  }
  void catch_up(Picoseconds now) { d.on_timer(p, now); }
  void send(Bytes bytes, Picoseconds now) {
    d.on_timer(p, now);
    d.on_sent(p, bytes, now);
  }

  DcqcnParameters p;
  Dcqcn d;
};

TEST(Dcqcn, SendsAtLineRateUntilTheFirstCnpAndThenCutsByAlphaOverTwo) {
  ReactionPoint r(paper());
  EXPECT_FALSE(r.d.active());
  r.cnp(us(100));
  EXPECT_TRUE(r.d.active());
  EXPECT_EQ(r.d.rate(), kLine / 2);  // alpha is 1
  EXPECT_EQ(r.d.target(), kLine);
  EXPECT_DOUBLE_EQ(r.d.alpha(), 1.0);
}

TEST(Dcqcn, AlphaDecaysByGPerTimerAndRisesWithACnp) {
  ReactionPoint r(paper());
  r.cnp(us(0));
  r.catch_up(us(55.0 * 10));
  const double decayed = std::pow(1 - 1.0 / 256, 10);
  EXPECT_NEAR(r.d.alpha(), decayed, 1e-6);
  r.cnp(us(551));
  EXPECT_NEAR(r.d.alpha(), decayed * (1 - 1.0 / 256) + 1.0 / 256, 1e-6);
}

TEST(Dcqcn, FastRecoveryHalvesTheDistanceFiveTimesThenTheTargetRises) {
  ReactionPoint r(paper());
  r.cnp(us(0));
  r.cnp(us(50));  // 20 -> target 20, rate 20 (1 - alpha/2)
  const BitsPerSecond target = r.d.target();
  EXPECT_EQ(target, kLine / 2);
  BitsPerSecond distance = target - r.d.rate();
  for (int step = 1; step <= 5; ++step) {
    r.catch_up(us(50 + 55.0 * step));
    EXPECT_EQ(r.d.target(), target) << "step " << step;
    distance = distance / 2;
    EXPECT_NEAR(as_double(target - r.d.rate()), as_double(distance), step);
  }
  r.catch_up(us(50 + 55.0 * 6));
  EXPECT_EQ(r.d.target(), target + 40_Mbps);
  r.catch_up(us(50 + 55.0 * 7));
  EXPECT_EQ(r.d.target(), target + 2 * 40_Mbps);
}

TEST(Dcqcn, HyperIncreaseNeedsTimerAndByteCounterPastFastRecovery) {
  DcqcnConfig config = paper();
  config.byte_counter = 1_MB;
  ReactionPoint r(config);
  r.cnp(us(0));
  r.cnp(us(50));
  const BitsPerSecond target = r.d.target();
  for (int i = 0; i < 6; ++i) r.send(1_MB, us(50));  // byte stages 0..5: the last one adds R_AI
  EXPECT_EQ(r.d.target(), target + 40_Mbps);
  r.catch_up(us(50 + 55.0 * 6));  // timer stages 0..5, while the byte stage is 6
  EXPECT_EQ(r.d.target(), target + 7 * 40_Mbps);
  r.catch_up(us(50 + 55.0 * 7));  // both past 5: timer stage 6 is the first with least > F
  EXPECT_EQ(r.d.target(), target + 7 * 40_Mbps + 400_Mbps);
}

TEST(Dcqcn, TheTargetNeverExceedsLineRateNorTheRateTheMinimum) {
  ReactionPoint r(hpcc());
  for (int i = 0; i < 1000; ++i) r.cnp(us(3.0 * i));
  EXPECT_EQ(r.d.rate(), 1_Gbps);  // the preset's minimum
  r.catch_up(us(10'000'000));
  EXPECT_EQ(r.d.target(), kLine);
  EXPECT_NEAR(as_double(r.d.rate()), as_double(kLine), 1);
}

TEST(Dcqcn, PeriodicReactionCutsAtTheCheckOnlyIfACnpCame) {
  ReactionPoint r(hpcc());
  r.cnp(us(10));
  r.catch_up(us(13.9));
  EXPECT_EQ(r.d.rate(), kLine);  // the check is at 14 us
  r.catch_up(us(14));
  const BitsPerSecond once = r.d.rate();
  EXPECT_NEAR(as_double(once), 0.5 * as_double(kLine) * (1 + 4.0 / 256), 0.01 * as_double(kLine));
  r.catch_up(us(100));
  EXPECT_EQ(r.d.rate(), once);  // no CNP, no cut; the increase timer is at 314 us
  EXPECT_EQ(r.d.target(), kLine) << "no increase since, so the cut leaves the target";
  r.cnp(us(101));
  r.catch_up(us(102));
  EXPECT_LT(r.d.rate(), once);  // checks stay at 14 + 4 k us
}

TEST(Dcqcn, AfterAnIncreaseACutMakesTheCurrentRateTheTarget) {
  ReactionPoint r(hpcc());
  r.cnp(us(0));
  r.catch_up(us(310));  // cut at 4 us, increase at 304 us
  const BitsPerSecond raised = r.d.rate();
  r.cnp(us(310));
  r.catch_up(us(312));
  EXPECT_EQ(r.d.target(), raised);
  EXPECT_LT(r.d.rate(), raised);
}

TEST(Dcqcn, StepsInProportionToTheLinkMakeARunAtTenTimesTheRateTheSameRunTenTimesAsLarge) {
  // Paper's steps at 40 Gbps beside those of `scaled` at 400 Gbps with messages ten times as long:
  // every rate is ten times as large, but for what integers round away.
  ReactionPoint slow(paper());
  ReactionPoint fast(DcqcnConfig::from_preset(DcqcnConfig::Preset::kScaled), 400_Gbps);
  const RandomStream random(5, Purpose::kTestScenario, 0);
  Picoseconds now;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    now += Picoseconds(static_cast<std::int64_t>(random.below(3 * i, 20'000'000)));
    if (random.below(3 * i + 1, 20) == 0) {
      slow.cnp(now);
      fast.cnp(now);
    } else {
      const Bytes bytes(static_cast<std::int64_t>(random.below(3 * i + 2, 100'000)));
      slow.send(bytes, now);
      fast.send(bytes * 10, now);
    }
    ASSERT_NEAR(as_double(fast.d.rate()), 10 * as_double(slow.d.rate()), 1'000) << "step " << i;
    ASSERT_NEAR(as_double(fast.d.target()), 10 * as_double(slow.d.target()), 1'000);
  }
  EXPECT_LT(slow.d.rate(), kLine);
}

// MODEL.md 9.4
TEST(Dcqcn, AWindowIsWhatTheRateSendsInAnIdleRoundTrip) {
  DcqcnConfig config = paper();
  EXPECT_FALSE(Dcqcn::needs(config).acks || Dcqcn::needs(config).path);
  config.window = DcqcnConfig::Window::kBdp;
  EXPECT_TRUE(Dcqcn::needs(config).acks && Dcqcn::needs(config).path);
  const DcqcnParameters p(config);
  Dcqcn d;  // 40 Gbps x 10.1 us = 50,500 B, 12.6 packets of 4,000 B
  d.start(p, {.line_rate = kLine, .packet = 4'000_B, .base_rtt = 10'100_ns});
  EXPECT_EQ(d.window(p), 13U);
  d.on_notified(p, us(1));
  EXPECT_EQ(d.rate(), kLine / 2);
  EXPECT_EQ(d.window(p), 7U);
  for (int i = 1; i < 30; ++i) d.on_notified(p, us(1 + 50 * i));
  EXPECT_EQ(d.window(p), 1U) << "a packet may always be in flight";
}

TEST(Dcqcn, ThePublishedRateIsThatOfItsSteps) {
  EXPECT_EQ(paper().published_rate(), 40_Gbps);
  EXPECT_EQ(hpcc().published_rate(), 100_Gbps);
  EXPECT_EQ(DcqcnConfig::from_preset(DcqcnConfig::Preset::kScaled).published_rate(), 0_bps);
  DcqcnConfig retuned = paper();
  retuned.additive_increase = 400_Mbps;
  EXPECT_EQ(retuned.published_rate(), 0_bps) << "somebody chose this step";
}

// MODEL.md 9.1
TEST(Dcqcn, CatchingUpAtOnceEqualsCatchingUpOften) {
  // The timers fire lazily; how often anybody looks must not matter. Random CNPs and sends; one
  // copy is also caught up every microsecond.
  for (const auto preset : {DcqcnConfig::Preset::kPaper, DcqcnConfig::Preset::kConnectx,
                            DcqcnConfig::Preset::kHpccNs3, DcqcnConfig::Preset::kScaled}) {
    const RandomStream random(3, Purpose::kTestScenario, static_cast<std::uint64_t>(preset));
    ReactionPoint lazy(DcqcnConfig::from_preset(preset));
    ReactionPoint eager(DcqcnConfig::from_preset(preset));
    Picoseconds now;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const Picoseconds gap(static_cast<std::int64_t>(random.below(3 * i, 200'000'000)));
      for (Picoseconds t = now; t < now + gap; t += 1_us) eager.catch_up(t);
      now += gap;
      if (random.below(3 * i + 1, 3) == 0) {
        lazy.cnp(now);
        eager.cnp(now);
      } else {
        const Bytes bytes(static_cast<std::int64_t>(random.below(3 * i + 2, 100'000)));
        lazy.send(bytes, now);
        eager.send(bytes, now);
      }
      ASSERT_EQ(lazy.d.rate(), eager.d.rate()) << "step " << i;
      ASSERT_EQ(lazy.d.target(), eager.d.target()) << "step " << i;
      ASSERT_DOUBLE_EQ(lazy.d.alpha(), eager.d.alpha()) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace weft::protocols::congestion
