// The short formulas of a training step, evaluated by hand for jobs of which texts say whether they
// communicate little or much. Peak 989 TFLOP/s (B200 2,250) at an efficiency of 0.5, one sample of
// 2,048 tokens per micro-batch, gradients of two bytes, full recomputation. For 175B on 8 x 8 x 8:
//   T_comp = 8 * 64 * 175e9 * 2048 / (64 * 989e12 * 0.5) = 5.798 s
//   T_TP = 64 * 12 * 6 * (2 * 2048 * 12288) * 1.75 / 450e9 = 0.902 s
//   T_DP = 2 * 175e9 / 64 * 1.75 / 50e9 = 0.191 s, T_bubble = 7/64 (5.798 + 0.902) = 0.733 s
// Tolerance: half of the third digit after the point.

#include <gtest/gtest.h>

#include "collectives/training/estimate/short_form.hpp"
#include "collectives/training/estimate/step_estimate.hpp"

namespace weft::collectives {
namespace {

constexpr double kHalfDigit = 0.0005;

ShortForm job_of_175b() {
  return {.parameters = 175e9,
          .layers = 96,
          .hidden = 12288,
          .tensor = 8,
          .pipeline = 8,
          .data = 8,
          .micro_batches = 64,
          .micro = 1,
          .sequence = 2048,
          .peak = 989e12,
          .efficiency = 0.5,
          .tensor_rate = 450e9,
          .data_rate = 50e9};
}

void expect_estimate(const ShortForm& form, const ShortEstimate& expected, double ratio) {
  const ShortEstimate e = short_estimate(form);
  EXPECT_NEAR(e.compute, expected.compute, kHalfDigit);
  EXPECT_NEAR(e.tensor, expected.tensor, kHalfDigit);
  EXPECT_NEAR(e.data, expected.data, kHalfDigit);
  EXPECT_NEAR(e.bubble, expected.bubble, kHalfDigit);
  EXPECT_NEAR(e.ratio(), ratio, kHalfDigit);
}

TEST(ShortForm, Of175BillionOverNvlinkCommunicatesLittle) {
  expect_estimate(job_of_175b(), {5.798, 0.902, 0.191, 0.733}, 0.189);
}

TEST(ShortForm, Of175BillionOverNicsCommunicatesMuch) {
  ShortForm form = job_of_175b();
  form.tensor_rate = 50e9;
  expect_estimate(form, {5.798, 8.117, 0.191, 1.522}, 1.433);
}

TEST(ShortForm, OfAFasterGpuCommunicatesMoreForWhatItComputes) {
  ShortForm form = job_of_175b();
  form.peak = 2250e12;
  form.tensor_rate = 900e9;
  expect_estimate(form, {2.549, 0.451, 0.191, 0.328}, 0.252);
}

TEST(ShortForm, OfDataParallelismHangsOnMicroBatches) {
  ShortForm form{.parameters = 13e9,
                 .layers = 40,
                 .hidden = 5120,
                 .data = 512,
                 .sequence = 2048,
                 .peak = 989e12,
                 .efficiency = 0.5,
                 .data_rate = 50e9};
  expect_estimate(form, {0.431, 0, 1.038, 0}, 2.410);
  form.micro_batches = 4;
  expect_estimate(form, {1.723, 0, 1.038, 0}, 0.602);
  form.micro_batches = 16;
  // 6.892 and 0.151 as computed with all digits; 1.038 / 6.892 is 0.1506.
  expect_estimate(form, {6.892, 0, 1.038, 0}, 0.151);
}

TEST(ShortForm, WithoutRecomputationTakesSixAndFour) {
  ShortForm form = job_of_175b();
  const ShortEstimate with = short_estimate(form);
  form.recomputes = false;
  const ShortEstimate without = short_estimate(form);
  EXPECT_NEAR(without.compute / with.compute, 6.0 / 8, 1e-12);
  EXPECT_NEAR(without.tensor / with.tensor, 4.0 / 6, 1e-12);
}

TEST(RatioClass, HasItsLimitsAtAFifthAndThreeFifths) {
  EXPECT_EQ(ratio_class(0.189), RatioClass::kLow);
  EXPECT_EQ(ratio_class(0.2), RatioClass::kMedium);
  EXPECT_EQ(ratio_class(0.6), RatioClass::kMedium);
  EXPECT_EQ(ratio_class(0.602), RatioClass::kHigh);
  EXPECT_EQ(name_of(RatioClass::kHigh), "high");
}

}  // namespace
}  // namespace weft::collectives
